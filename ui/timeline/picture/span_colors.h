// SPDX-License-Identifier: GPL-3.0-or-later
// The color of an event's span, by the chosen meaning: kind, name, phase of the step, or duration. Text on
// every color is black or white. A kernel belongs to the phase in which it was launched. A lookup is an array
// access, plus a few binary searches for phases, without allocation. UI thread.
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

  // phases: of the event's rank; null if not computed yet.
  [[nodiscard]] QRgb of(const RankTrace& trace, EventIndex event, const HostPhases* phases);

 private:
  [[nodiscard]] QRgb byName(NameId name);
  [[nodiscard]] QRgb byPhase(const RankTrace& trace, EventIndex event, const HostPhases* phases) const;
  [[nodiscard]] QRgb byDuration(TimeNs duration) const;

  const Theme* m_theme = nullptr;
  ColorBy m_by = ColorBy::Kind;
  StringTable m_names;
  EventPalette m_palette;
  std::vector<QRgb> m_nameColors; // 0: not computed yet
};

// The phase in which an event ran, or in which a kernel was launched; None outside of phases.
[[nodiscard]] Phase phaseOfEvent(const RankTrace& trace, EventIndex event, const HostPhases& phases);

// Legend of the colors; empty if colors stand for names.
struct ColorMeaning {
  QString text;
  QColor color;
};
[[nodiscard]] std::vector<ColorMeaning> meaningsOf(ColorBy by, const Theme& theme);

} // namespace rankscope::ui
