// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/connected_ranks.h"
#include "core/analysis/job/analysis.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/io/opened_trace.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace rankscope {

namespace {

// By recording, the first of those that it is connected with.
std::vector<std::uint32_t> connectedIn(const test::JobOptions& options) {
  const test::TemporaryFolder folder;
  generateJob(options, folder.path());
  const Analysis analysis(test::loadJob(folder.path().string()));
  std::vector<std::uint32_t> firsts;
  for (const RankIndex first : connectedRanks(analysis.trace(), analysis.collectives().match))
    firsts.push_back(first.value);
  return firsts;
}

test::JobOptions tensorGroups() {
  test::JobOptions options;
  options.ranks = 4;
  options.steps = 2;
  options.layers = 1;
  options.parallelism = test::Parallelism::Tensor;
  return options;
}

using Firsts = std::vector<std::uint32_t>;

} // namespace

TEST(ConnectedRanks, areThoseOfAllGroupsThatShareRanks) {
  EXPECT_EQ(connectedIn(tensorGroups()), (Firsts{0, 0, 0, 0}));
}

TEST(ConnectedRanks, areNotThoseOfOtherReplicas) {
  test::JobOptions options = tensorGroups();
  options.reducesGradients = false;
  options.captures = 2;
  EXPECT_EQ(connectedIn(options), (Firsts{0, 0, 0, 0, 4, 4, 4, 4}));
}

// 0 and 3 are in no group together, but both are in one with rank 1.
TEST(ConnectedRanks, areConnectedOverRanksThatWereNotRecorded) {
  test::JobOptions options = tensorGroups();
  options.missingRanks = {1, 2};
  EXPECT_EQ(connectedIn(options), (Firsts{0, 0}));
  options.reducesGradients = false;
  EXPECT_EQ(connectedIn(options), (Firsts{0, 1}));
}

} // namespace rankscope
