// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/memory_use.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <fstream>
#include <string>
#include <thread>

namespace rankscope::bench {

namespace {

// Of this process, without pages of files.
std::uint64_t ownBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view kField = "RssAnon:";
    if (line.starts_with(kField)) return std::stoull(line.substr(kField.size())) * 1024;
  }
  return 0;
}

MemoryUse measureHere(const std::function<std::shared_ptr<const void>()>& work) {
  const std::uint64_t before = ownBytes();
  std::atomic<bool> done{false};
  std::uint64_t peak = before;
  std::thread watch([&] {
    while (!done) {
      peak = std::max(peak, ownBytes());
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  const std::shared_ptr<const void> held = work();
  const std::uint64_t after = ownBytes();
  done = true;
  watch.join();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {std::max(peak, after) - before, std::max(after, before) - before,
          static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

} // namespace

MemoryUse memoryOf(const std::function<std::shared_ptr<const void>()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    MemoryUse use;
    try {
      use = measureHere(work);
    } catch (const std::exception&) {
      // The figures stay 0; the parent meets the same failure by itself.
    }
    const bool told = write(ends[1], &use, sizeof use) == sizeof use;
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  MemoryUse use;
  if (child < 0 || read(ends[0], &use, sizeof use) != sizeof use) use = {};
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return use;
}

} // namespace rankscope::bench
