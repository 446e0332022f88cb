// SPDX-License-Identifier: GPL-3.0-or-later
// Runs work(i) for every i in [0, count) on up to threadCount threads, including the caller's, and returns
// when all are done. Indices are started in ascending order. If work throws, no further index is started, and
// the exception is rethrown to the caller after all helpers have finished. If threads cannot be started,
// fewer are used; so work(i) must not wait until another index has started. If the enclosing team did not get
// all its threads, no more are used than it has.
#pragma once

#include "core/base/thread_team.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>

namespace rankscope {

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
  const std::size_t threads = std::min<std::size_t>(threadsToAskFor(std::max(1u, threadCount)), count);
  if (threads > 1) {
    const ThreadTeam helpers(threads - 1, std::ref(run));
    const ThreadTeam::Membership membership(helpers);
    run();
  } else {
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

} // namespace rankscope
