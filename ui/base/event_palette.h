// SPDX-License-Identifier: GPL-3.0-or-later
// The color of every event: by what it is and, within that, by what its name says (phase of a step, matrix
// product, attention, optimizer). Names of one family differ a little in lightness, so that neighbors are
// distinguished; a name has the same color in every rank. The answer for a name is worked out once and kept.
// UI thread; a look-up is one array access.
#pragma once

#include "core/model/event_kind.h"
#include "core/model/string_table.h"
#include "ui/base/theme.h"

#include <QRgb>

#include <cstdint>
#include <vector>

namespace rankscope::ui {

// Which color of the theme stands for a phase; `otherwise` for what is none.
[[nodiscard]] QColor Theme::*phaseRole(Phase phase, QColor Theme::*otherwise);

// Which color of the theme stands for this event.
[[nodiscard]] QColor Theme::*colorRole(EventKind kind, std::string_view name);

class EventPalette {
 public:
  EventPalette() = default;
  EventPalette(const Theme& theme, const StringTable& names);

  [[nodiscard]] QRgb colorOf(EventKind kind, NameId name);

 private:
  struct Entry {
    std::uint8_t kindPlusOne = 0; // 0: not worked out
    QRgb color = 0;
  };

  const Theme* m_theme = nullptr;
  StringTable m_names;
  std::vector<Entry> m_entries; // by name
};

} // namespace rankscope::ui
