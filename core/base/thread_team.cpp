// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/thread_team.h"

#include <fstream>
#include <limits>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace rankscope {

namespace {

std::atomic<ThreadStarter> theStarter{nullptr};
thread_local const ThreadTeam* theTeam = nullptr; // the team of this thread

std::thread startThread(const std::function<void()>& run) {
  const ThreadStarter starter = theStarter;
  return starter != nullptr ? starter(run) : std::thread(run);
}

std::size_t stackBytes() {
  pthread_attr_t attributes;
  std::size_t bytes = 0;
  if (pthread_getattr_default_np(&attributes) != 0) return std::size_t{8} << 20;
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return std::max<std::size_t>(bytes, 1);
}

// Number of helpers that fit into a limited address space: their stacks get an eighth of what is free. If
// their glibc heaps (64 MB each) would need more than another eighth, all threads share one heap.
std::size_t helpersThatFit(std::size_t helpers) {
  rlimit limit{};
  if (helpers == 0 || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return helpers;
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::size_t used = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t left = limit.rlim_cur > used ? limit.rlim_cur - used : 0;
  constexpr std::size_t kHeapBytes = std::size_t{64} << 20;
  const std::size_t fitting = std::min(helpers, left / 8 / stackBytes());
  if (fitting > left / 8 / kHeapBytes) mallopt(M_ARENA_MAX, 1);
  return fitting;
}

} // namespace

ThreadTeam::ThreadTeam(std::size_t wanted, std::function<void()> work)
    : m_work(std::move(work)), m_limit(threadsToAskFor(std::numeric_limits<unsigned>::max())) {
  const std::size_t beside = defaultThreadCount() - 1; // helpers with their own core; the caller has one
  bool allCame = true;
  try {
    const std::size_t helpers = helpersThatFit(wanted);
    if (helpers < wanted) m_limit = std::min(m_limit.load(), static_cast<unsigned>(helpers + 1));
    m_helpers.reserve(helpers);
    for (std::size_t i = 0; i < helpers; ++i)
      m_helpers.push_back(
          startThread([this, atOnce = helpers <= beside, hasCore = i < beside] { help(atOnce, hasCore); }));
  } catch (...) { // no thread, or no memory for its object: continue with fewer
    allCame = false;
  }
  if (allCame) {
    open(StartGate::Open);
    return;
  }
  open(StartGate::Surplus);
  while (m_helpers.size() > beside) {
    m_helpers.back().join();
    m_helpers.pop_back();
  }
  m_limit = std::min(m_limit.load(), static_cast<unsigned>(m_helpers.size() + 1));
  open(StartGate::CoresOnly);
}

void ThreadTeam::open(StartGate to) {
  m_startGate = to;
  m_startGate.notify_all();
}

ThreadTeam::~ThreadTeam() {
  for (std::thread& helper : m_helpers) helper.join();
}

void ThreadTeam::help(bool atOnce, bool hasCore) {
  if (!atOnce) m_startGate.wait(StartGate::Closed);
  if (hasCore) m_startGate.wait(StartGate::Surplus);
  if (!atOnce && !hasCore && m_startGate != StartGate::Open) return;
  const Membership membership(*this);
  m_work();
}

ThreadTeam::Membership::Membership(const ThreadTeam& team) : m_outer(std::exchange(theTeam, &team)) {}

ThreadTeam::Membership::~Membership() {
  theTeam = m_outer;
}

unsigned threadsToAskFor(unsigned wanted) {
  return theTeam == nullptr ? wanted : std::min(wanted, theTeam->m_limit.load());
}

ThreadStarter setThreadStarter(ThreadStarter starter) {
  return theStarter.exchange(starter);
}

} // namespace rankscope
