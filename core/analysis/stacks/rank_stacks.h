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
// Entries are kept by time, so that any window is weighed by reading once what lies in it, or what does not.
// Constant after it was made; O(n log n) for the rank's events.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/analysis/stacks/stack_tree.h"
#include "core/analysis/stacks/stack_weight.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

struct StackEntry {
  TimeNs begin = 0;        // on the rank's clock
  std::int64_t amount = 0; // of times the length from `begin` on, unless the entry counts whole
  std::uint32_t node = 0;
  EventIndex event;   // may be invalid
  bool first = false; // of the entries of its event
};

class RankStacks {
 public:
  StackTree tree;
  bool cut = false;                // at a window's ends; else an entry belongs where it begins, whole
  std::int64_t joinedBackward = 0; // functions of autograd whose forward operator is known
  std::int64_t looseBackward = 0;  // and not known

  // Adds a run of entries, whose begins ascend; entries that are cut at a window's ends do not overlap.
  // Before anything is asked.
  void addRun(std::span<const StackEntry> run);
  // What is in all runs, for windows that have most of it. After the last run.
  void addUp();

  [[nodiscard]] std::size_t size() const { return m_begins.size(); }
  // What of the window each stack weighs, by node. O(nodes + entries in the window or outside of it,
  // whichever are fewer).
  [[nodiscard]] StackSums sums(TimeRange window) const;
  // Calls visit(const StackEntry&) for those of the window, run by run.
  template <class Visit> void forEachWithin(TimeRange window, Visit&& visit) const;

 private:
  static constexpr std::uint32_t kFirst = 0x80000000u; // of m_nodes, beside the node

  // The entries of a run that begin in a window, and whether the one before reaches into it.
  struct Part {
    std::size_t first = 0;
    std::size_t end = 0;
    bool reaching = false;
  };
  [[nodiscard]] Part partOf(std::size_t run, TimeRange window) const;
  [[nodiscard]] StackEntry at(std::size_t i) const {
    return {m_begins[i], m_amounts[i], m_nodes[i] & ~kFirst, m_events[i], (m_nodes[i] & kFirst) != 0};
  }
  // sign: -1 takes them away.
  void addEntries(std::size_t from, std::size_t to, std::int64_t sign, StackSums& sums) const;

  // Columns, so that weighing reads 12 bytes an entry.
  std::vector<TimeNs> m_begins;
  std::vector<std::int64_t> m_amounts;
  std::vector<std::uint32_t> m_nodes;
  std::vector<EventIndex> m_events;
  std::vector<std::size_t> m_runs{0}; // entries [m_runs[i], m_runs[i + 1]) are a run
  StackSums m_all;
};

// Of the whole recording. The analysis may be of a part: what depends on windows (exposed communication of
// ranks without a device) is of it.
[[nodiscard]] RankStacks rankStacks(const Analysis& analysis, RankIndex rank, StackWeight weight,
                                    const StackOptions& options = {});

// The window in which a weight of the analysis's part is summed: of idle time what was recorded of it.
[[nodiscard]] TimeRange stackWindow(const Analysis& analysis, RankIndex rank, StackWeight weight);

template <class Visit> void RankStacks::forEachWithin(TimeRange window, Visit&& visit) const {
  for (std::size_t run = 0; run + 1 < m_runs.size(); ++run) {
    const Part part = partOf(run, window);
    for (std::size_t i = part.first - (part.reaching ? 1 : 0); i < part.end; ++i) visit(at(i));
  }
}

} // namespace rankscope
