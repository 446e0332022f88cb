// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/dimension_times.h"

#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/job/scope.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace rankscope {

namespace {

constexpr std::array kOrder{RankDimension::Pipeline,   RankDimension::Tensor, RankDimension::ExpertTensor,
                            RankDimension::Context,    RankDimension::Expert, RankDimension::Sharded,
                            RankDimension::ExpertData, RankDimension::Data,   RankDimension::Embedding,
                            RankDimension::Model,      RankDimension::World,  RankDimension::Unknown};

std::int64_t groupSizeOf(const Analysis& analysis, RankIndex rank, std::size_t call) {
  const CollectiveMatch& match = analysis.collectives().match;
  const InstanceIndex instance = match.instanceOfCall[rank.value][call];
  return instance.valid() ? match.group(match.instance(instance)).size : -1;
}

// Of the calls of a dimension; waits and transfers of those whose other ranks were recorded.
struct Ranges {
  std::vector<TimeRange> all, waits, transfers;
};

// Whether a window begins within a step and ends before the next one begins.
bool isInside(TimeRange window, const std::vector<StepWindow>& steps, std::size_t step) {
  const TimeRange range = steps[step].range;
  if (window.begin <= range.begin || window.begin >= range.end) return false;
  return step + 1 == steps.size() || steps[step + 1].range.begin >= window.end;
}

} // namespace

std::span<const RankDimension> exposureOrder() {
  return kOrder;
}

std::optional<CallParts> callParts(const Analysis& analysis, RankIndex rank, std::size_t call) {
  const CollectiveMatch& match = analysis.collectives().match;
  const InstanceIndex index = match.instanceOfCall[rank.value][call];
  if (!index.valid() || !match.instance(index).matched()) return std::nullopt;
  for (const Participant& part : match.of(match.instance(index))) {
    if (part.rank == rank && part.call == call) return CallParts{part.wait, part.transfer};
  }
  return std::nullopt;
}

IntervalSet wholeExposedCommunication(const Analysis& analysis, RankIndex rank) {
  if (analysis.window(rank) == kWholeRecording) return analysis.exposedCommunication(rank);
  return Analysis(analysis, wholeScope(analysis)).exposedCommunication(rank);
}

std::size_t stepOfTime(const StepWindows& steps, TimeNs time) {
  return steps.indexAt(time).value_or(steps.steps.size());
}

bool isInScope(const Analysis& analysis, RankIndex rank, std::size_t step) {
  const std::vector<StepWindow>& steps = analysis.wholeStepWindows(rank).steps;
  if (step >= steps.size()) return false;
  const TimeRange window = analysis.window(rank).ns();
  return window.contains(steps[step].range.begin) || isInside(window, steps, step);
}

TimeRange scopedRange(const Analysis& analysis, RankIndex rank, std::size_t step) {
  const std::vector<StepWindow>& steps = analysis.wholeStepWindows(rank).steps;
  const TimeRange window = analysis.window(rank).ns();
  if (!isInside(window, steps, step)) return steps[step].range;
  return {window.begin, std::min(window.end, steps[step].range.end)};
}

bool isKeptInScope(const Analysis& analysis, RankIndex rank, std::size_t step) {
  if (!isInScope(analysis, rank, step)) return false;
  const KeptSteps& kept = analysis.keptSteps();
  if (rank.value >= kept.stepOfRank.size() || step >= kept.stepOfRank[rank.value].size()) return true;
  return kept.status(rank.value, step) == StepStatus::Kept || kept.keptCount() == 0;
}

template <class Archive, Described<DimensionTime> T> void describe(Archive& archive, T& of) {
  auto& [step, dimension, calls, bytes, bytesKnown, total, exposed, partsKnown, wait, transfer, exposedWait,
         exposedTransfer, sharePct] = of;
  archive(step, dimension, calls, bytes, bytesKnown, total, exposed, partsKnown, wait, transfer, exposedWait,
          exposedTransfer, sharePct);
}

