// SPDX-License-Identifier: GPL-3.0-or-later
// Runs another program and reads what it writes, line by line. The program is started with a list of
// arguments, never through a shell, with the signals and without the open files of this process. Blocks until
// it has ended and everything that it wrote was read. Thread-safe.
#pragma once

#include "core/base/result.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

struct ChildCommand {
  std::string program; // searched on the PATH if there is no '/'
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment; // added to that of this process
  std::string input;                                            // for its standard input
  std::chrono::milliseconds grace{3000};                        // from SIGINT to SIGKILL
  std::function<bool()> givenUp = {}; // polled while it runs: true ends it as a cancel does
};

// Called on the calling thread, without the line break. Lines beyond 1 MiB are cut.
using LineTaker = std::function<void(std::string_view line)>;

struct ChildEnd {
  int exitCode = 0; // -1: ended by a signal
  int signal = 0;
  bool cancelled = false; // ended because it was asked to
  bool givenUp = false;   // likewise, because the command gave it up
};

// An Error if the program could not be started: kind Io with `notFound` below as message if there is none.
// cancel, or givenUp: the program gets SIGINT, and SIGKILL if it still runs after `grace`.
[[nodiscard]] Result<ChildEnd> runChild(const ChildCommand& command, const LineTaker& output,
                                        const LineTaker& errors, const std::atomic<bool>& cancel);

// Kills the programs that run now, for a process that is about to end without them.
void killChildren() noexcept;

inline constexpr std::string_view kProgramNotFound = "the program is not installed";

} // namespace rankscope
