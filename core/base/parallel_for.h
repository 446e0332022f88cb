// SPDX-License-Identifier: GPL-3.0-or-later
// Runs work(i) for every i in [0, count) on up to threadCount threads, the caller's among them, and returns
// when all are done. Indices are handed out in rising order, so early ones finish early. When work throws, no
// further index is begun and the exception goes to the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace rankscope {

// The number of threads to use when the user named none.
[[nodiscard]] inline unsigned defaultThreadCount() {
  return std::max(1u, std::thread::hardware_concurrency());
}

template <class Work> void parallelFor(std::size_t count, unsigned threadCount, Work&& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto run = [&] {
    try {
      for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) work(i);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> helpers;
  const std::size_t wanted = std::min<std::size_t>(std::max(1u, threadCount), count);
  for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(run);
  run();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

} // namespace rankscope
