// SPDX-License-Identifier: GPL-3.0-or-later
// Folded stacks opened as a job: the tree is the file's, and written again it is the same file.
// Covers core/io/folded/folded_stacks.
#include "core/io/folded/folded_reader.h"

#include "core/analysis/findings/finding_checks.h"
#include "core/analysis/job/recording_advice.h"
#include "core/analysis/stacks/job_stacks.h"
#include "core/io/folded/folded_stacks.h"
#include "core/io/load/trace_loader.h"
#include "core/report/job_report.h"
#include "core/report/stack_files.h"
#include "core/report/summary_text.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>
#include <string>

namespace rankscope {

namespace {

StackOptions asWritten() {
  StackOptions options;
  options.frames.foldPlumbing = false;
  options.frames.stripAddresses = false;
  options.joinBackward = false;
  return options;
}

std::string hostStacks(const Analysis& analysis) {
  return foldedText(weighedStacks(analysis, StackWeight::HostSelf, asWritten(), false, 2));
}

Result<std::shared_ptr<const TraceSet>> loadedFrom(const std::string& text, const std::string& name) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / name).string();
  test::writeTraceFile(path, text);
  Progress progress;
  return loadTraces({path}, {}, progress);
}

} // namespace

TEST(FoldedStacks, areLinesThatEndInAWeight) {
  EXPECT_EQ(foldedLine("a;b c 12")->frames, "a;b c");
  EXPECT_EQ(foldedLine("a;b 12.5\r")->weight, 12.5);
  EXPECT_EQ(foldedLine("a;b 3 12")->frames, "a;b"); // of two profiles the second
  EXPECT_EQ(foldedLine("a;b 3 12")->weight, 12);
  for (const char* const other : {"", "a;b", "a;b x", " 12", "a;b -3"})
    EXPECT_FALSE(foldedLine(other)) << other;
  const FoldedTree tree = foldedTree("# comment\na;b 2\na 1\na;c 4\nnothing\na;b;c 8\n");
  EXPECT_EQ(tree.lines, 5U);
  EXPECT_EQ(tree.skipped, 1U);
  ASSERT_EQ(tree.nodes.size(), 5U);
  EXPECT_EQ(tree.nodes[0].total, 15);
  EXPECT_EQ(tree.nodes[1].total, 15); // a
  EXPECT_EQ(tree.nodes[2].total, 10); // a;b
  EXPECT_EQ(foldedTree("a 9e99\na;b 99999999999999999999\n").nodes[0].total, std::int64_t{1} << 60);
}

TEST(FoldedReader, opensTheTreeOfTheFile) {
  const std::string text = "aten::mm 300\ntrain.py(1): main;nn.Module: Net_0 40\n"
                           "train.py(1): main;nn.Module: Net_0;aten::mm 5000\ntrain.py(1): main;step 7\n";
  for (const char* const name : {"stacks.folded", "stacks.txt", "stacks.folded.gz"}) {
    const auto loaded = loadedFrom(text, name);
    ASSERT_TRUE(loaded) << name;
    EXPECT_EQ(hostStacks(Analysis(*loaded)), text) << name;
  }
  EXPECT_FALSE(loadedFrom("a line of a log 12\nanother 13\n", "train.log"));
  EXPECT_FALSE(loadedFrom("a;b 0\n", "empty.folded"));
}

// No option of a profiler adds kernels to a file of stacks.
TEST(FoldedReader, whatStacksLackIsToBeRecordedWithAnotherProfiler) {
  const auto loaded = loadedFrom("main;train;forward 120\nmain;load 20\n", "stacks.folded");
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(areFoldedStacks(*loaded.value()));
  EXPECT_TRUE(optionFor(Recordable::Device, *loaded.value()).starts_with("torch.profiler, as folded stacks"));
  const JobReport report(std::make_shared<const Analysis>(loaded.value()));
  std::string reasons;
  for (const UncheckedKinds& part : uncheckedKinds(report.analysis())) reasons += part.reason + "\n";
  EXPECT_NE(reasons.find("Folded stacks have no device activity: record with torch.profiler."),
            std::string::npos)
      << reasons;
  const std::string text = reasons + summaryText(report);
  for (const std::string_view word : {"ProfilerActivity", "ProfilerStep", "profiler.step()"})
    EXPECT_EQ(text.find(word), std::string::npos) << text;
}

// What Rankscope wrote of a recording reads back as the same stacks.
TEST(FoldedReader, readsBackWhatWasWritten) {
  const auto files = test::recordingsBelow(test::sharedFolder() / "traces" / "h100-bert-small");
  RANKSCOPE_SKIP_UNLESS(!files.empty(), test::kNoRecordings);
  Progress progress;
  const auto recording = loadTraces({files.front().string()}, {}, progress);
  ASSERT_TRUE(recording);
  const std::string written = hostStacks(Analysis(*recording));
  const auto again = loadedFrom(written, "bert.folded");
  ASSERT_TRUE(again);
  EXPECT_EQ(hostStacks(Analysis(*again)), written);
}

} // namespace rankscope
