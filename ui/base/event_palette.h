// SPDX-License-Identifier: GPL-3.0-or-later
// The color of every event, by kind and name (phase of a step, GEMM, attention, optimizer). Similar names
// differ slightly in lightness, so that neighbors are distinguishable; a name has the same color on every
// rank. Colors are cached by name. UI thread; a lookup is one array access.
#pragma once

#include "core/model/event_kind.h"
#include "core/model/string_table.h"
#include "ui/base/theme.h"

#include <QRgb>

#include <cstdint>
#include <vector>

namespace rankscope::ui {

// The theme color of a phase; `otherwise` for none.
[[nodiscard]] QColor Theme::*phaseRole(Phase phase, QColor Theme::*otherwise);

// The theme color of an event.
[[nodiscard]] QColor Theme::*colorRole(EventKind kind, std::string_view name);

class EventPalette {
 public:
  EventPalette() = default;
  EventPalette(const Theme& theme, const StringTable& names);

  [[nodiscard]] QRgb colorOf(EventKind kind, NameId name);

 private:
  struct Entry {
    std::uint8_t kindPlusOne = 0; // 0: not computed
    QRgb color = 0;
  };

  const Theme* m_theme = nullptr;
  StringTable m_names;
  std::vector<Entry> m_entries; // by name
};

} // namespace rankscope::ui
