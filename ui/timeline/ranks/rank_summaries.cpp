// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/ranks/rank_summaries.h"

#include "core/analysis/activity/host_activity.h"
#include "core/base/exact_sum.h"
#include "core/base/parallel_for.h"
#include "core/model/rank_digest.h"
#include "ui/base/work_failures.h"
#include "ui/base/workers.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kPollMs = 100;

IntervalSet idleOf(const DeviceActivity& activity) {
  std::vector<TimeRange> gaps;
  activity.busy.forEachGap(activity.span, [&](TimeRange gap) {
    if (gap.length() >= kMinIdle) gaps.push_back(gap);
  });
  return IntervalSet(std::move(gaps));
}

void addHostActivity(const RankTrace& trace, RankSummary& summary) {
  std::vector<TimeRange> busy;
  for (const Track& track : trace.tracks) {
    if (!track.mainThread || track.kind != TrackKind::Thread || track.rowCount == 0) continue;
    const Row& outermost = trace.rows[track.firstRow.value];
    for (EventIndex event = outermost.firstEvent; event < outermost.endEvent; ++event.value)
      busy.push_back(trace.events.range(event));
  }
  summary.hostBusy = IntervalSet(std::move(busy));
}

// The device whose allocations were recorded most often; devices before the host.
std::pair<std::int32_t, std::int32_t> mainAllocator(std::span<const MemoryEvent> events) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> counts;
  for (const MemoryEvent& event : events) ++counts[{event.deviceType, event.device}];
  const auto rank = [](const auto& entry) { return std::pair(entry.first.first > 0, entry.second); };
  return std::ranges::max_element(counts, {}, rank)->first;
}

MemoryCurve memoryOf(const RankTrace& trace) {
  MemoryCurve curve;
  if (trace.memory.empty()) return curve;
  const auto allocator = mainAllocator(trace.memory);
  curve.onDevice = allocator.first > 0;
  ExactSum sum;
  std::int64_t lowest = 0;
  bool summed = false;
  for (const MemoryEvent& event : trace.memory) {
    if (std::pair(event.deviceType, event.device) != allocator) continue;
    sum += event.bytes;
    lowest = std::min<std::int64_t>(lowest, sum);
    summed = summed || event.totalAllocated < 0;
    curve.times.push_back(event.time);
    curve.allocated.push_back(event.totalAllocated >= 0 ? ExactSum(event.totalAllocated) : sum);
    curve.reserved.push_back(std::max<std::int64_t>(event.totalReserved, 0));
  }
  // Without recorded totals only changes are known: memory allocated before the recording began is estimated
  // from the lowest point.
  if (summed)
    for (std::int64_t& bytes : curve.allocated) bytes -= lowest;
  curve.pyramid = MinMaxPyramid<std::int64_t>(curve.allocated);
  curve.peak = std::ranges::max(curve.allocated);
  // The host has no pool, whatever single records say, and some writers record 0 throughout.
  curve.peakReserved = curve.onDevice ? std::ranges::max(curve.reserved) : 0;
  if (curve.peakReserved == 0) curve.reserved.clear();
  curve.reservedPyramid = MinMaxPyramid<std::int64_t>(curve.reserved);
  return curve;
}

} // namespace

DeviceActivity activityOnHost(const Analysis& analysis, RankIndex rank) {
  DeviceActivity activity;
  activity.exposed = analysis.exposedCommunication(rank);
  if (digestOf(analysis.trace(), rank) != nullptr) {
    activity.communication = activity.exposed;
    return activity;
  }
  HostActivity host = hostActivity(*analysis.trace().rank(rank).trace, analysis.trace().names(),
                                   analysis.wholeStepWindows(rank));
  activity.compute = std::move(host.compute);
  activity.communication = std::move(host.collectives);
  activity.overlap = intersectionOf(activity.communication, activity.compute);
  return activity;
}

RankSummary summaryOf(const RankTrace& trace, const DeviceActivity& activity) {
  RankSummary summary;
  summary.idle = idleOf(activity);
  if (activity.busy.empty()) addHostActivity(trace, summary);
  summary.memory = memoryOf(trace);
  return summary;
}

namespace {

MemoryCurve memoryOf(const MemoryProfile& profile) {
  MemoryCurve curve;
  const auto most = std::ranges::max_element(profile.devices, {}, [](const DeviceMemory& device) {
    return std::pair(!device.device.onHost, device.levels.size());
  });
  if (most == profile.devices.end() || most->levels.empty()) return curve;
  curve.onDevice = !most->device.onHost;
  std::int64_t lowest = 0;
  for (const MemoryLevel& level : most->levels) lowest = std::min(lowest, level.allocated);
  curve.times.reserve(most->levels.size());
  curve.allocated.reserve(most->levels.size());
  curve.reserved.reserve(most->levels.size());
  for (const MemoryLevel& level : most->levels) {
    curve.times.push_back(level.time);
    curve.allocated.push_back(most->allocatedIsSum ? level.allocated - lowest : level.allocated);
    if (most->reservedIsKnown) curve.reserved.push_back(std::max<std::int64_t>(level.reserved, 0));
  }
  curve.pyramid = MinMaxPyramid<std::int64_t>(curve.allocated);
  curve.peak = std::ranges::max(curve.allocated);
  curve.reservedPyramid = MinMaxPyramid<std::int64_t>(curve.reserved);
  if (!curve.reserved.empty()) curve.peakReserved = std::ranges::max(curve.reserved);
  return curve;
}

} // namespace

RankSummary summaryOfDigest(const Analysis& analysis, RankIndex rank) {
  RankSummary summary;
  const DeviceActivity& activity = analysis.activity(rank);
  summary.idle = idleOf(activity);
  summary.memory = memoryOf(analysis.memory(rank));
  return summary;
}

