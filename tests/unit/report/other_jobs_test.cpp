// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/other_jobs.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {
namespace {

TraceSet setOf(const std::vector<std::pair<std::string, FileStatus>>& files) {
  std::vector<FileRecord> records;
  for (const auto& [path, status] : files) {
    records.emplace_back().path = path;
    records.back().status = status;
    // As the loader numbers them: here by folder, those of one folder by the letter of the file.
    if (status == FileStatus::OtherJob)
      records.back().note =
          std::string("another job (job ") +
          (path.find("/b/rank") != std::string::npos                                       ? "2"
           : path.find("/c/") != std::string::npos || path.find("/x") != std::string::npos ? "3"
                                                                                           : "4") +
          " of those found): open it separately";
  }
  return {"job", StringTable(), {}, std::move(records), {}};
}

TEST(OtherJobs, areNamedBesideTheOneThatIsOpen) {
  const TraceSet set = setOf({{"runs/a/node0/rank0.json", FileStatus::Shown},
                              {"runs/a/node1/rank1.json", FileStatus::Shown},
                              {"runs/b/rank0.json", FileStatus::OtherJob},
                              {"runs/b/rank1.json", FileStatus::OtherJob},
                              {"runs/c/rank0.json", FileStatus::OtherJob},
                              {"runs/notes.json", FileStatus::NotATrace}});
  const std::vector<FoundJob> others = otherJobs(set);
  ASSERT_EQ(others.size(), 2U);
  EXPECT_EQ(others[0].folder, "runs/b");
  EXPECT_EQ(others[0].files.size(), 2U);
  EXPECT_EQ(
      otherJobsText(set),
      "several jobs were found; opened: runs/a (2 files); not opened: runs/b (2 files), runs/c (1 file). "
      "Open one of them by its folder or files");
}

TEST(OtherJobs, twoInOneFolderAreTwo) {
  const TraceSet set = setOf({{"runs/a0.json", FileStatus::Shown},
                              {"runs/x0.json", FileStatus::OtherJob},
                              {"runs/x1.json", FileStatus::OtherJob},
                              {"runs/y0.json", FileStatus::OtherJob}});
  const std::vector<FoundJob> others = otherJobs(set);
  ASSERT_EQ(others.size(), 2U);
  EXPECT_EQ(others[0].name, "runs/x0.json");
  EXPECT_EQ(others[0].files.size(), 2U);
  EXPECT_EQ(others[1].name, "runs/y0.json");
  EXPECT_EQ(otherJobsText(set),
            "several jobs were found; opened: runs/a0.json (1 file); not opened: runs/x0.json (2 files), "
            "runs/y0.json (1 file). Open one of them by its folder or files");
}

TEST(OtherJobs, ofASingleJobThereAreNone) {
  EXPECT_EQ(otherJobsText(setOf({{"rank0.json", FileStatus::Shown}, {"x.json", FileStatus::NotATrace}})), "");
}

} // namespace
} // namespace rankscope
