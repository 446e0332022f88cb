// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/picture/span_colors.h"

#include "core/base/unit_text.h"
#include "ui/base/event_palette.h"
#include "ui/base/ui_text.h"

#include <algorithm>

namespace rankscope::ui {
namespace {

// Upper limits of the duration classes; the last class has none.
constexpr std::array<TimeNs, 6> kDurationSteps{1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

// From cool and quiet to warm and bright. Lightness increases (dark theme) or decreases (light theme), so the
// classes differ in gray too.
constexpr std::array<QRgb, kDurationSteps.size() + 1> kDurationDark{
    0xff3b4a63, 0xff3e6285, 0xff3f80a0, 0xff46a3a0, 0xff78bd84, 0xffc4cf6a, 0xfff7dc60};
constexpr std::array<QRgb, kDurationSteps.size() + 1> kDurationLight{
    0xffd5dce6, 0xffb9d2e4, 0xff8fc3d8, 0xff5aaec0, 0xff35919c, 0xff2a6b86, 0xff30416e};

constexpr std::array kPhases{Phase::DataLoader, Phase::Forward, Phase::Loss, Phase::Backward,
                             Phase::Optimizer};

QColor colorOfPhase(Phase phase, const Theme& theme) {
  const QColor color = theme.*phaseRole(phase, &Theme::faint);
  return phase == Phase::Loss ? color.lighter(115) : color; // loss and forward are next to each other
}

// Digits are skipped, so that step 12 and step 13 get the same color.
std::uint32_t nameHash(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) {
    if (c >= '0' && c <= '9') continue;
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  }
  hash ^= hash >> 15;
  hash *= 0x2c1b3c6du;
  return hash ^ (hash >> 13);
}

} // namespace

SpanColors::SpanColors(const Theme& theme, const StringTable& names, ColorBy by)
    : m_theme(&theme), m_by(by), m_names(names), m_palette(theme, names),
      m_nameColors(by == ColorBy::Name ? names.size() : 0, 0) {}

QRgb SpanColors::of(const RankTrace& trace, EventIndex event, const HostPhases* phases) {
  if (!m_theme) return qRgb(128, 128, 128);
  switch (m_by) {
  case ColorBy::Name:
    return byName(trace.events.name[event]);
  case ColorBy::Phase:
    return byPhase(trace, event, phases);
  case ColorBy::Duration:
    return byDuration(trace.events.duration[event]);
  case ColorBy::Kind:
    break;
  }
  return m_palette.colorOf(trace.events.kind[event], trace.events.name[event]);
}

QRgb SpanColors::byName(NameId name) {
  if (!name.valid()) return m_theme->faint.rgb();
  QRgb& color = m_nameColors[name.value];
  if (color == 0) {
    const std::uint32_t hash = nameHash(m_names[name]);
    constexpr std::uint32_t kHues = 36;
    const bool dark = m_theme->name == ThemeName::Dark;
    const int lightness = (dark ? 118 : 158) + static_cast<int>((hash >> 8) % 4) * 12;
    color = QColor::fromHsl(static_cast<int>(hash % kHues) * 10, dark ? 105 : 125, lightness).rgb();
  }
  return color;
}

QRgb SpanColors::byPhase(const RankTrace& trace, EventIndex event, const HostPhases* phases) const {
  if (!phases) return m_theme->faint.rgb();
  return colorOfPhase(phaseOfEvent(trace, event, *phases), *m_theme).rgb();
}

QRgb SpanColors::byDuration(TimeNs duration) const {
  const auto step =
      static_cast<std::size_t>(std::ranges::upper_bound(kDurationSteps, duration) - kDurationSteps.begin());
  return (m_theme->name == ThemeName::Dark ? kDurationDark : kDurationLight)[step];
}

Phase phaseOfEvent(const RankTrace& trace, EventIndex event, const HostPhases& phases) {
  EventIndex host = event;
  if (trace.isDeviceEvent(event)) {
    host = trace.deviceDetail(event).launch;
    if (!host.valid()) return Phase::None;
  }
  // An event around several phases belongs to none of them.
  const TimeRange range = trace.events.range(host);
  const TimeNs middle = range.begin + range.length() / 2;
  for (const Phase phase : kPhases) {
    const IntervalSet& times = phases.of(phase);
    const auto at = times.indexAt(middle);
    if (at && times.ranges()[*at].begin <= range.begin && range.end <= times.ranges()[*at].end) return phase;
  }
  return Phase::None;
}

std::vector<ColorMeaning> meaningsOf(ColorBy by, const Theme& theme) {
  std::vector<ColorMeaning> meanings;
  if (by == ColorBy::Phase) {
    const std::array<QString, kPhases.size()> names{tr("data loading"), tr("forward"), tr("loss"),
                                                    tr("backward"), tr("optimizer")};
    for (std::size_t i = 0; i < kPhases.size(); ++i)
      meanings.push_back({names[i], colorOfPhase(kPhases[i], theme)});
    meanings.push_back({tr("none"), theme.faint});
  }
  if (by == ColorBy::Duration) {
    const auto& colors = theme.name == ThemeName::Dark ? kDurationDark : kDurationLight;
    for (std::size_t i = 0; i < colors.size(); ++i) {
      const bool last = i == kDurationSteps.size();
      const QString bound = QString::fromStdString(durationText(kDurationSteps[last ? i - 1 : i]));
      meanings.push_back({(last ? tr("from %1") : tr("< %1")).arg(bound), QColor::fromRgb(colors[i])});
    }
  }
  return meanings;
}

} // namespace rankscope::ui
