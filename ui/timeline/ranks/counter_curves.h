// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of a rank, ready to be drawn: GPU utilization, launch queue depths, and the counters of the file.
// Computed on a worker when a rank is first shown, then kept; each pixel is a binary search. Requested curves
// are pending work. UI thread, except for the worker's part.
#pragma once

#include "core/index/minmax_pyramid.h"
#include "core/model/trace_set.h"
#include "ui/base/pending_work.h"

#include <QObject>

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace rankscope::ui {

// Values that each hold until the next one.
class LevelCurve {
 public:
  LevelCurve() = default;
  // times: ascending.
  LevelCurve(std::vector<TimeNs> times, std::vector<double> values);

  [[nodiscard]] bool empty() const { return m_times.empty(); }
  // Minimum and maximum within the range; nothing before the first value.
  [[nodiscard]] std::optional<MinMax<double>> over(TimeRange range) const;
  [[nodiscard]] double lowest() const { return m_all.min; }
  [[nodiscard]] double highest() const { return m_all.max; }
  // REQUIRES: !empty().
  [[nodiscard]] TimeNs lastChange() const { return m_times.back(); }

 private:
  std::vector<TimeNs> m_times;
  std::vector<double> m_values;
  MinMaxPyramid<double> m_pyramid;
  MinMax<double> m_all;
};

// Values whose mean over a time range is queried.
class MeanCurve {
 public:
  MeanCurve() = default;
  // times: ascending; the last value holds forever.
  MeanCurve(std::vector<TimeNs> times, std::vector<float> values);

  [[nodiscard]] bool empty() const { return m_times.empty(); }
  // 0 before the first time. REQUIRES: the range is not empty.
  [[nodiscard]] double meanOver(TimeRange range) const;

 private:
  [[nodiscard]] double integralTo(TimeNs t) const;

  std::vector<TimeNs> m_times;
  std::vector<float> m_values;
  std::vector<double> m_integral; // value x ns up to each time
};

struct RankCounters {
  MeanCurve smEfficiency; // 0 to 1, mean over the devices; empty if no kernel has blocks per SM
  std::unordered_map<std::uint32_t, LevelCurve> queues; // by the track of the stream
  std::vector<LevelCurve> file;                         // as RankTrace::counters

  // Null if the track has none.
  [[nodiscard]] const LevelCurve* queueOf(TrackIndex stream) const {
    const auto queue = queues.find(stream.value);
    return queue == queues.end() ? nullptr : &queue->second;
  }
};

[[nodiscard]] RankCounters countersOf(const RankTrace& trace);

class CounterCurves : public QObject {
  Q_OBJECT

 public:
  explicit CounterCurves(PendingWork& pending, QObject* parent = nullptr);
  ~CounterCurves() override;

  // Drops curves of all other ranks.
  void setTrace(std::shared_ptr<const TraceSet> trace);
  // Null until they are computed; the first call starts the work.
  [[nodiscard]] const RankCounters* of(RankIndex rank);

 signals:
  void changed();

 private:
  struct Entry;
  void take();
  [[nodiscard]] bool waits() const;

  PendingWork& m_pending;
  std::shared_ptr<const TraceSet> m_trace;
  std::unordered_map<std::shared_ptr<const RankTrace>, std::shared_ptr<Entry>> m_entries;
  PendingWork::Token m_waited; // while requested curves are missing
};

} // namespace rankscope::ui
