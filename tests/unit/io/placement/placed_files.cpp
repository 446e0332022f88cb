// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/io/placement/placed_files.h"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <tuple>

namespace rankscope {

void PrintTo(RankSource source, std::ostream* out) {
  *out << rankSourceText(source);
}

Placed place(Files files) {
  const std::vector<FilePlacement> placements = placeFiles(files);
  EXPECT_EQ(placements.size(), files.size());
  std::set<std::tuple<int, int, int>> taken;
  std::set<int> jobs;
  for (const FilePlacement& placement : placements) {
    EXPECT_EQ(placement.job >= 0, placement.rank.has_value());
    EXPECT_EQ(placement.job >= 0, placement.capture >= 1);
    if (placement.job < 0) {
      EXPECT_FALSE(placement.note.empty()) << "left out without a reason";
      continue;
    }
    EXPECT_TRUE(placement.from != RankSource::Guess || !placement.note.empty()) << "guessed without a note";
    jobs.insert(placement.job);
    EXPECT_TRUE(taken.emplace(placement.job, *placement.rank, placement.capture).second)
        << "two files at rank " << *placement.rank << ", capture " << placement.capture;
  }
  EXPECT_TRUE(jobs.empty() || (*jobs.begin() == 0 && *jobs.rbegin() + 1 == static_cast<int>(jobs.size())));

  std::vector<std::size_t> order(files.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 random(11);
  for (int round = 0; round < 5; ++round) {
    std::ranges::shuffle(order, random);
    Files shuffled;
    for (const std::size_t i : order) shuffled.push_back(files[i]);
    const std::vector<FilePlacement> again = placeFiles(shuffled);
    for (std::size_t i = 0; i < order.size(); ++i)
      EXPECT_EQ(again[i], placements[order[i]])
          << files[order[i]].relativePath << " depends on the order of input";
  }
  return {placements, std::move(files)};
}

bool says(const FilePlacement& placement, const std::string& text) {
  return placement.note.find(text) != std::string::npos;
}

} // namespace rankscope
