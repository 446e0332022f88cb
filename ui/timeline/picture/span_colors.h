// SPDX-License-Identifier: GPL-3.0-or-later
// Which color an event's span has, by what the person chose colors to mean: its kind, its name, the phase
// of the step that it belongs to, or how long it took. Every color bears black or white text. A kernel
// belongs to the phase in which it was launched. A look-up is an array access, for phases a few binary
// searches; nothing is allocated. UI thread.
#pragma once

#include "core/analysis/steps/phases.h"
#include "core/model/trace_set.h"
#include "ui/base/event_palette.h"
#include "ui/job/timeline_choice.h"

#include <QString>

#include <array>
#include <vector>

namespace rankscope::ui {

class SpanColors {
 public:
  SpanColors() = default;
  SpanColors(const Theme& theme, const StringTable& names, ColorBy by);

  // phases: of the event's rank; null when they are not known yet.
  [[nodiscard]] QRgb of(const RankTrace& trace, EventIndex event, const HostPhases* phases);

 private:
  [[nodiscard]] QRgb byName(NameId name);
  [[nodiscard]] QRgb byPhase(const RankTrace& trace, EventIndex event, const HostPhases* phases) const;
  [[nodiscard]] QRgb byDuration(TimeNs duration) const;

  const Theme* m_theme = nullptr;
  ColorBy m_by = ColorBy::Kind;
  StringTable m_names;
  EventPalette m_palette;
  std::vector<QRgb> m_nameColors; // 0: not worked out
};

// The phase in which an event ran, a kernel the one in which it was launched; None when no phase names it.
[[nodiscard]] Phase phaseOfEvent(const RankTrace& trace, EventIndex event, const HostPhases& phases);

// What the colors stand for, for a legend; empty where a color stands for a name.
struct ColorMeaning {
  QString text;
  QColor color;
};
[[nodiscard]] std::vector<ColorMeaning> meaningsOf(ColorBy by, const Theme& theme);

} // namespace rankscope::ui
