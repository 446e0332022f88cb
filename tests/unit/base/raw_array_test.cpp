// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/raw_array.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// Of the heap, at the border, and with mappings of less and of more than a huge page.
constexpr std::size_t kSizes[] = {0, 1, 1000, 32'767, 32'768, 32'769, 200'000, 1'000'003};

} // namespace

TEST(RawArray, keepsWhatIsWrittenWhateverItsSize) {
  for (const std::size_t size : kSizes) {
    RawArray<std::uint64_t> array(size);
    ASSERT_EQ(array.size(), size);
    ASSERT_EQ(array.span().size(), size);
    std::iota(array.span().begin(), array.span().end(), std::uint64_t{7});
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(array[i], i + 7);
  }
}

TEST(RawArray, isFilledByManyThreadsAtOnce) {
  RawArray<std::uint32_t> array(400'000);
  std::vector<std::thread> threads;
  for (std::size_t part = 0; part < 4; ++part) {
    threads.emplace_back([&array, part] {
      for (std::size_t i = part * 100'000; i < (part + 1) * 100'000; ++i)
        array[i] = static_cast<std::uint32_t>(i ^ part);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < array.size(); ++i) ASSERT_EQ(array[i], i ^ (i / 100'000));
}

TEST(RawArray, isMovedWithItsContents) {
  for (const std::size_t size : {std::size_t{10}, std::size_t{100'000}}) {
    RawArray<int> from(size);
    from[size - 1] = 42;
    RawArray<int> to(std::move(from));
    EXPECT_EQ(to[size - 1], 42);
    RawArray<int> other(3);
    other[0] = 1;
    other = std::move(to);
    EXPECT_EQ(other.size(), size);
    EXPECT_EQ(other[size - 1], 42);
  }
}

TEST(RawArray, givesBackOnlyWhatIsNotNeeded) {
  RawArray<std::uint64_t> array(200'000);
  std::iota(array.span().begin(), array.span().end(), std::uint64_t{1});
  // No border of a page.
  array.giveBack(1001, 100'001);
  for (std::size_t i = 0; i <= 1000; ++i) ASSERT_EQ(array[i], i + 1);
  for (std::size_t i = 100'001; i < array.size(); ++i) ASSERT_EQ(array[i], i + 1);
  EXPECT_EQ(array[50'000], 0U) << "the page is new";
  array.giveBack(100'001, array.size());
  EXPECT_EQ(array[array.size() - 1], 0U);
  EXPECT_EQ(array[1000], 1001U);
}

TEST(RawArray, ofTheHeapKeepsWhatIsGivenBack) {
  RawArray<std::uint64_t> array(100);
  std::iota(array.span().begin(), array.span().end(), std::uint64_t{1});
  array.giveBack(0, array.size());
  for (std::size_t i = 0; i < array.size(); ++i) ASSERT_EQ(array[i], i + 1);
}

} // namespace rankscope
