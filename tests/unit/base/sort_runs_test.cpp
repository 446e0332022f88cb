// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sort_runs.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

namespace rankscope {
namespace {

using Item = std::pair<int, int>; // what is sorted by, and where it stood

bool lowerKey(const Item& a, const Item& b) {
  return a.first < b.first;
}

// `runs` ascending pieces of random lengths up to `longest`.
std::vector<Item> pieces(std::mt19937& random, int runs, int longest) {
  std::vector<Item> items;
  for (int run = 0; run < runs; ++run) {
    int key = static_cast<int>(random() % 1000);
    const int length = static_cast<int>(random() % static_cast<unsigned>(longest)) + 1;
    for (int i = 0; i < length; ++i) {
      items.emplace_back(key, static_cast<int>(items.size()));
      key += static_cast<int>(random() % 3);
    }
  }
  return items;
}

TEST(SortRuns, agreesWithAStableSortOnPiecesOfAllLengths) {
  std::mt19937 random(7);
  for (const int runs : {1, 2, 3, 7, 64, 300}) {
    for (const int longest : {1, 2, 50, 3000}) {
      std::vector<Item> items = pieces(random, runs, longest);
      std::vector<Item> expected = items;
      std::ranges::stable_sort(expected, lowerKey);
      sortRuns(items, lowerKey);
      EXPECT_EQ(items, expected) << runs << " runs of up to " << longest;
    }
  }
}

TEST(SortRuns, sortsWhatHasNoOrderAtAll) {
  std::mt19937 random(3);
  std::vector<Item> items;
  for (int i = 0; i < 5000; ++i) items.emplace_back(static_cast<int>(random() % 500), i);
  std::vector<Item> falling;
  for (int i = 0; i < 5000; ++i) falling.emplace_back(5000 - i / 2, i);
  for (std::vector<Item>* values : {&items, &falling}) {
    std::vector<Item> expected = *values;
    std::ranges::stable_sort(expected, lowerKey);
    sortRuns(*values, lowerKey);
    EXPECT_EQ(*values, expected);
  }
}

TEST(SortRuns, sortsAPartOfAnArrayAndNothingBesideIt) {
  std::vector<Item> items{{9, 0}, {5, 1}, {6, 2}, {1, 3}, {2, 4}, {0, 5}};
  sortRuns(std::span<Item>(items).subspan(1, 4), lowerKey);
  EXPECT_EQ(items, (std::vector<Item>{{9, 0}, {1, 3}, {2, 4}, {5, 1}, {6, 2}, {0, 5}}));
}

} // namespace
} // namespace rankscope
