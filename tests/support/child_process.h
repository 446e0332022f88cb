// SPDX-License-Identifier: GPL-3.0-or-later
// A process of its own for what would end the one that tests.
#pragma once

#include <csignal>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rankscope::test {

// Runs `act` in a child of this process and returns its exit status; -1 when a signal ended it.
template <class Act> int inChild(Act&& act) {
  const pid_t child = fork();
  if (child == 0) _exit(act());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// From here on no file of this process grows beyond so many bytes: what a full disk looks like.
inline void limitFiles(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

// From here on this process is killed when a file of it grows beyond so many bytes.
inline void dieAtByte(rlim_t bytes) {
  const rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  std::signal(SIGXFSZ, SIG_DFL);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

} // namespace rankscope::test
