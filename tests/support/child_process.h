// SPDX-License-Identifier: GPL-3.0-or-later
// Runs code that terminates its process in a child process.
#pragma once

#include <csignal>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rankscope::test {

// Runs `act` in a child process and returns its exit status; -1 if it was terminated by a signal.
template <class Act> int inChild(Act&& act) {
  const pid_t child = fork();
  if (child == 0) _exit(act());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Limits the size of files written by this process, to simulate a full disk.
inline void limitFiles(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

// Kills this process when it writes a file beyond this size.
inline void dieAtByte(rlim_t bytes) {
  const rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  std::signal(SIGXFSZ, SIG_DFL);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

} // namespace rankscope::test
