// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/ranks/counter_curves.h"

#include "core/analysis/activity/launch_statistics.h"
#include "ui/base/work_failures.h"
#include "ui/base/workers.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace rankscope::ui {
namespace {

// Integral over time of min(blocks per SM of the running kernels, 1): the definition of SM efficiency.
MeanCurve smEfficiencyOf(const RankTrace& trace) {
  struct Edge {
    TimeNs time;
    float change;
    int device;
  };
  std::vector<Edge> edges;
  std::map<int, std::pair<double, int>> running; // by device: sum, number of kernels
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    const EventKind kind = trace.events.kind[event];
    if (kind != EventKind::Kernel && kind != EventKind::Collective) continue;
    const DeviceDetail& detail = trace.deviceDetail(event);
    running.try_emplace(detail.device);
    const TimeRange range = trace.events.range(event);
    if (detail.blocksPerSm < 0 || range.empty()) continue;
    edges.push_back({range.begin, detail.blocksPerSm, detail.device});
    edges.push_back({range.end, -detail.blocksPerSm, detail.device});
  }
  if (edges.empty()) return {};
  std::ranges::sort(edges, {}, [](const Edge& edge) { return std::pair(edge.time, edge.change); });
  std::vector<TimeNs> times;
  std::vector<float> values;
  double total = 0;
  for (const Edge& edge : edges) {
    auto& [sum, kernels] = running[edge.device];
    total -= std::min(sum, 1.0);
    // Resets the rounding errors of many additions.
    kernels += std::signbit(edge.change) ? -1 : 1;
    sum = kernels == 0 ? 0 : std::max(0.0, sum + static_cast<double>(edge.change));
    total += std::min(sum, 1.0);
    if (times.empty() || times.back() != edge.time) {
      times.push_back(edge.time);
      values.push_back(0);
    }
    values.back() = static_cast<float>(std::max(0.0, total) / static_cast<double>(running.size()));
  }
  return MeanCurve(std::move(times), std::move(values));
}

LevelCurve queueOf(const RankTrace& trace, TrackIndex stream) {
  std::vector<TimeNs> times;
  std::vector<double> values;
  for (const QueueLevel& level : queueLevels(trace, stream)) {
    times.push_back(level.time);
    values.push_back(static_cast<double>(level.depth));
  }
  return LevelCurve(std::move(times), std::move(values));
}

} // namespace

LevelCurve::LevelCurve(std::vector<TimeNs> times, std::vector<double> values)
    : m_times(std::move(times)), m_values(std::move(values)), m_pyramid(std::span<const double>(m_values)) {
  if (!m_values.empty()) m_all = m_pyramid.over(m_values, 0, m_values.size());
}

std::optional<MinMax<double>> LevelCurve::over(TimeRange range) const {
  const auto indexAt = [&](TimeNs t) {
    return static_cast<std::size_t>(std::ranges::lower_bound(m_times, t) - m_times.begin());
  };
  std::size_t first = indexAt(range.begin);
  const std::size_t last = indexAt(std::max(range.end, range.begin + 1));
  // The value at the begin of the range, unless another one begins at exactly that time.
  if (first > 0 && (first == m_times.size() || m_times[first] != range.begin)) --first;
  if (first >= last) return std::nullopt;
  return m_pyramid.over(m_values, first, last);
}

MeanCurve::MeanCurve(std::vector<TimeNs> times, std::vector<float> values)
    : m_times(std::move(times)), m_values(std::move(values)), m_integral(m_times.size(), 0) {
  for (std::size_t i = 1; i < m_times.size(); ++i)
    m_integral[i] = m_integral[i - 1] +
                    static_cast<double>(m_values[i - 1]) * static_cast<double>(m_times[i] - m_times[i - 1]);
}

double MeanCurve::integralTo(TimeNs t) const {
  const auto after = std::ranges::upper_bound(m_times, t);
  if (after == m_times.begin()) return 0;
  const auto i = static_cast<std::size_t>(after - m_times.begin()) - 1;
  return m_integral[i] + static_cast<double>(m_values[i]) * static_cast<double>(t - m_times[i]);
}

double MeanCurve::meanOver(TimeRange range) const {
  return (integralTo(range.end) - integralTo(range.begin)) / static_cast<double>(range.length());
}

RankCounters countersOf(const RankTrace& trace) {
  RankCounters counters;
  counters.smEfficiency = smEfficiencyOf(trace);
  if (!trace.byLaunch.empty()) {
    for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
      if (trace.tracks[i].kind == TrackKind::Stream)
        counters.queues.emplace(static_cast<std::uint32_t>(i), queueOf(trace, TrackIndex(i)));
    }
  }
  for (const CounterSeries& series : trace.counters) counters.file.emplace_back(series.times, series.values);
  return counters;
}

// Shared with the worker.
struct CounterCurves::Entry {
  std::shared_ptr<const RankTrace> trace;
  RankCounters counters; // written by the worker until it is done; empty after an exception
  std::atomic<bool> done{false};
  bool ready = false;

  void work() {
    const SetAtEnd end(done);
    counters = countersOf(*trace);
  }
};

CounterCurves::CounterCurves(PendingWork& pending, QObject* parent) : QObject(parent), m_pending(pending) {}
CounterCurves::~CounterCurves() = default;

void CounterCurves::setTrace(std::shared_ptr<const TraceSet> trace) {
  m_trace = std::move(trace);
  decltype(m_entries) kept;
  if (m_trace) {
    for (const RankEntry& rank : m_trace->ranks())
      if (const auto known = m_entries.find(rank.trace); known != m_entries.end()) kept.insert(*known);
  }
  m_entries = std::move(kept);
  if (!waits()) m_waited.release();
}

const RankCounters* CounterCurves::of(RankIndex rank) {
  if (!m_trace || !rank.valid() || rank.value >= m_trace->ranks().size()) return nullptr;
  const std::shared_ptr<const RankTrace>& trace = m_trace->rank(rank).trace;
  auto& entry = m_entries[trace];
  if (!entry) {
    auto begun = std::make_shared<Entry>();
    begun->trace = trace;
    PendingWork::Token waited = m_waited ? PendingWork::Token() : m_pending.begin();
    runOnWorker(
        this, [begun] { begun->work(); },
        [this](const std::optional<Error>& thrown) {
          if (thrown) reportFailure(*thrown);
          take();
        });
    if (waited) m_waited = std::move(waited);
    entry = std::move(begun);
  }
  return entry->ready ? &entry->counters : nullptr;
}

void CounterCurves::take() {
  bool fresh = false;
  for (auto& [trace, entry] : m_entries) {
    if (!entry || entry->ready || !entry->done) continue;
    entry->ready = fresh = true;
  }
  if (fresh) emit changed();
  if (!waits()) m_waited.release();
}

bool CounterCurves::waits() const {
  return std::ranges::any_of(m_entries, [](const auto& of) { return of.second && !of.second->ready; });
}

} // namespace rankscope::ui
