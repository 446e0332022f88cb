// SPDX-License-Identifier: GPL-3.0-or-later
// What each stack of a rank costs. A stack is the frames of the host that enclose an event, outermost first,
// and for device work the event itself as the leaf, below the call that launched it. Each weight adds up to a
// figure that the rest of the program shows:
//   HostSelf         the union of the host's calls, summed over threads
//   Device           durations of device events
//   DeviceExclusive  U(K): an instant belongs to the event that began first
//   Exposed          exposed communication, an instant to the collective that began first
//   Idle             idle time, below what the host did in the gap
//   Wait             what other ranks waited for this one in collectives that it joined last
//   Bytes, NetBytes  allocated; allocated less freed
//   Calls, Launches  events; device events with a launch
// Entries are kept by time, so that any window is weighed by reading them once. Constant after it was made;
// O(n log n) for the rank's events.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/analysis/stacks/stack_tree.h"
#include "core/analysis/stacks/stack_weight.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope {

struct StackEntry {
  TimeNs begin = 0;        // on the rank's clock
  std::int64_t amount = 0; // of times the length from `begin` on, unless the entry counts whole
  std::uint32_t node = 0;
  std::uint32_t first : 1 = 0; // of the entries of its event
  std::uint32_t unused : 31 = 0;
  EventIndex event; // may be invalid
};

class RankStacks {
 public:
  StackTree tree;
  std::vector<StackEntry> entries;
  // Entries [runs[i], runs[i + 1]) ascend; those that are cut at a window's ends do not overlap.
  std::vector<std::size_t> runs;
  bool cut = false;                // at a window's ends; else an entry belongs where it begins, whole
  std::int64_t joinedBackward = 0; // functions of autograd whose forward operator is known
  std::int64_t looseBackward = 0;  // and not known

  // What of the window each stack weighs, by node.
  [[nodiscard]] StackSums sums(TimeRange window) const;
  // Calls visit(const StackEntry&) for those of the window, run by run.
  template <class Visit> void forEachWithin(TimeRange window, Visit&& visit) const;

 private:
  [[nodiscard]] std::size_t firstWithin(std::size_t run, TimeNs begin) const;
};

// Of the whole recording. The analysis may be of a part: what depends on windows (exposed communication of
// ranks without a device) is of it.
[[nodiscard]] RankStacks rankStacks(const Analysis& analysis, RankIndex rank, StackWeight weight,
                                    const StackOptions& options = {});

// The window in which a weight of the analysis's part is summed: of idle time what was recorded of it.
[[nodiscard]] TimeRange stackWindow(const Analysis& analysis, RankIndex rank, StackWeight weight);

template <class Visit> void RankStacks::forEachWithin(TimeRange window, Visit&& visit) const {
  for (std::size_t run = 0; run + 1 < runs.size(); ++run) {
    for (std::size_t i = firstWithin(run, window.begin); i < runs[run + 1]; ++i) {
      if (entries[i].begin >= window.end) break;
      visit(entries[i]);
    }
  }
}

} // namespace rankscope
