// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/truncated_steps.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace rankscope {

namespace {

using DeviceEvents = std::vector<std::optional<std::int64_t>>; // by step of the job

// The median over the whole recordings that have the step.
DeviceEvents typicalDeviceEvents(std::span<const RankSteps> whole, const KeptSteps& kept) {
  std::vector<std::vector<std::int64_t>> events(kept.steps.size());
  for (std::size_t rank = 0; rank < whole.size(); ++rank)
    for (std::size_t i = 0; i < whole[rank].steps.size(); ++i)
      events[kept.stepOfRank[rank][i]].push_back(whole[rank].steps[i].deviceEvents);
  DeviceEvents typical;
  for (std::vector<std::int64_t>& ofStep : events)
    typical.push_back(ofStep.empty() ? std::nullopt : std::optional(wholeMedian(std::move(ofStep))));
  return typical;
}

// Where its steps stand among those of the job. One that no whole recording has is added.
std::vector<std::size_t> placesOf(const RankSteps& truncated, std::vector<JobStep>& steps) {
  std::vector<std::size_t> places;
  places.reserve(truncated.steps.size());
  std::map<std::int64_t, std::size_t> occurrences;
  for (const StepFacts& step : truncated.steps) {
    const std::size_t occurrence = occurrences[step.number]++;
    const auto same = std::ranges::find_if(steps, [&](const JobStep& of) {
      return of.capture == truncated.capture && of.number == step.number && of.occurrence == occurrence;
    });
    places.push_back(static_cast<std::size_t>(same - steps.begin()));
    if (same != steps.end()) continue;
    JobStep added;
    added.capture = truncated.capture;
    added.number = step.number;
    added.occurrence = occurrence;
    added.status = StepStatus::Cut;
    added.total = step.duration;
    added.ranks = 1;
    steps.push_back(added);
  }
  return places;
}

std::vector<bool> cutSteps(const std::vector<StepFacts>& own, const std::vector<std::size_t>& places,
                           const DeviceEvents& typical) {
  std::vector<bool> cut(own.size());
  std::int64_t most = 0;
  for (const StepFacts& step : own) most = std::max(most, step.deviceEvents);
  bool onDevices = most > 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::int64_t others = places[i] < typical.size() ? typical[places[i]].value_or(most) : most;
    onDevices = onDevices || others > 0;
    // A rank may have less work than the others, as a stage of a pipeline: its own steps say so.
    cut[i] = others > 0 && (own[i].deviceEvents == 0 || lacksWork(own[i], std::min(others, most)));
  }
  if (!onDevices && !cut.empty()) cut.back() = true;
  return cut;
}

} // namespace

void addTruncatedSteps(std::span<const RankSteps> whole, std::span<const RankSteps> truncated, bool all,
                       KeptSteps& kept) {
  const DeviceEvents typical = typicalDeviceEvents(whole, kept);
  for (std::size_t rank = 0; rank < truncated.size(); ++rank) {
    if (truncated[rank].steps.empty()) continue;
    kept.stepOfRank[rank] = placesOf(truncated[rank], kept.steps);
    if (all) continue;
    kept.cutOfRank.resize(truncated.size());
    kept.cutOfRank[rank] = cutSteps(truncated[rank].steps, kept.stepOfRank[rank], typical);
  }
}

} // namespace rankscope
