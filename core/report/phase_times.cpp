// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/phase_times.h"

#include "core/analysis/steps/device_phases.h"
#include "core/base/byte_pack.h"
#include "core/model/rank_digest.h"

#include <algorithm>
#include <tuple>

namespace rankscope {

namespace {

DevicePhases phasesOf(const Analysis& analysis, RankIndex rank) {
  return devicePhases(*analysis.trace().rank(rank).trace, analysis.trace().names(),
                      analysis.wholePhases(rank));
}

PhaseTimesOfStep timesWithin(const DevicePhases& device, TimeRange range) {
  PhaseTimesOfStep times{};
  for (std::size_t i = 0; i < kTrainingPhases.size(); ++i)
    times[i] = device.of(kTrainingPhases[i]).coveredWithin(range);
  times.back() = device.notAnnotated.coveredWithin(range);
  return times;
}

std::vector<PhaseTimesOfStep> ofEvents(const Analysis& analysis, RankIndex rank) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const std::vector<StepWindow>& steps = analysis.wholeStepWindows(rank).steps;
  std::vector<PhaseTimesOfStep> times(steps.size());
  if (trace.deviceBegin == trace.deviceEnd) return times;
  const DevicePhases device = phasesOf(analysis, rank);
  for (std::size_t step = 0; step < steps.size(); ++step)
    times[step] = timesWithin(device, steps[step].range);
  return times;
}

} // namespace

std::vector<PhaseTimesOfStep> devicePhaseTimes(const Analysis& analysis, RankIndex rank) {
  const RankDigest* const digest = digestOf(analysis.trace(), rank);
  if (digest == nullptr) return ofEvents(analysis, rank);
  std::vector<PhaseTimesOfStep> times(analysis.wholeStepWindows(rank).steps.size());
  std::vector<TimeNs> flat;
  const std::string bytes = digest->section(DigestSection::Phases);
  Unpacker unpacker(bytes);
  unpacker(flat);
  constexpr std::size_t kEach = std::tuple_size_v<PhaseTimesOfStep>;
  const auto isTime = [](TimeNs time) { return time >= 0 && time <= kAllTime.end; };
  if (!unpacker.ok() || !unpacker.atEnd() || flat.size() != times.size() * kEach ||
      !std::ranges::all_of(flat, isTime))
    return times;
  for (std::size_t i = 0; i < flat.size(); ++i) times[i / kEach][i % kEach] = flat[i];
  return times;
}

PhaseTimesOfStep devicePhaseTimes(const Analysis& analysis, RankIndex rank, TimeRange range) {
  return timesWithin(phasesOf(analysis, rank), range);
}

std::string packedPhaseTimes(const Analysis& analysis, RankIndex rank) {
  std::vector<TimeNs> flat;
  for (const PhaseTimesOfStep& step : ofEvents(analysis, rank))
    flat.insert(flat.end(), step.begin(), step.end());
  Packer packer;
  packer(flat);
  return packer.takeBytes();
}

} // namespace rankscope
