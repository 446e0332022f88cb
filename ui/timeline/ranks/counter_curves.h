// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of a rank, ready to be drawn: how well the GPU was used, how many launches each stream has in
// store, and what counters the file itself has. Made on a worker for a rank when it is first needed to show
// it, and kept; every pixel of a counter is then a binary search. What was asked for and is to come is
// pending work. UI thread, but for the worker's own part.
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

// A value that holds from its time on to the next.
class LevelCurve {
 public:
  LevelCurve() = default;
  // times ascend.
  LevelCurve(std::vector<TimeNs> times, std::vector<double> values);

  [[nodiscard]] bool empty() const { return m_times.empty(); }
  // The smallest and the largest value that hold anywhere in the range; nothing before the first.
  [[nodiscard]] std::optional<MinMax<double>> over(TimeRange range) const;
  [[nodiscard]] double lowest() const { return m_all.min; }
  [[nodiscard]] double highest() const { return m_all.max; }

 private:
  std::vector<TimeNs> m_times;
  std::vector<double> m_values;
  MinMaxPyramid<double> m_pyramid;
  MinMax<double> m_all;
};

// A value that is asked for its mean over time.
class MeanCurve {
 public:
  MeanCurve() = default;
  // times ascend; the last value holds forever.
  MeanCurve(std::vector<TimeNs> times, std::vector<float> values);

  [[nodiscard]] bool empty() const { return m_times.empty(); }
  // 0 before the first time. REQUIRES: the range is not empty.
  [[nodiscard]] double meanOver(TimeRange range) const;

 private:
  [[nodiscard]] double integralTo(TimeNs t) const;

  std::vector<TimeNs> m_times;
  std::vector<float> m_values;
  std::vector<double> m_integral; // up to each time, value x ns
};

struct RankCounters {
  MeanCurve smEfficiency; // 0 to 1, mean over the devices; empty when no kernel records blocks per SM
  std::unordered_map<std::uint32_t, LevelCurve> queues; // by the track of the stream
  std::vector<LevelCurve> file;                         // as RankTrace::counters

  // Null for a track without one.
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

  // Forgets what is not of these ranks.
  void setTrace(std::shared_ptr<const TraceSet> trace);
  // Null until they are there; asking starts the work.
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
  PendingWork::Token m_waited; // while any of them is to come
};

} // namespace rankscope::ui
