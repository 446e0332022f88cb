// SPDX-License-Identifier: GPL-3.0-or-later
// What files beside traces tell is the same where a digest has it instead of the files.
#include "core/analysis/findings/beside_findings.h"

#include "core/io/load/side_loader.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/training_snapshot.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

std::shared_ptr<const SideFiles> outOfMemory() {
  const test::TemporaryFolder folder;
  test::TrainingShape shape;
  shape.outOfMemory = true;
  std::ofstream(folder / "rank7_snapshot.pickle", std::ios::binary) << test::trainingSnapshot(shape);
  const std::vector<std::string> paths{folder / "rank7_snapshot.pickle"};
  const Progress progress;
  return readSideFiles(paths, 1, progress).files;
}

} // namespace

TEST(BesideFindings, ofADigestAreThoseOfTheFiles) {
  const auto files = outOfMemory();
  EXPECT_TRUE(hasSnapshots(*files));
  EXPECT_FALSE(hasDumps(*files));
  const BesideFindings found = besideFindings(*files);
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(found.findings.front().kind, FindingKind::OutOfMemory);
  EXPECT_EQ(found.findings.front().ranks, std::vector<int>{7});
  SideFiles digest;
  digest.digestedFindings = packedBesideFindings(found);
  EXPECT_TRUE(hasSnapshots(digest));
  EXPECT_FALSE(hasDumps(digest));
  const BesideFindings again = besideFindings(digest);
  ASSERT_EQ(again.findings.size(), 1U);
  EXPECT_EQ(again.findings.front().title, found.findings.front().title);
  EXPECT_EQ(again.findings.front().costBytes, found.findings.front().costBytes);
  EXPECT_EQ(packedBesideFindings(again), digest.digestedFindings);
}

TEST(BesideFindings, ofDamagedBytesAreNone) {
  SideFiles digest;
  digest.digestedFindings = packedBesideFindings(besideFindings(*outOfMemory()));
  const std::string right = digest.digestedFindings;
  for (std::size_t size = 1; size < right.size(); ++size) {
    digest.digestedFindings = right.substr(0, size);
    EXPECT_TRUE(besideFindings(digest).findings.empty()) << size;
  }
  // A kind that does not exist: after two flags and a count.
  digest.digestedFindings = right;
  digest.digestedFindings[10] = '\xff';
  EXPECT_TRUE(besideFindings(digest).findings.empty());
  EXPECT_FALSE(hasSnapshots(digest));
}

} // namespace rankscope
