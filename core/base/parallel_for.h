// SPDX-License-Identifier: GPL-3.0-or-later
// Runs work(i) for every i in [0, count) on up to threadCount threads, the caller's among them, and returns
// when all are done. Indices are handed out in ascending order, so early ones finish early. When work throws,
// no further index is begun and the exception goes to the caller once no helper is at work any more. Threads
// that cannot be started are done without, so nothing may wait for another index to be begun. Within the work
// of a team that did not get all its threads, no more are asked for than that team has.
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
