// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/chunk_store.h"

#include "core/base/parallel_for.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

namespace rankscope {
namespace {

TEST(ChunkStore, keepsWhatEveryThreadGaveIt) {
  ChunkStore<int> store;
  std::vector<StoredSpan<int>> stored(200);
  parallelFor(stored.size(), 4, [&](std::size_t i) {
    std::vector<int> values(i * 37);
    std::iota(values.begin(), values.end(), static_cast<int>(i));
    stored[i] = store.store(values);
  });
  for (std::size_t i = 0; i < stored.size(); ++i) {
    ASSERT_EQ(stored[i].values.size(), i * 37);
    for (std::size_t k = 0; k < stored[i].values.size(); ++k)
      ASSERT_EQ(stored[i].values[k], static_cast<int>(i + k));
  }
}

TEST(ChunkStore, aChunkLivesAsLongAsAPartOfItIsHeld) {
  ChunkStore<int> store;
  const std::vector<int> half(20'000, 1); // two fill the first chunk
  StoredSpan<int> first = store.store(half);
  const std::weak_ptr<const RawArray<int>> chunk = first.chunk;
  StoredSpan<int> second = store.store(half); // does not fit beside the first
  first = {};
  EXPECT_TRUE(chunk.expired());
  EXPECT_EQ(second.values.size(), half.size());
}

TEST(RawArray, holdsWhatWasPutBesideWhatWasGivenBack) {
  for (const std::size_t size : {std::size_t{10}, std::size_t{1} << 20}) {
    RawArray<int> array(size);
    std::iota(array.span().begin(), array.span().end(), 0);
    array.giveBack(size / 4, size / 2);
    RawArray<int> moved = std::move(array);
    for (std::size_t i = 0; i < size / 4; ++i) ASSERT_EQ(moved[i], static_cast<int>(i));
    for (std::size_t i = size / 2; i < size; ++i) ASSERT_EQ(moved[i], static_cast<int>(i));
  }
}

TEST(ParallelFor, givesTheCallerWhatWorkThrew) {
  for (const unsigned threads : {1U, 4U}) {
    EXPECT_THROW(parallelFor(1000, threads,
                             [](std::size_t i) {
                               if (i == 500) throw std::runtime_error("no more");
                             }),
                 std::runtime_error);
  }
}

} // namespace
} // namespace rankscope
