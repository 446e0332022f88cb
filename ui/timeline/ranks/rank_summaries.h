// SPDX-License-Identifier: GPL-3.0-or-later
// What the timeline shows of a rank beyond its events: idle time worth showing, allocated memory over time,
// host activity where there is no device. Worked out on a worker, together with the session's analysis of the
// same ranks, so that drawing never computes; a rank that is ready stays ready while others arrive. What is
// to come is pending work. UI thread, but for the worker's own part.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/index/interval_set.h"
#include "core/index/minmax_pyramid.h"
#include "ui/base/pending_work.h"
#include "ui/timeline/ranks/counter_curves.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <unordered_map>
#include <vector>

namespace rankscope::ui {

struct MemoryCurve {
  bool onDevice = false;
  std::vector<TimeNs> times; // ascending
  std::vector<std::int64_t> allocated;
  MinMaxPyramid<std::int64_t> pyramid; // of allocated
  std::int64_t peak = 0;
  std::vector<std::int64_t> reserved; // at the same times; empty when not recorded
  MinMaxPyramid<std::int64_t> reservedPyramid;
  std::int64_t peakReserved = 0;
};

struct RankSummary {
  IntervalSet idle;     // no device at work, within the rank's device span, gaps of at least kMinIdle
  IntervalSet hostBusy; // outermost operators of the main thread; empty when there is device activity
  IntervalSet hostCommunication; // collectives on the host; empty when there is device activity
  MemoryCurve memory;            // of the device with the most events, else of the host
};

// Gaps shorter than a launch takes do not count as idle time.
inline constexpr TimeNs kMinIdle = 30'000;

[[nodiscard]] RankSummary summaryOf(const RankTrace& trace, const DeviceActivity& activity);

class RankSummaries : public QObject {
  Q_OBJECT

 public:
  explicit RankSummaries(PendingWork& pending, QObject* parent = nullptr);
  ~RankSummaries() override;

  // Starts on the ranks that are not ready yet; what runs for an earlier analysis is given up.
  void setAnalysis(std::shared_ptr<const Analysis> analysis);

  // Null until the rank is ready; then the analysis's activity and steps of it are ready too.
  [[nodiscard]] const RankSummary* of(RankIndex rank) const;
  // Of a rank that is ready, else null.
  [[nodiscard]] const DeviceActivity* activityOf(RankIndex rank) const;
  [[nodiscard]] const std::vector<Step>* stepsOf(RankIndex rank) const;
  // Where the steps lie, also those that were not marked; null until the rank is ready.
  [[nodiscard]] const StepWindows* stepWindowsOf(RankIndex rank) const;
  [[nodiscard]] const HostPhases* phasesOf(RankIndex rank) const;
  // Null until they are worked out, which asking starts; that too is pending work.
  [[nodiscard]] const RankCounters* countersOf(RankIndex rank) const { return m_counters->of(rank); }

 signals:
  // More ranks are ready; at most ten times a second, and when all are.
  void changed();

 private:
  struct Work;

  void collect();
  void end();

  PendingWork& m_pending;
  std::shared_ptr<const Analysis> m_analysis;
  std::shared_ptr<Work> m_work;
  PendingWork::Token m_running; // while there is work
  // By the recording, which stays the same while others arrive and lives as long as what is known of it.
  std::unordered_map<std::shared_ptr<const RankTrace>, std::shared_ptr<const RankSummary>> m_ready;
  QTimer m_timer;
  CounterCurves* m_counters; // a child
};

} // namespace rankscope::ui
