// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/load_forecast.h"

#include "core/io/load/trace_loader.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

constexpr std::uint64_t kGb = 1'000'000'000;

// A job with Python frames and operators enough that leaving them out shows.
class LoadForecasts : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    s_folder = new test::TemporaryFolder;
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 3;
    options.withStack = true;
    (void)test::generateJob(options, s_folder->path());
    s_files = discoverTraceFiles(paths()).files;
  }
  static void TearDownTestSuite() { delete s_folder; }

  static std::vector<std::string> paths() { return {s_folder->path().string()}; }
  // So much that exactly this can be taken.
  static std::uint64_t availableFor(std::uint64_t space) {
    std::uint64_t available = space;
    while (available - memoryReserve(available) < space) ++available;
    return available;
  }

  static inline test::TemporaryFolder* s_folder = nullptr;
  static inline std::vector<DiscoveredFile> s_files;
};

TEST_F(LoadForecasts, holdTheEstimateOfEveryChoice) {
  const LoadForecast forecast = forecastLoad(s_files, 2, kGb);
  std::vector<std::string> names;
  for (const DiscoveredFile& file : s_files) names.push_back(file.path);
  for (const LoadFilter& filter :
       {LoadFilter{}, LoadFilter{true, false, {}}, LoadFilter{false, true, {}}, LoadFilter{true, true, {}}})
    EXPECT_EQ(forecast.of(filter).peakBytes, estimateLoad(names, filter, 2).peakBytes);
  EXPECT_LT(forecast.of({true, false, {}}).peakBytes, forecast.of({}).peakBytes);
  EXPECT_LT(forecast.of({true, true, {}}).peakBytes, forecast.of({true, false, {}}).peakBytes);
  EXPECT_EQ(forecast.files, 2U);
}

TEST_F(LoadForecasts, countOnlyFilesWithEvents) {
  const test::TemporaryFolder folder;
  test::writeTraceFile(folder / "ground_truth.json", R"({"ranks": 2, "steps": [1, 2]})");
  std::vector<DiscoveredFile> files = s_files;
  files.push_back({folder / "ground_truth.json", "ground_truth.json", 30});
  EXPECT_EQ(forecastLoad(files, 2, kGb).files, 2U);
}

TEST_F(LoadForecasts, areMadeOnlyOfWhatDoesNotFit) {
  const std::uint64_t whole = forecastLoad(s_files, 1, kGb).of({}).peakBytes;
  EXPECT_FALSE(forecastShortage(s_files, {}, 1, availableFor(whole)));
  const auto shortage = forecastShortage(s_files, {}, 1, availableFor(whole) - 4);
  ASSERT_TRUE(shortage);
  EXPECT_FALSE(shortage->fits({}));
  EXPECT_EQ(shortage->of({}).peakBytes, whole);
}

TEST_F(LoadForecasts, ofSmallFilesDoNotEvenOpenThem) {
  std::vector<DiscoveredFile> files = s_files;
  files.front().path = "/nowhere/rank0.json";
  EXPECT_FALSE(forecastShortage(files, {}, 1, 100 * kGb));
}

TEST_F(LoadForecasts, doNotJudgeWhoChoseSteps) {
  EXPECT_FALSE(forecastShortage(s_files, {.steps = LoadFilter::Steps{1, 2}}, 1, 1000));
}

TEST_F(LoadForecasts, leaveOutAsLittleAsFits) {
  LoadForecast forecast = forecastLoad(s_files, 1, kGb);
  const auto fittingIn = [&](std::uint64_t space) {
    forecast.available = availableFor(space);
    return forecast.fitting({});
  };
  const LoadFilter noPython{true, false, {}};
  const LoadFilter neither{true, true, {}};
  EXPECT_EQ(fittingIn(forecast.of({}).peakBytes), LoadFilter{});
  EXPECT_EQ(fittingIn(forecast.of(noPython).peakBytes), noPython);
  EXPECT_EQ(fittingIn(forecast.of(noPython).peakBytes - 1), neither);
  EXPECT_EQ(fittingIn(1), neither) << "all that can be, though it does not suffice";
}

