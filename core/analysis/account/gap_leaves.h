// SPDX-License-Identifier: GPL-3.0-or-later
// Why the devices of a rank stood still, as leaves of the tree of causes: the first reason that holds, in a
// fixed order, with the edges of the recording, start-up and work that was queued asked for before anything
// is called the host's fault. The thread that launched what came next says what the host did; where it had
// hardly begun, as autograd's before a backward pass, so do the one that launched before and the main thread.
// A gap is judged whole, whatever window is asked about. One pass over the host's events, O(log n) a gap;
// constant.
#pragma once

#include "core/analysis/account/host_marks.h"
#include "core/analysis/account/leaves.h"
#include "core/analysis/activity/idle_gap.h"
#include "core/analysis/steps/phases.h"
#include "core/analysis/steps/step_window.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope {

// Until here after a blocking call the host is still on its way back to launching.
inline constexpr TimeNs kReturnFromSync = 50'000;
// Compilation takes longer than this.
inline constexpr TimeNs kMinCompilation = 5'000'000;
// A shorter pause between operators is part of dispatching them.
inline constexpr TimeNs kMinPause = 200'000;
// A thread that records nothing for longer was not running, or what it ran is not known.
inline constexpr TimeNs kSilence = 1'000'000;

class GapLeaves {
 public:
  struct Gap {
    TimeRange range;     // not empty; all devices of the rank stood still
    EventIndex previous; // the device event before it; invalid at the begin of the recording
    EventIndex next;     // the device event that ended it; invalid at its end
  };
  struct Verdict {
    Leaf leaf = Leaf::QueueUnexplained;
    EventIndex event;   // the call, operator, annotation or launch that stands for it; may be invalid
    TimeNs edgeEnd = 0; // what of the gap lies before is Leaf::CaptureEdge
  };

  // steps: of the whole recording. objects: when collectives of objects were launched, see objectLaunches.
  // All but these must outlive this.
  GapLeaves(const RankTrace& trace, const StringTable& names, const StepWindows& steps,
            const HostPhases& phases, std::vector<TimeNs> objects = {});

  [[nodiscard]] Verdict judge(const Gap& gap) const;

 private:
  // At most three, the one that launched first.
  struct Threads {
    std::array<std::size_t, 3> at{};
    std::size_t count = 0;
    void add(std::size_t thread);
  };

  using Found = std::optional<std::pair<Leaf, EventIndex>>;

  [[nodiscard]] Verdict judgeWithoutLaunch(const Gap& gap) const;
  [[nodiscard]] Verdict judgeQueued(const Gap& gap, TimeRange launch) const;
  [[nodiscard]] Verdict judgeEnd(const Gap& gap) const;
  // The host's part of the gap, up to the launch; nothing when the launch was in time.
  [[nodiscard]] std::optional<TimeRange> hostPart(TimeRange gap, TimeRange launch) const;
  [[nodiscard]] Verdict judgeHost(const Gap& gap, TimeRange host, EventIndex launch) const;
  // What takes half of the range on the first of the threads on which it does.
  template <class CallsOf>
  [[nodiscard]] EventIndex halfTakenBy(TimeRange host, const Threads& threads, CallsOf&& callsOf) const;
  [[nodiscard]] EventIndex markTaking(HostWork work, TimeRange host, const Threads& threads) const;
  [[nodiscard]] EventIndex startUpIn(TimeRange host, const Threads& threads) const;
  // What was recorded of the host explains it; before, and after it is asked who waited for the device.
  [[nodiscard]] Found busyLeaf(TimeRange host, const Threads& threads) const;
  [[nodiscard]] Found waitingLeaf(TimeRange gap, TimeRange host, const Threads& threads) const;
  // Whether the host waits for what a collective of objects brings.
  [[nodiscard]] bool readsObjects(TimeRange waiting) const;
  // Of threads that hardly ran operators; nothing of threads that did, or of a short pause.
  [[nodiscard]] Found pauseLeaf(TimeRange host, const Threads& threads, bool atBegin) const;
  [[nodiscard]] Leaf dispatchLeaf(TimeRange host, EventIndex call) const;
  // The first wait for the device that took time, if it was going on at t; else empty.
  [[nodiscard]] TimeRange firstWaitAt(TimeNs t) const;

  [[nodiscard]] Threads threadsOf(TimeRange host, EventIndex launch, EventIndex previous) const;
  [[nodiscard]] bool isStartUp(TimeNs t) const;

  const RankTrace& m_trace;
  const StepWindows& m_steps;
  const HostPhases& m_phases;
  HostThreads m_host;
  HostMarks m_marks;
  std::vector<std::pair<EventIndex, EventIndex>> m_waitedFor; // of device events that waited for others
  std::vector<TimeNs> m_objects;
  TimeNs m_firstLaunched = kAllTime.end; // begin of the first device event whose launch was recorded
};

} // namespace rankscope
