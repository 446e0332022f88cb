// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/thread_team.h"

#include <utility>

namespace rankscope {

namespace {

std::atomic<ThreadStarter> theStarter{nullptr};

std::thread startThread(const std::function<void()>& run) {
  const ThreadStarter starter = theStarter;
  return starter != nullptr ? starter(run) : std::thread(run);
}

} // namespace

ThreadTeam::ThreadTeam(std::size_t helpers, std::function<void()> work) : m_work(std::move(work)) {
  const std::size_t beside = defaultThreadCount() - 1; // helpers that have a core each, as the caller has
  bool allCame = true;
  try {
    m_helpers.reserve(helpers);
    for (std::size_t i = 0; i < helpers; ++i)
      m_helpers.push_back(
          startThread([this, atOnce = helpers <= beside, hasCore = i < beside] { help(atOnce, hasCore); }));
  } catch (...) { // no thread, or no memory to keep it: fewer then
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
  if (atOnce || hasCore || m_startGate == StartGate::Open) m_work();
}

ThreadStarter setThreadStarter(ThreadStarter starter) {
  return theStarter.exchange(starter);
}

} // namespace rankscope
