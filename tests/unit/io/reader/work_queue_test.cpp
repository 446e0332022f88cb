// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/reader/work_queue.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace rankscope {

TEST(WorkQueue, givesOutPiecesInOrder) {
  WorkQueue queue;
  std::vector<int> done;
  for (int i = 0; i < 3; ++i) queue.push([&done, i] { done.push_back(i); });
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_TRUE(queue.runOne());
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_TRUE(queue.runOne());
  EXPECT_TRUE(queue.runOne());
  EXPECT_FALSE(queue.runOne());
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2}));
}

TEST(WorkQueue, lookedAtBeforeAnythingIsDone) {
  WorkQueue queue;
  queue.push([] { FAIL() << "nobody had to wait"; });
  queue.workUntil([] { return true; });
  EXPECT_EQ(queue.size(), 1U);
}

TEST(WorkQueue, whoWaitsWorks) {
  WorkQueue queue;
  int left = 100;
  for (int i = 0; i < 100; ++i) queue.push([&left] { --left; });
  queue.workUntil([&left] { return left == 40; });
  EXPECT_EQ(queue.size(), 40U);
}

// Pieces that make pieces, and threads of which each waits for what another does: every one of them ends.
TEST(WorkQueue, nobodyWaitsForEver) {
  constexpr int kThreads = 4;
  constexpr int kPieces = 2000;
  WorkQueue queue;
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kPieces; ++i) {
        queue.push([&] {
          queue.push([&] {
            if (++done == kThreads * kPieces) queue.wake();
          });
        });
      }
      queue.workUntil([&] { return done == kThreads * kPieces; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, kThreads * kPieces);
  EXPECT_EQ(queue.size(), 0U);
}

} // namespace rankscope
