// SPDX-License-Identifier: GPL-3.0-or-later
// Threads that share one piece of work. If a thread cannot be started, the work continues with fewer helpers,
// possibly none. All threads of core and app are started here. A team larger than the number of cores waits
// until all its threads run. If some could not be started, those beyond the number of cores exit before the
// work begins, because their stacks may use memory that the work needs. With an address space limit (ulimit
// -v), the team starts only as many threads as leave most of it free. If a team did not get all its threads,
// nested teams ask for no more than it has (threadsToAskFor).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace rankscope {

// The default number of threads: one per core.
[[nodiscard]] inline unsigned defaultThreadCount() {
  return std::max(1u, std::thread::hardware_concurrency());
}

class ThreadTeam {
 public:
  // Each helper runs `work` once. `work` must not throw.
  ThreadTeam(std::size_t wanted, std::function<void()> work);
  // Waits for all helpers.
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // Number of helpers.
  [[nodiscard]] std::size_t size() const { return m_helpers.size(); }

  // While it exists, the current thread counts as a member of the team.
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

  // Surplus: helpers beyond the number of cores exit, the others wait until their stacks are freed.
  enum class StartGate : int { Closed, Surplus, CoresOnly, Open };

  void open(StartGate to);

  void help(bool atOnce, bool hasCore);

  std::function<void()> m_work;
  std::atomic<StartGate> m_startGate{StartGate::Closed};
  std::atomic<unsigned> m_limit; // maximum number of threads of nested teams
  std::vector<std::thread> m_helpers;
};

// The number of threads that work on this thread should use: `wanted`, but no more than the team it belongs
// to has, if that team could not start all its threads. REQUIRES: wanted > 0.
[[nodiscard]] unsigned threadsToAskFor(unsigned wanted);

// Starts a thread. Throws if it cannot be started.
using ThreadStarter = std::thread (*)(const std::function<void()>& run);
// Replaces the thread starter, for tests; null restores std::thread. Returns the previous one.
ThreadStarter setThreadStarter(ThreadStarter starter);

} // namespace rankscope
