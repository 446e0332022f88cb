// SPDX-License-Identifier: GPL-3.0-or-later
// How long steps would take if something were different: the recording replayed with other durations and
// waits, over all ranks, given the same schedule. An answer is a bound for that schedule, with the error of
// an unedited replay beside it; where that is too large, or what is needed was not recorded, the answer is
// refused with a reason. Made once for a job; constant; any thread may ask. The graph takes O(events), an
// answer O(edges).
#pragma once

#include "core/analysis/graph/critical_path.h"
#include "core/analysis/graph/scenario_edits.h"
#include "core/base/lazy.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

// How an unedited replay without residuals differs from the recording.
struct ReplayError {
  double errorPct = 0;       // of the windows, 0 or less
  TimeNs kernelBeginP50 = 0; // distance of begins on devices, within their window
  TimeNs kernelBeginP99 = 0;
  double unexplainedPct = 0; // of the critical path
  double unmatchedPct = 0;   // of the critical path: communication without its participants
  double launchedPct = 100;  // of device time: its launch was recorded

  // The larger of the first and the share that is not explained.
  [[nodiscard]] double worstPct() const;
};

// How far a figure of a replay can be trusted.
enum class ReplayTrust : std::uint8_t { Good, Rough, IntervalOnly, Refused };

[[nodiscard]] ReplayTrust trustOf(const ReplayError& error);

struct WhatIfAnswer {
  Scenario scenario;
  std::string refused; // the reason; then nothing else is set
  double base = 0;     // mean recorded window, nanoseconds
  double predicted = 0;
  double predictedLow = 0; // without residuals
  double gain = 0;         // below 0: it takes longer
  double gainLow = 0;      // 0 <= low <= high <= step time
  double gainHigh = 0;
  double clock = 0;                         // what clocks may be wrong by along the path of a step
  std::optional<PathCategory> nextCategory; // most time on the edited path
  RankIndex nextRank;
  std::vector<std::string> marks;  // what to keep in mind
  std::vector<double> windowTimes; // predicted, by position in WhatIf::keptWindows
};

class WhatIf {
 public:
  // Why devices were idle; called when the first scenario asks for it.
  using IdleSource = std::function<IdleTimes()>;

  // Both must outlive this. Builds the graph.
  WhatIf(const Analysis& analysis, IdleSource idle, unsigned threadCount, const Progress* progress = nullptr);

  [[nodiscard]] const Analysis& analysis() const { return m_analysis; }
  [[nodiscard]] const JobGraph& graph() const { return m_job; }
  [[nodiscard]] const std::vector<std::size_t>& keptWindows() const { return m_kept; }
  [[nodiscard]] const JobPath& path() const;
  [[nodiscard]] const ReplayError& error() const;
  [[nodiscard]] const PeerSets& peers() const;
  // Mean recorded window over the kept ones; nanoseconds. From the latest end of the step before to its own
  // latest end over the ranks, so it is not the step time.
  [[nodiscard]] double base() const;
  // Step time of the same steps: mean of the means over the ranks that are asked about; nanoseconds. What
  // gains are taken from in all that is shown.
  [[nodiscard]] double stepTime() const;
  // Why no scenario can be answered; empty when some can.
  [[nodiscard]] std::string refusal() const;

  // withPath: also what binds next, which costs a walk along the edited path.
  [[nodiscard]] WhatIfAnswer answer(const Scenario& scenario, bool withPath = true) const;
  [[nodiscard]] std::vector<WhatIfAnswer> answers(std::span<const Scenario> scenarios) const;
  // Mean window of the replay with these lags; without residuals unless they are in them.
  [[nodiscard]] double meanWindow(const GraphLags& lags) const;
  [[nodiscard]] ScenarioEdits edits() const {
    return {m_analysis, m_job, peers(), [this]() -> const IdleTimes& { return idle(); }};
  }

 private:
  // A replay without residuals: its error, and its mean window.
  struct Bare {
    ReplayError error;
    double base = 0;
  };
  [[nodiscard]] const Bare& bare() const;
  [[nodiscard]] const IdleTimes& idle() const { return m_idle.get(m_idleSource); }
  [[nodiscard]] unsigned replaysAtOnce() const;
  void addLaunchedShare(ReplayError& error) const;
  [[nodiscard]] bool isInKeptWindow(TimeNs time) const;
  void addMarks(WhatIfAnswer& answer) const;
  void addNext(const GraphLags& lags, std::span<const TimeNs> times, WhatIfAnswer& answer) const;

  const Analysis& m_analysis;
  IdleSource m_idleSource;
  unsigned m_threads;
  JobGraph m_job;
  std::vector<std::size_t> m_kept;
  Lazy<JobPath> m_path;
  Lazy<PeerSets> m_peers;
  Lazy<IdleTimes> m_idle;
  Lazy<Bare> m_bare;
};

} // namespace rankscope