// Shared with the worker, which may continue for up to one rank after a cancellation.
struct RankSummaries::Work {
  std::shared_ptr<const Analysis> analysis;
  std::vector<RankIndex> ranks;
  std::atomic<bool> cancel{false};
  std::mutex mutex;
  // Guarded by mutex.
  std::vector<std::pair<std::shared_ptr<const RankTrace>, std::shared_ptr<const RankSummary>>> ready;
  std::shared_ptr<const RankBands> bands;

  void run() {
    parallelFor(ranks.size(), defaultThreadCount(), [&](std::size_t i) {
      if (cancel) return;
      const std::shared_ptr<const RankTrace>& trace = analysis->trace().rank(ranks[i]).trace;
      static_cast<void>(analysis->steps(ranks[i]));
      static_cast<void>(analysis->wholeStepWindows(ranks[i]));
      static_cast<void>(analysis->wholePhases(ranks[i]));
      RankSummary made = digestOf(analysis->trace(), ranks[i]) != nullptr
                             ? summaryOfDigest(*analysis, ranks[i])
                             : summaryOf(*trace, analysis->activity(ranks[i]));
      if (analysis->activity(ranks[i]).busy.empty()) made.onHost = activityOnHost(*analysis, ranks[i]);
      auto summary = std::make_shared<const RankSummary>(std::move(made));
      const std::lock_guard lock(mutex);
      ready.emplace_back(trace, std::move(summary));
    });
    if (cancel || !hasBands(analysis->trace())) return;
    auto made = std::make_shared<const RankBands>(rankBands(*analysis, defaultThreadCount()));
    const std::lock_guard lock(mutex);
    bands = std::move(made);
  }
};

RankSummaries::RankSummaries(PendingWork& pending, QObject* parent)
    : QObject(parent), m_pending(pending), m_counters(new CounterCurves(pending, this)) {
  m_timer.setInterval(kPollMs);
  connect(m_counters, &CounterCurves::changed, this, &RankSummaries::changed);
  connect(&m_timer, &QTimer::timeout, this, &RankSummaries::collect);
}

RankSummaries::~RankSummaries() {
  if (m_work) m_work->cancel = true;
}

void RankSummaries::setAnalysis(std::shared_ptr<const Analysis> analysis) {
  if (m_work) m_work->cancel = true;
  collect();
  end();
  m_analysis = std::move(analysis);
  m_counters->setTrace(m_analysis ? m_analysis->sharedTrace() : nullptr);

  decltype(m_ready) stillShown;
  auto work = std::make_shared<Work>();
  const std::size_t rankCount = m_analysis ? m_analysis->trace().ranks().size() : 0;
  for (std::size_t i = 0; i < rankCount; ++i) {
    const auto known = m_ready.find(m_analysis->trace().rank(RankIndex(i)).trace);
    if (known != m_ready.end())
      stillShown.insert(*known);
    else
      work->ranks.emplace_back(i);
  }
  m_ready = std::move(stillShown);
  const bool bands = m_analysis && hasBands(m_analysis->trace());
  if (!bands) m_bands.reset();
  if (work->ranks.empty() && (m_bands || !bands)) return;
  work->analysis = m_analysis;
  PendingWork::Token running = m_pending.begin();
  // Emitted also if some ranks are missing because of an exception.
  runOnWorker(
      this, [work] { work->run(); },
      [this, work](const std::optional<Error>& thrown) {
        if (thrown) reportFailure(*thrown);
        if (m_work != work) return; // canceled
        collect();
        end();
      });
  m_work = std::move(work);
  m_running = std::move(running);
  m_timer.start();
}

void RankSummaries::collect() {
  if (!m_work) return;
  decltype(Work::ready) ready;
  std::shared_ptr<const RankBands> bands;
  {
    const std::lock_guard lock(m_work->mutex);
    ready.swap(m_work->ready);
    bands.swap(m_work->bands);
  }
  if (ready.empty() && !bands) return;
  if (bands) m_bands = std::move(bands);
  for (auto& [trace, summary] : ready) m_ready[trace] = std::move(summary);
  emit changed();
}

void RankSummaries::end() {
  m_timer.stop();
  m_work.reset();
  m_running.release();
}

const RankSummary* RankSummaries::of(RankIndex rank) const {
  if (!m_analysis || !rank.valid() || rank.value >= m_analysis->trace().ranks().size()) return nullptr;
  const auto known = m_ready.find(m_analysis->trace().rank(rank).trace);
  return known == m_ready.end() ? nullptr : known->second.get();
}

const DeviceActivity* RankSummaries::activityOf(RankIndex rank) const {
  return of(rank) ? &m_analysis->activity(rank) : nullptr;
}

const DeviceActivity* RankSummaries::communicatingOf(RankIndex rank) const {
  const DeviceActivity* const onDevice = activityOf(rank);
  return onDevice != nullptr && onDevice->busy.empty() ? &of(rank)->onHost : onDevice;
}

const std::vector<Step>* RankSummaries::stepsOf(RankIndex rank) const {
  return of(rank) ? &m_analysis->steps(rank) : nullptr;
}

const StepWindows* RankSummaries::stepWindowsOf(RankIndex rank) const {
  return of(rank) ? &m_analysis->wholeStepWindows(rank) : nullptr;
}

bool RankSummaries::hasSteps(RankIndex rank) const {
  return of(rank) && (!stepsOf(rank)->empty() || stepWindowsOf(rank)->areSteps());
}

const HostPhases* RankSummaries::phasesOf(RankIndex rank) const {
  return of(rank) ? &m_analysis->wholePhases(rank) : nullptr;
}

} // namespace rankscope::ui
