// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/kernel_pace.h"

#include "core/analysis/operators/operator_shapes.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

constexpr TimeNs kMinKernel = 50'000;
constexpr std::size_t kMinCalls = 20;
constexpr std::size_t kMaxOperators = 64; // of a kind

template <class Visit> void forEachTimedKernel(const Analysis& analysis, RankIndex rank, Visit&& visit) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const IntervalSet& communication = analysis.wholeActivity(rank).communication;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    if (trace.events.duration[event] < kMinKernel || trace.events.kind[event] != EventKind::Kernel) continue;
    const KernelKind kind = kernelKind(trace, event);
    if (kind.known() && communication.coveredWithin(trace.events.range(event)) == 0) visit(kind, event);
  }
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 31);
}

std::uint64_t hashOf(const std::vector<TensorShape>& shapes) {
  std::uint64_t hash = mixed(1, shapes.size());
  for (const TensorShape& shape : shapes) {
    hash = mixed(hash, shape.size());
    for (const std::int64_t dimension : shape) hash = mixed(hash, static_cast<std::uint64_t>(dimension));
  }
  return hash;
}

// The step in the middle of the recording; all of it without steps.
TimeRange middleStep(const Analysis& analysis, RankIndex rank) {
  const StepWindows& windows = analysis.wholeStepWindows(rank);
  return windows.areSteps() && !windows.steps.empty() ? windows.steps[windows.steps.size() / 2].range
                                                      : kAllTime;
}

} // namespace

std::vector<KernelPace> kernelPaces(const Analysis& analysis, RankIndex rank) {
  std::unordered_map<KernelKind, std::vector<TimeNs>> times;
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  forEachTimedKernel(analysis, rank, [&](const KernelKind& kind, EventIndex event) {
    times[kind].push_back(trace.events.duration[event]);
  });
  std::vector<KernelPace> paces;
  for (auto& [kind, of] : times) {
    if (of.size() < kMinCalls) continue;
    KernelPace pace;
    pace.kind = kind;
    pace.calls = static_cast<std::int64_t>(of.size());
    for (std::size_t i = 0; i < kPacePercents.size(); ++i)
      pace.durations[i] =
          kPacePercents[i] == 50 ? median(of) : static_cast<double>(percentile(of, kPacePercents[i]));
    paces.push_back(pace);
  }
  // By text, as names are numbered otherwise when a rank is read alone.
  const StringTable& names = analysis.trace().names();
  std::ranges::sort(paces, {}, [&](const KernelPace& of) {
    return std::tuple(names[of.kind.name], of.kind.blocks, of.kind.occupancy);
  });
  return paces;
}

void readPaceShapes(const Analysis& analysis, RankIndex rank, std::vector<KernelPace>& paces) {
  if (paces.empty()) return;
  std::unordered_map<KernelKind, std::vector<EventIndex>> operators;
  for (const KernelPace& pace : paces) operators[pace.kind];
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const OperatorTree& tree = analysis.operatorTree(rank);
  const TimeRange step = middleStep(analysis, rank);
  std::vector<EventIndex> all;
  forEachTimedKernel(analysis, rank, [&](const KernelKind& kind, EventIndex event) {
    const auto of = operators.find(kind);
    if (of == operators.end() || of->second.size() >= kMaxOperators ||
        !step.contains(trace.events.begin[event]))
      return;
    const EventIndex owner = tree.owners[event.value - trace.deviceBegin.value];
    if (!owner.valid()) return;
    of->second.push_back(owner);
    all.push_back(owner);
  });
  const OperatorShapes shapes(analysis.trace().rank(rank), std::move(all));
  for (KernelPace& pace : paces) {
    std::vector<std::uint64_t> hashes;
    for (const EventIndex owner : operators[pace.kind])
      if (const auto* const of = shapes.of(owner)) hashes.push_back(hashOf(*of));
    // In the order of sizes, not of calls: schedules differ.
    std::ranges::sort(hashes);
    pace.shapes = hashes.empty() ? 0 : mixed(2, hashes.size());
    for (const std::uint64_t hash : hashes) pace.shapes = mixed(pace.shapes, hash);
  }
}

} // namespace rankscope
