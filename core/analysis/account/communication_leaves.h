// SPDX-License-Identifier: GPL-3.0-or-later
// What the time that a rank communicates and does not compute was spent on, call by call: until the last
// participant began it waited, after that it transferred, and parts of that have reasons of their own. A call
// without partners is transfer as a whole: who waited is not known. Constant; O(log) a call.
#pragma once

#include "core/analysis/account/leaves.h"
#include "core/analysis/account/transfer_excess.h"
#include "core/analysis/job/analysis.h"

#include <vector>

namespace rankscope {

// By InstanceIndex, 1 for the first matched collective of a group in a recording, if its ranks begin it more
// than three times as far apart as is usual in the group : its wait tells of the recordings' begins and not
// of the job. Usual is the median over the other steps of the largest skew in the step.
using FirstOfGroups = std::vector<std::uint8_t>;
[[nodiscard]] FirstOfGroups firstOfGroups(const Analysis& analysis);

// What of the job is asked of each call.
struct CommunicationFacts {
  FirstOfGroups first;
  std::vector<TransferExcess> transfers; // by InstanceIndex
};
[[nodiscard]] CommunicationFacts communicationFacts(const Analysis& analysis);

class CommunicationLeaves {
 public:
  struct Verdict {
    TimeNs arrival = kAllTime.begin; // of the last participant, on the rank's own clock
    Leaf wait = Leaf::WaitRank;      // until then
    // After it, in this order, as much as there is.
    TimeNs unlaunched = 0;
    TimeNs slowLink = 0;
    TimeNs fragmented = 0;
    Leaf rest = Leaf::CommTransfer;
  };

  // All must outlive this.
  CommunicationLeaves(const Analysis& analysis, RankIndex rank, const CommunicationFacts& facts);

  // event: a communication kernel of the rank, or the host's record of a collective.
  [[nodiscard]] Verdict judge(EventIndex event) const;

 private:
  void findTails();
  // What computation the call could have run beside, had it been launched in time.
  [[nodiscard]] TimeNs missedComputation(EventIndex event) const;
  [[nodiscard]] bool gathers(EventIndex event) const;
  [[nodiscard]] std::vector<TimeNs> backwardEnds() const;

  const Analysis& m_analysis;
  RankIndex m_rank;
  const CommunicationFacts& m_facts;
  std::vector<EventIndex> m_tails; // ascending
};

} // namespace rankscope
