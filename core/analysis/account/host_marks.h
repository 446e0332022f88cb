// SPDX-License-Identifier: GPL-3.0-or-later
// What host threads did beside ordinary work, made for asking of a range how much of it they spent on that:
// start-up, compilation, saving, garbage collection, talking to other hosts; and where
// DistributedDataParallel worked for itself, not for the model. One pass over the host's events, O(log n) a
// question after it; constant.
#pragma once

#include "core/analysis/activity/host_threads.h"
#include "core/analysis/classify/host_work.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rankscope {

class HostMarks {
 public:
  // Of a thread of the HostThreads; nothing of HostWork::Ordinary.
  [[nodiscard]] const HostCalls& of(std::size_t thread, HostWork work) const;
  // It runs backward passes and is not the main thread.
  [[nodiscard]] bool isOfAutograd(std::size_t thread) const { return m_ofAutograd[thread] != 0; }

  HostCalls startUp; // Initialization that the profiler shows beside the threads, and the first call
  // From the begin of DistributedDataParallel.forward to the first operator of the model in it: buffers are
  // broadcast there. And the work of its reducer.
  IntervalSet parallelModel;
  // Of the calls that waited for the device for longer than on the way back from one, the first to end: until
  // then work may run that was launched before the recording. May be invalid.
  EventIndex firstWait;

 private:
  friend class MarkPass;
  using Calls = std::array<HostCalls, kHostWorkCount>;

  std::vector<std::uint32_t> m_places; // by thread: of what is marked on it in m_calls; kNone: nothing is
  std::vector<Calls> m_calls;
  std::vector<std::uint8_t> m_ofAutograd; // by thread
};

// host: hostThreads(trace, names).
[[nodiscard]] HostMarks hostMarks(const RankTrace& trace, const StringTable& names, const HostThreads& host);

} // namespace rankscope