TEST_F(LoadForecasts, areNotFarFromWhatTheJobHolds) {
  LoadOptions options;
  options.threadCount = 1;
  Progress progress;
  const auto loaded = loadTraces(paths(), options, progress);
  ASSERT_TRUE(loaded.ok());
  const auto kept = static_cast<double>(forecastLoad(s_files, 1, kGb).of({}).keptBytes);
  EXPECT_NEAR(static_cast<double>(heldBytes(**loaded)), kept, 0.3 * kept);
}

TEST_F(LoadForecasts, standInTheWayBeforeAnythingIsRead) {
  LoadOptions options;
  int asked = 0;
  std::vector<DiscoveredFile> seen;
  options.mayRead = [&](std::span<const DiscoveredFile> files) {
    ++asked;
    seen.assign(files.begin(), files.end());
    return false;
  };
  Progress progress;
  const auto refused = loadTraces(paths(), options, progress);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::Cancelled);
  EXPECT_EQ(progress.eventsDone, 0U);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(seen, s_files);

  options.mayRead = [](std::span<const DiscoveredFile>) { return true; };
  EXPECT_TRUE(loadTraces(paths(), options, progress).ok());
}

TEST_F(LoadForecasts, areNotAskedForByAJobOfTheCache) {
  const test::TemporaryFolder cache;
  LoadOptions options;
  options.cache = TraceCacheSettings{cache.path().string(), kGb, 0};
  Progress progress;
  const auto read = loadTraces(paths(), options, progress);
  ASSERT_TRUE(read.ok());
  ASSERT_TRUE(writeTraceCache(**read, *options.cache));
  options.mayRead = [](std::span<const DiscoveredFile>) { return false; };
  const auto cached = loadTraces(paths(), options, progress);
  ASSERT_TRUE(cached.ok());
  EXPECT_TRUE((*cached)->origin().cached);
  EXPECT_EQ(heldBytes(**cached), 0U);
}

TEST(MemoryReserve, isATenthButNeverMostOfALittle) {
  EXPECT_EQ(memoryReserve(100 * kGb), 10 * kGb);
  EXPECT_EQ(memoryReserve(4 * kGb), std::uint64_t{512} << 20);
  EXPECT_EQ(memoryReserve(1'000'000), 250'000U);
  EXPECT_EQ(memoryReserve(0), 0U);
}

// Steps 12 to 14, the first of them far from the last.
std::string markedText(int copies) {
  test::TraceText text;
  text.addStep(13, 0, 1000).addAnnotation(100, 0, 10, "ProfilerSteps");
  for (int i = 0; i < copies; ++i) text.addCpuOp(100, 10 * i, 5, "aten::something_with_a_long_name");
  text.addStep(12, 2000, 1000).addStep(14, 3000, 1000);
  return text.text();
}

TEST(StepNumbers, areThoseOfTheWholeFileCompressedOrNot) {
  const test::TemporaryFolder folder;
  constexpr int kMoreThanOneWindow = 50'000;
  const std::string text = markedText(kMoreThanOneWindow);
  ASSERT_GT(text.size(), std::size_t{4} << 20);
  for (const char* name : {"rank0.json", "rank0.json.gz"}) {
    test::writeTraceFile(folder / name, text);
    const auto steps = stepNumbers(folder / name, false);
    ASSERT_TRUE(steps) << name;
    EXPECT_EQ(*steps, (LoadFilter::Steps{12, 14})) << name;
    EXPECT_FALSE(stepNumbers(folder / name, true)) << "given up";
  }
}

TEST(StepNumbers, ofAFileWithoutMarksAreNone) {
  const test::TemporaryFolder folder;
  test::writeTraceFile(folder / "rank0.json", test::TraceText().addCpuOp(1, 0, 5, "aten::mm").text());
  EXPECT_FALSE(stepNumbers(folder / "rank0.json", false));
  EXPECT_FALSE(stepNumbers(folder / "no file", false));
}

} // namespace
} // namespace rankscope
