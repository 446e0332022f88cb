// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/step_list.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

namespace rankscope {

namespace {

constexpr std::string_view kPrefix = "ProfilerStep";

bool mayHoldSteps(TrackKind kind) {
  return kind == TrackKind::Annotations || kind == TrackKind::Thread;
}

// Before PyTorch 1.12, annotations were recorded as operators.
bool mayBeStep(EventKind kind) {
  return kind == EventKind::Annotation || kind == EventKind::CpuOp;
}

} // namespace

// Larger numbers are damage. The limit leaves room for numbers before and after a step.
constexpr std::int64_t kMaxStepNumber = std::int64_t{1} << 60;

std::int64_t stepNumberOf(std::string_view name) {
  if (!name.starts_with(kPrefix) || name.size() < kPrefix.size() + 2 || name[kPrefix.size()] != '#')
    return Step::kUnknownNumber;
  const std::string_view digits = name.substr(kPrefix.size() + 1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0 || number > kMaxStepNumber)
    return Step::kUnknownNumber;
  return number;
}

std::vector<Step> stepsOf(const RankTrace& trace, const StringTable& names) {
  std::vector<Step> steps;
  for (const Track& track : trace.tracks) {
    if (!mayHoldSteps(track.kind)) continue;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      if (!mayBeStep(trace.events.kind[event])) continue;
      const std::string_view name = names[trace.events.name[event]];
      if (name.starts_with(kPrefix)) steps.push_back({stepNumberOf(name), trace.events.range(event), event});
    }
  }
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return std::tuple(a.range.begin, -a.range.end, a.event) <
           std::tuple(b.range.begin, -b.range.end, b.event);
  });
  return steps;
}

std::int64_t distinctStepCount(const RankTrace& trace, std::span<const Step> steps) {
  std::vector<NameId> seen;
  seen.reserve(steps.size());
  for (const Step& step : steps) seen.push_back(trace.events.name[step.event]);
  std::sort(seen.begin(), seen.end());
  return std::unique(seen.begin(), seen.end()) - seen.begin();
}

} // namespace rankscope
