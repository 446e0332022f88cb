// SPDX-License-Identifier: GPL-3.0-or-later
// What the rules behind findingsOf share: the time that costs are measured against, and how the same fault on
// many ranks becomes one finding. Private to the findings.
#pragma once

#include "core/analysis/findings/finding_kinds.h"
#include "core/analysis/job/analysis.h"
#include "core/base/exact_sum.h"

#include <functional>
#include <string>
#include <vector>

namespace rankscope {

// What one rank loses to a fault.
struct RankCost {
  RankIndex rank;
  ExactSum cost;
  JobRange place; // the worst instance
  std::optional<std::int64_t> step;
  EventRef event;
  // Values that a rule counts for its texts.
  std::int64_t count = 0;  // calls or gaps
  std::int64_t marked = 0; // of them, of a worse kind
  ExactSum bytes;
  ExactSum within;  // time that holds the cost
  NameId name;      // that stands for most of it; invalid when there is none
  TimeNs worst = 0; // cost of the worst instance

  // Adds the cost of an instance. True when it is the worst so far, whose place and step are to be set.
  [[nodiscard]] bool addInstance(TimeNs lost) {
    cost += lost;
    if (lost <= worst) return false;
    worst = lost;
    return true;
  }
};

// Sum of a member over the ranks that a finding stands for.
template <class Figure>
[[nodiscard]] std::int64_t sumOf(const std::vector<RankCost>& part, Figure RankCost::*member) {
  ExactSum sum;
  for (const RankCost& cost : part) sum += cost.*member;
  return sum;
}

class FindingContext {
 public:
  explicit FindingContext(const Analysis& analysis);

  [[nodiscard]] const Analysis& analysis() const { return m_analysis; }
  [[nodiscard]] const std::vector<RankIndex>& ranks() const { return m_analysis.ranks(); }
  // The steps of a rank, or its device span, or its recording: what costs are shares of. They do not overlap.
  [[nodiscard]] std::vector<TimeRange> rangesOf(RankIndex rank) const;
  // Nanoseconds of these.
  [[nodiscard]] TimeNs timeOf(RankIndex rank) const { return m_times[rank.value]; }
  [[nodiscard]] TimeNs meanTime() const { return m_meanTime; }
  [[nodiscard]] double shareOf(TimeNs cost) const;
  [[nodiscard]] std::size_t stepCountOf(RankIndex rank) const;
  [[nodiscard]] bool hasDevices() const { return m_hasDevices; }
  [[nodiscard]] JobRange toJob(RankIndex rank, RankRange range) const;
  [[nodiscard]] std::int64_t rankNumber(RankIndex rank) const;
  [[nodiscard]] std::string rankText(RankIndex rank) const; // "rank 3"

  // Adds the finding unless its cost is too small a share; sets its severity otherwise.
  void add(Finding finding, const Shares& shares);
  // The same where the steps are longer by less than the cost.
  void add(Finding finding, const Shares& shares, TimeNs longer);
  // With a severity of its own.
  void add(Finding finding) { m_findings.push_back(std::move(finding)); }

  // One finding for all ranks when most of them lose a share worth one, else one for each that does.
  // describe(finding, costs that it stands for) fills the texts; the cost is set already.
  void addForRanks(FindingKind kind, std::vector<RankCost> costs, const Shares& shares,
                   const std::function<void(Finding&, const std::vector<RankCost>&)>& describe);

  [[nodiscard]] std::vector<Finding> take() { return std::move(m_findings); }
  [[nodiscard]] const std::vector<Finding>& soFar() const { return m_findings; }

 private:
  const Analysis& m_analysis;
  std::vector<TimeNs> m_times; // by RankIndex
  TimeNs m_meanTime = 0;
  bool m_hasDevices = false;
  std::vector<Finding> m_findings;
};

// "1 gap", "2 gaps".
[[nodiscard]] std::string countedText(std::int64_t count, std::string_view one);
// "12.3 ms per step" of a cost over several steps, "12.3 ms" of one.
[[nodiscard]] std::string perStepText(TimeNs cost, std::size_t steps);

} // namespace rankscope
