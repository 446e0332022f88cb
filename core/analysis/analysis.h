// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that is derived from one TraceSet, each result computed once, by whoever asks first, and kept.
// An Analysis of a grown TraceSet takes over the results of the ranks that are the same recording as before,
// also those that are only being computed. Any number of threads may ask; a result, once handed out, lives as
// long as the Analysis. Asking costs the computation the first time (a pass over the rank's events) and a
// load after that: off the UI's thread, call computeAll first.
#pragma once

#include "core/analysis/device_activity.h"
#include "core/analysis/kernel_statistics.h"
#include "core/analysis/rank_statistics.h"
#include "core/analysis/step_list.h"
#include "core/base/progress.h"
#include "core/model/trace_set.h"

#include <memory>
#include <vector>

namespace rankscope {

class Analysis {
 public:
  // trace is never null; previous may be: the analysis of an earlier state of the same job.
  explicit Analysis(std::shared_ptr<const TraceSet> trace, const Analysis* previous = nullptr);
  ~Analysis();
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  [[nodiscard]] const TraceSet& trace() const { return *m_trace; }
  [[nodiscard]] const std::shared_ptr<const TraceSet>& sharedTrace() const { return m_trace; }

  // Of one rank, REQUIRES: rank is one of trace().ranks().
  [[nodiscard]] const DeviceActivity& activity(RankIndex rank) const;
  [[nodiscard]] const std::vector<Step>& steps(RankIndex rank) const;
  [[nodiscard]] const RankStatistics& statistics(RankIndex rank) const;
  [[nodiscard]] const std::vector<KernelStatistics>& kernels(RankIndex rank) const;

  // Computes all of the above for every rank on up to threadCount threads; returns early when cancelled.
  void computeAll(unsigned threadCount, const Progress* progress = nullptr) const;

 private:
  struct RankResults;

  [[nodiscard]] const RankResults& results(RankIndex rank) const { return *m_results[rank.value]; }

  std::shared_ptr<const TraceSet> m_trace;
  std::vector<std::shared_ptr<const RankResults>> m_results; // by rank
};

} // namespace rankscope
