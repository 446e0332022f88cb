// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/lazy.h"

#include "core/base/parallel_for.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <string>

namespace rankscope {
namespace {

TEST(Lazy, isComputedOnceHoweverManyAsk) {
  const Lazy<std::string> value;
  std::atomic<int> computed{0};
  EXPECT_FALSE(value.isThere());
  parallelFor(64, 4, [&](std::size_t) {
    EXPECT_EQ(value.get([&] {
      ++computed;
      return std::string("there");
    }),
              "there");
  });
  EXPECT_EQ(computed, 1);
  EXPECT_TRUE(value.isThere());
}

TEST(Lazy, whatAComputationThrowsGoesToWhoAskedAndTheNextOneComputes) {
  const Lazy<int> value;
  for (int i = 0; i < 3; ++i)
    EXPECT_THROW(static_cast<void>(value.get([]() -> int { throw std::bad_alloc(); })), std::bad_alloc);
  EXPECT_EQ(value.get([] { return 7; }), 7);
  EXPECT_EQ(value.get([]() -> int { throw std::bad_alloc(); }), 7);
}

// Whoever waits for a computation that throws computes for itself.
TEST(Lazy, nobodyWaitsForEverForAComputationThatThrew) {
  for (int round = 0; round < 100; ++round) {
    const Lazy<int> value;
    std::atomic<bool> first{true};
    std::atomic<int> thrown{0}, got{0};
    parallelFor(4, 4, [&](std::size_t) {
      try {
        got += value.get([&]() -> int {
          if (first.exchange(false)) throw std::bad_alloc();
          return 1;
        });
      } catch (const std::bad_alloc&) {
        ++thrown;
      }
    });
    EXPECT_EQ(thrown, 1);
    EXPECT_EQ(got, 3);
  }
}

} // namespace
} // namespace rankscope
