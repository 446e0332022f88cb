// SPDX-License-Identifier: GPL-3.0-or-later
// What the timeline shows of a rank beyond its events: idle time, allocated memory over time, host activity
// if there is no device. Computed on a worker together with the session's analysis of the rank, so that
// drawing never computes; finished ranks are available while others arrive. Unfinished ones are pending work.
// UI thread, except for the worker's part.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/index/interval_set.h"
#include "core/index/minmax_pyramid.h"
#include "ui/base/pending_work.h"
#include "ui/timeline/ranks/counter_curves.h"
#include "ui/timeline/ranks/rank_bands.h"

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
  // The same sets of the host of a rank without device activity: operators of its training threads, and its
  // collectives. Empty when there is device activity.
  DeviceActivity onHost;
  MemoryCurve memory; // of the device with the most events, else of the host
};

// Gaps shorter than a launch takes do not count as idle time.
inline constexpr TimeNs kMinIdle = 30'000;

[[nodiscard]] RankSummary summaryOf(const RankTrace& trace, const DeviceActivity& activity);

// The sets of the host; exposed: its communication beside no operator of a training thread. Of a digest the
// communication is only what is exposed. REQUIRES: the rank has no device activity.
[[nodiscard]] DeviceActivity activityOnHost(const Analysis& analysis, RankIndex rank);

// The same of a rank whose events lie elsewhere, from its digest.
[[nodiscard]] RankSummary summaryOfDigest(const Analysis& analysis, RankIndex rank);

class RankSummaries : public QObject {
  Q_OBJECT

 public:
  explicit RankSummaries(PendingWork& pending, QObject* parent = nullptr);
  ~RankSummaries() override;

  // Starts computing the missing ranks; cancels work for an earlier analysis.
  void setAnalysis(std::shared_ptr<const Analysis> analysis);

  // Null until the rank is ready; from then on its activity and steps are ready too.
  [[nodiscard]] const RankSummary* of(RankIndex rank) const;
  // Null until the rank is ready.
  [[nodiscard]] const DeviceActivity* activityOf(RankIndex rank) const;
  // Where the rank communicates: on its devices, or on its host if it has none. Null until it is ready.
  [[nodiscard]] const DeviceActivity* communicatingOf(RankIndex rank) const;
  [[nodiscard]] const std::vector<Step>* stepsOf(RankIndex rank) const;
  // Ranges of the steps, including those that were not marked; null until the rank is ready.
  [[nodiscard]] const StepWindows* stepWindowsOf(RankIndex rank) const;
  // Whether the rank is ready and has steps, marked or detected.
  [[nodiscard]] bool hasSteps(RankIndex rank) const;
  [[nodiscard]] const HostPhases* phasesOf(RankIndex rank) const;
  // Null until they are computed, which the first call starts as pending work.
  [[nodiscard]] const RankCounters* countersOf(RankIndex rank) const { return m_counters->of(rank); }
  // Null for a job with few ranks, and until all ranks are ready.
  [[nodiscard]] const RankBands* bands() const { return m_bands.get(); }

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
  std::shared_ptr<const RankBands> m_bands;
  QTimer m_timer;
  CounterCurves* m_counters; // a child
};

} // namespace rankscope::ui
