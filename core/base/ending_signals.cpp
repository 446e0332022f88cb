// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/ending_signals.h"

#include "core/base/thread_team.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <memory>
#include <mutex>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace rankscope {

namespace {

constexpr std::array<int, 4> kEnding{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

// Written before the handler is installed, read by it.
std::atomic<pid_t> owner{0}; // a process that this one forked has no thread that would clean up
std::atomic<int> noted{-1};  // end of a pipe that the thread reads

void endBy(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, signal);
  ::kill(::getpid(), signal);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

// Calls only what a handler may.
void note(int signal) {
  const int before = errno;
  if (::getpid() != owner) {
    endBy(signal);
    return;
  }
  const auto byte = static_cast<unsigned char>(signal);
  const bool told = ::write(noted, &byte, 1) == 1;
  // Without the pause, this thread would go on and report that its output cannot be written.
  if (told && signal == SIGPIPE) {
    for (;;) ::pause();
  }
  if (!told) endBy(signal);
  errno = before;
}

class EndingSignals {
 public:
  void add(void (*cleanUp)() noexcept) {
    const std::lock_guard lock(m_mutex);
    m_cleanUps.push_back(cleanUp);
    if (m_watch == nullptr && !m_failed) start();
  }

 private:
  void start() {
    std::array<int, 2> ends{};
    m_failed = ::pipe2(ends.data(), O_CLOEXEC) != 0;
    if (m_failed) return;
    m_watch = std::make_unique<ThreadTeam>(1, [this, from = ends[0]] { watch(from); });
    m_failed = m_watch->size() == 0;
    if (m_failed) return;
    noted = ends[1];
    owner = ::getpid();
    for (const int signal : kEnding) {
      struct sigaction now {};
      if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
      now = {};
      now.sa_handler = &note;
      now.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
      ::sigaction(signal, &now, nullptr);
    }
  }

  void watch(int from) noexcept {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    unsigned char signal = 0;
    ssize_t got = ::read(from, &signal, 1);
    while (got < 0 && errno == EINTR) got = ::read(from, &signal, 1);
    if (got != 1) return;
    for (int pass = 0; pass < 2; ++pass) {
      const std::lock_guard lock(m_mutex);
      for (void (*const cleanUp)() noexcept : m_cleanUps) cleanUp();
    }
    endBy(signal);
  }

  std::mutex m_mutex;
  std::vector<void (*)() noexcept> m_cleanUps;
  std::unique_ptr<ThreadTeam> m_watch;
  bool m_failed = false;
};

} // namespace

void onEndingSignal(void (*cleanUp)() noexcept) {
  // Its thread waits until the process is gone.
  static auto* const signals = new EndingSignals;
  signals->add(cleanUp);
}

} // namespace rankscope
