// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/job_part.h"

#include "core/analysis/job/scope.h"
#include "core/io/load/trace_loader.h"
#include "core/report/scope_options.h"
#include "core/report/summary_json.h"
#include "core/report/summary_text.h"
#include "tests/support/job_generator.h"
#include "tests/support/job_variants.h"
#include "tests/support/temporary_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rankscope {
namespace {

constexpr TimeNs kMs = 1'000'000;

class OneJobPart : public testing::Test {
 protected:
  OneJobPart() { test::generateJob(test::smallJob(), m_folder.path()); }

  // Of the job with this filter.
  [[nodiscard]] std::shared_ptr<const Analysis> loaded(const LoadFilter& filter = {}) const {
    LoadOptions options;
    options.filter = filter;
    Progress progress;
    const auto traces = loadTraces({m_folder.path().string()}, options, progress);
    if (traces) return std::make_shared<const Analysis>(*traces);
    ADD_FAILURE() << traces.error().text();
    return nullptr;
  }

  test::TemporaryFolder m_folder;
};

TEST(JobPart, IsNamedInWords) {
  EXPECT_EQ(partText({}), "");
  JobPart part{
      .steps = "2..5", .ranks = "0,3", .from = 20 * kMs, .to = 23 * kMs + 500, .capture = 2, .loaded = {}};
  EXPECT_EQ(partText(part), "Steps 2..5 · 20 ms to 23.0005 ms · ranks 0,3 · capture 2");
  EXPECT_FALSE(part.all());
  EXPECT_EQ(tableArguments(part), (std::vector<std::string>{"--steps", "2..5", "--from", "20000000ns", "--to",
                                                            "23000500ns", "--ranks", "0,3"}));
  JobPart loaded;
  loaded.loaded.steps = {4, 4};
  loaded.loaded.skipPython = true;
  EXPECT_EQ(partText(loaded), "Step 4 loaded · without Python stack");
  EXPECT_TRUE(loaded.all());
  EXPECT_EQ(loadArguments(loaded), (std::vector<std::string>{"--skip-python", "--load-steps", "4"}));
}

TEST_F(OneJobPart, SummariesSayWhatTheyAreOf) {
  const auto whole = loaded();
  const auto part = std::make_shared<const Analysis>(
      *whole,
      onlyRanks(*whole,
                scopeOfRange(*whole, {whole->extent().begin + 2 * kMs, whole->extent().begin + 5 * kMs}),
                std::vector<int>{0}));
  const JobPart asked{.steps = {}, .ranks = "0", .from = 2 * kMs, .to = 5 * kMs, .capture = {}, .loaded = {}};
  const JobReport report(part);
  EXPECT_NE(summaryText(report, asked).find("\nPart of the job: 2 ms to 5 ms · rank 0 (3.00 ms)\n"),
            std::string::npos)
      << summaryText(report, asked);
  const std::string json = summaryJson(report, {}, {}, asked);
  for (const std::string_view line :
       {"\"text\": \"2 ms to 5 ms · rank 0\"", "\"from_us\": 2000,", "\"to_us\": 5000,", "\"ranks\": \"0\"",
        "\"steps\": null", "\"loaded_steps\": null"})
    EXPECT_NE(json.find(line), std::string::npos) << line;
  EXPECT_EQ(windowArguments(*part, part->extent().begin),
            (std::vector<std::string>{"--range", "2000000ns..5000000ns", "--ranks", "0"}));
  EXPECT_EQ(summaryText(JobReport(whole)).find("Part of the job"), std::string::npos);
  EXPECT_NE(summaryJson(JobReport(whole), {}).find("\"text\": null"), std::string::npos);
  EXPECT_TRUE(windowArguments(*whole, whole->extent().begin).empty());
}

// A filter of steps that no file marks loads everything.
TEST_F(OneJobPart, StepsToLoadThatAreNotThereAreTold) {
  const auto whole = loaded();
  const std::int64_t first = whole->wholeStepWindows(RankIndex(0)).steps.front().number;
  const std::int64_t last = whole->wholeStepWindows(RankIndex(0)).steps.back().number;
  const LoadFilter none{false, false, LoadFilter::Steps{last + 50, last + 50}};
  const ScopeMatch nothing = loadedStepsMatch(*loaded(none), *none.steps);
  ASSERT_EQ(nothing.nothing.size(), 1U);
  EXPECT_EQ(nothing.nothing[0], fmt::format("the job has steps {}..{}, not step {}", first, last, last + 50));
  EXPECT_TRUE(stepsWereUnmarked(loaded(none)->trace()));
  const LoadFilter some{false, false, LoadFilter::Steps{last, last + 50}};
  const ScopeMatch part = loadedStepsMatch(*loaded(some), *some.steps);
  EXPECT_TRUE(part.matches());
  ASSERT_EQ(part.onlyPart.size(), 1U);
  EXPECT_EQ(part.onlyPart[0], fmt::format("of steps {}..{} the job has step {}", last, last + 50, last));
  const LoadFilter all{false, false, LoadFilter::Steps{last, last}};
  const ScopeMatch match = loadedStepsMatch(*loaded(all), *all.steps);
  EXPECT_TRUE(match.matches() && match.onlyPart.empty());
}

// Captures have steps of other numbers.
TEST(StepsToLoad, RecordingsThatDoNotMarkThemAreCounted) {
  const test::TemporaryFolder folder;
  test::JobOptions job = test::smallJob();
  job.captures = 2;
  test::generateJob(job, folder.path());
  LoadOptions options;
  Progress progress;
  const auto whole = loadTraces({folder.path().string()}, options, progress);
  ASSERT_TRUE(whole);
  const Analysis all(*whole);
  const std::int64_t first = all.wholeStepWindows(RankIndex(0)).steps.front().number;
  options.filter.steps = LoadFilter::Steps{first, first};
  const auto some = loadTraces({folder.path().string()}, options, progress);
  ASSERT_TRUE(some);
  const ScopeMatch match = loadedStepsMatch(Analysis(*some), *options.filter.steps);
  EXPECT_TRUE(match.matches());
  ASSERT_EQ(match.onlyPart.size(), 1U);
  const std::size_t recordings = (*some)->ranks().size();
  EXPECT_EQ(match.onlyPart[0],
            fmt::format("{} of {} recordings do not mark step {}: everything of them was loaded",
                        recordings / 2, recordings, first));
}

// Each option matches, and both together nothing.
TEST_F(OneJobPart, StepsOutsideOfTheRangeMatchNothing) {
  const auto whole = loaded();
  const StepWindows& steps = whole->wholeStepWindows(RankIndex(0));
  ScopeOptions options;
  options.steps = std::to_string(steps.steps.front().number);
  options.from = fmt::format("{}ns", steps.steps.back().range.begin - whole->extent().begin.ns());
  EXPECT_FALSE(scopeMatch(*whole, options).matches());
  options.from = {};
  EXPECT_TRUE(scopeMatch(*whole, options).matches());
}

} // namespace
} // namespace rankscope
