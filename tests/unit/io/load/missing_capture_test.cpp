// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/missing_capture.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace rankscope {
namespace {

// Of each (rank, capture), shown.
std::vector<FileRecord> filesOfCaptures(const std::vector<std::pair<int, int>>& captures) {
  std::vector<FileRecord> files;
  files.reserve(captures.size());
  for (const auto& [rank, capture] : captures) {
    FileRecord& file = files.emplace_back();
    file.status = FileStatus::Shown;
    file.rank = rank;
    file.capture = capture;
  }
  return files;
}

std::string messageFor(const std::vector<FileRecord>& files, int capture) {
  const auto error = missingCapture(files, capture, "job");
  return error ? error->text() : std::string();
}

TEST(MissingCapture, isAnErrorThatSaysWhichThereAre) {
  const auto files = filesOfCaptures({{0, 1}, {0, 2}, {0, 3}, {1, 1}, {1, 2}});
  EXPECT_EQ(messageFor(files, 9), "job: no rank has capture 9; the job has captures 1-3");
  EXPECT_EQ(messageFor(files, 3), "") << "one rank has it";
  EXPECT_EQ(messageFor(filesOfCaptures({{0, 1}, {1, 1}}), 2),
            "job: no rank has capture 2; the job has only capture 1");
  EXPECT_TRUE(isMissingCapture(*missingCapture(files, 9, "job")));
  EXPECT_FALSE(isMissingCapture({ErrorKind::Io, "no rank has capture 9", "job", std::nullopt}));
  EXPECT_FALSE(isMissingCapture({ErrorKind::Unsupported, "a digest is a whole job", "job", std::nullopt}));
}

TEST(MissingCapture, isNotTheReasonWhereNothingWasReadAtAll) {
  std::vector<FileRecord> files(2);
  files[1].status = FileStatus::OtherJob;
  EXPECT_EQ(messageFor(files, 9), "");
  EXPECT_EQ(messageFor({}, 1), "");
}

TEST(MissingCapture, namesTheRanksThatLackWhatOthersHave) {
  const auto named = [](const std::vector<FileRecord>& files, int capture,
                        const std::optional<std::set<int>>& only = std::nullopt) {
    return ranksWithoutCapture(TraceSet("job", StringTable(), {}, files), capture, only);
  };
  const auto files = filesOfCaptures({{0, 1}, {0, 2}, {1, 1}, {2, 1}, {2, 2}, {3, 1}, {4, 1}, {5, 1}});
  EXPECT_EQ(named(files, 1), "");
  EXPECT_EQ(named(files, 2), "ranks 1, 3-5 have no capture 2");
  EXPECT_EQ(named(files, 2, std::set{0, 1}), "rank 1 has no capture 2");
  EXPECT_EQ(named(files, 2, std::set{0, 2}), "");
}

} // namespace
} // namespace rankscope
