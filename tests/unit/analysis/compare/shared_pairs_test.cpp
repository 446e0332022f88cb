// SPDX-License-Identifier: GPL-3.0-or-later
// Every set of recordings with every other one, whatever they are of: parts add up, a set with itself is no
// change, exchanged sides are negated.
#include "core/analysis/compare/comparison.h"
#include "core/io/load/trace_loader.h"
#include "core/report/compare_sides.h"
#include "tests/support/shared_data.h"
#include "tests/unit/analysis/compare/comparison_checks.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

// Sets of one folder, one after another, so that only facts stay in memory.
std::vector<std::pair<std::string, SideFacts>> sidesBelow(const fs::path& folderOfSets) {
  std::vector<std::string> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folderOfSets, error)) {
    if (entry.is_directory()) folders.push_back(entry.path().string());
  }
  std::ranges::sort(folders);
  std::vector<std::pair<std::string, SideFacts>> sides;
  for (const std::string& folder : folders) {
    Progress progress;
    const auto loaded = loadTraces({folder}, {}, progress);
    if (!loaded.ok()) continue; // no recordings: a memory snapshot alone
    sides.emplace_back(fs::path(folder).filename().string(), sideOf(Analysis(*loaded), {}));
  }
  return sides;
}

void expectAllPairs(const std::vector<std::pair<std::string, SideFacts>>& sides) {
  for (std::size_t i = 0; i < sides.size(); ++i) {
    {
      SCOPED_TRACE(sides[i].first + " with itself");
      const Comparison same = compareSides(sides[i].second, sides[i].second);
      test::expectIdentities(same);
      test::expectNothing(same);
    }
    for (std::size_t j = i + 1; j < sides.size(); ++j) {
      SCOPED_TRACE(sides[i].first + " with " + sides[j].first);
      const Comparison forth = compareSides(sides[i].second, sides[j].second);
      const Comparison back = compareSides(sides[j].second, sides[i].second);
      test::expectIdentities(forth);
      test::expectNegated(forth, back);
      EXPECT_EQ(forth.verdict == Verdict::Regression, back.verdict == Verdict::Improvement);
      EXPECT_EQ(forth.verdict == Verdict::NotComparable, back.verdict == Verdict::NotComparable);
    }
  }
}

} // namespace

TEST(SharedPairs, everyPairAddsUpAndIsSymmetric) {
  RANKSCOPE_SKIP_UNLESS(!test::recordingsBelow(test::sharedFolder()).empty(), test::kNoRecordings);
  const auto sides = sidesBelow(test::sharedFolder() / "traces");
  ASSERT_GT(sides.size(), 20U);
  expectAllPairs(sides);
}

// Captures of one version of PyTorch with each other.
TEST(SharedPairs, everyPairOfCapturesAddsUpAndIsSymmetric) {
  RANKSCOPE_SKIP_UNLESS(!test::recordingsBelow(test::sharedFolder()).empty(), test::kNoRecordings);
  std::size_t all = 0;
  for (const char* version :
       {"torch-1.13.1", "torch-2.6.0", "torch-2.14.1", "parallel/torch-2.6.0", "parallel/torch-2.14.1"}) {
    const auto sides = sidesBelow(test::sharedFolder() / "captures" / version);
    expectAllPairs(sides);
    all += sides.size();
  }
  EXPECT_GE(all, 20U);
}

} // namespace rankscope