namespace {

std::vector<DimensionTime> timesOfCalls(const Analysis& analysis, RankIndex rank,
                                        const std::vector<RankDimension>& dimensions) {
  const StepWindows& steps = analysis.wholeStepWindows(rank);
  const std::vector<CollectiveCall>& calls = analysis.collectiveCalls(rank);
  const StringTable& names = analysis.trace().names();
  std::map<RankDimension, Ranges> ranges;
  std::map<std::pair<std::size_t, RankDimension>, DimensionTime> times;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const CollectiveCall& call = calls[i];
    const std::optional<CallParts> parts = callParts(analysis, rank, i);
    Ranges& of = ranges[dimensions[i]];
    of.all.push_back(call.range.ns());
    if (parts) {
      const TimeNs begin = call.range.begin.ns();
      of.waits.push_back({begin, begin + parts->wait});
      of.transfers.push_back({begin + parts->wait, call.range.end.ns()});
    }
    const std::size_t step = stepOfTime(steps, call.range.begin.ns());
    if (!isInScope(analysis, rank, step)) continue;
    if (!scopedRange(analysis, rank, step).contains(call.range.begin.ns())) continue;
    DimensionTime& time = times[{step, dimensions[i]}];
    ++time.calls;
    if (parts) {
      time.partsKnown = true;
      time.wait += parts->wait;
      time.transfer += parts->transfer;
    }
    if (const auto bytes = bytesOfCall(call, groupSizeOf(analysis, rank, i), names)) {
      time.bytes += *bytes;
      time.bytesKnown = true;
    }
  }
  const IntervalSet exposed = wholeExposedCommunication(analysis, rank);
  IntervalSet before;
  std::vector<DimensionTime> result;
  for (const RankDimension dimension : kOrder) {
    const auto of = ranges.find(dimension);
    if (of == ranges.end()) continue;
    const IntervalSet busy(std::move(of->second.all));
    const IntervalSet alone = differenceOf(intersectionOf(busy, exposed), before);
    // Where calls overlap, a transfer is no wait.
    const IntervalSet transfers(std::move(of->second.transfers));
    const IntervalSet waits = differenceOf(IntervalSet(std::move(of->second.waits)), transfers);
    const IntervalSet aloneTransfers = intersectionOf(alone, transfers);
    const IntervalSet aloneWaits = intersectionOf(alone, waits);
    before = unionOf(before, busy);
    for (std::size_t step = 0; step < steps.steps.size(); ++step) {
      if (!isInScope(analysis, rank, step)) continue;
      const TimeRange window = scopedRange(analysis, rank, step);
      DimensionTime time = times[{step, dimension}];
      time.step = step;
      time.dimension = dimension;
      time.total = busy.coveredWithin(window);
      time.exposed = alone.coveredWithin(window);
      time.exposedWait = aloneWaits.coveredWithin(window);
      time.exposedTransfer = aloneTransfers.coveredWithin(window);
      if (time.calls == 0 && time.total == 0) continue;
      if (window.length() > 0)
        time.sharePct = 100 * static_cast<double>(time.exposed) / static_cast<double>(window.length());
      result.push_back(time);
    }
  }
  std::ranges::stable_sort(result, {}, &DimensionTime::step);
  return result;
}

} // namespace

std::vector<DimensionTime> dimensionTimes(const Analysis& analysis, RankIndex rank,
                                          const std::vector<RankDimension>& dimensions) {
  return rankAnswer<std::vector<DimensionTime>>(
      analysis.trace(), rank, "times by dimension", [&] { return timesOfCalls(analysis, rank, dimensions); },
      [&](const std::vector<DimensionTime>& times) {
        const std::size_t steps = analysis.wholeStepWindows(rank).steps.size();
        return std::ranges::all_of(times, [&](const DimensionTime& of) { return of.step < steps; });
      });
}

} // namespace rankscope
