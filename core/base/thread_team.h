// SPDX-License-Identifier: GPL-3.0-or-later
// Threads that share one piece of work: as many as the system provides. Where one cannot be started
// the work continues with those that were, possibly none. No thread of core or app is started anywhere else.
// A team larger than the number of cores starts once all threads are running; if some could not be started,
// those beyond the cores end before the work begins, as their stacks may hold the memory that it needs. Where
// the address space is limited (ulimit -v), only as many are started as leave most of it to the work. Work
// that starts a team of its own then asks for no more threads than there were (threadsToAskFor).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace rankscope {

// The number of threads to use when the user named none.
[[nodiscard]] inline unsigned defaultThreadCount() {
  return std::max(1u, std::thread::hardware_concurrency());
}

class ThreadTeam {
 public:
  // Each helper runs `work` once, which must not throw.
  ThreadTeam(std::size_t wanted, std::function<void()> work);
  // Waits for all of them.
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // How many helpers there are.
  [[nodiscard]] std::size_t size() const { return m_helpers.size(); }

  // While it exists, this thread works for the team beside the helpers.
  class Membership {
   public:
    explicit Membership(const ThreadTeam& team);
    ~Membership();
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;

   private:
    const ThreadTeam* m_outer;
  };

 private:
  friend unsigned threadsToAskFor(unsigned wanted);

  // Surplus: helpers without a core leave, the others wait until the memory of those stacks is free.
  enum class StartGate : int { Closed, Surplus, CoresOnly, Open };

  void open(StartGate to);

  void help(bool atOnce, bool hasCore);

  std::function<void()> m_work;
  std::atomic<StartGate> m_startGate{StartGate::Closed};
  std::atomic<unsigned> m_limit; // of threads in a team within this one
  std::vector<std::thread> m_helpers;
};

// How many of these threads to use in work of this thread: where the team it works for did not get all its
// threads, no more than that one has. REQUIRES: wanted > 0.
[[nodiscard]] unsigned threadsToAskFor(unsigned wanted);

// How a thread is started; throws when it cannot be.
using ThreadStarter = std::thread (*)(const std::function<void()>& run);
// Puts another one in place, for tests: null is std::thread's own. Returns the one before.
ThreadStarter setThreadStarter(ThreadStarter starter);

} // namespace rankscope
