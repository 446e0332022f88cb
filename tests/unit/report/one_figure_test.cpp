// SPDX-License-Identifier: GPL-3.0-or-later
// A figure of a job is the same wherever it is shown: in the tables ranks, steps and attribution, in the
// overview and its devices, in the account behind Gains, in the charts of ranks, in the summary and in the
// texts of what-if. Of recordings of all sorts, of generated jobs drawn at random, of ranges and steps of
// them.
#include "core/analysis/graph/what_if.h"
#include "core/analysis/job/scope.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/io/load/trace_loader.h"
#include "core/report/attribution_table.h"
#include "core/report/job_report.h"
#include "core/report/overview_figures.h"
#include "core/report/overview_tables.h"
#include "core/report/rank_shares.h"
#include "core/report/step_means.h"
#include "core/report/steps_table.h"
#include "core/report/summary_text.h"
#include "core/report/tables.h"
#include "core/report/what_if_table.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
constexpr double kRounding = 1.0; // ns: of means that are whole numbers

double numberAt(const ResultTable& table, std::size_t row, std::string_view column) {
  const Cell cell = table.at(row, *table.columnNamed(column));
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  const auto* number = std::get_if<double>(&cell);
  return number != nullptr ? *number : std::nan("");
}

using RankKey = std::pair<double, double>; // rank, capture

RankKey rankAt(const ResultTable& table, std::size_t row) {
  return {numberAt(table, row, "rank"), numberAt(table, row, "capture")};
}

// Sums over the rows of `steps` that means are over.
struct KeptRows {
  double count = 0, duration = 0, kernels = 0;

  void add(const ResultTable& steps, std::size_t row) {
    ++count;
    duration += numberAt(steps, row, "duration_us");
    kernels += numberAt(steps, row, "compute_us") + numberAt(steps, row, "exposed_communication_us");
  }
};

std::map<RankKey, KeptRows> keptRows(const ResultTable& steps) {
  std::map<RankKey, KeptRows> kept, all;
  for (std::size_t row = 0; row < steps.rowCount(); ++row) {
    all[rankAt(steps, row)].add(steps, row);
    if (numberAt(steps, row, "kept") == 1) kept[rankAt(steps, row)].add(steps, row);
  }
  kept.insert(all.begin(), all.end()); // those of which none is kept
  return kept;
}

void expectRanksOfSteps(const Analysis& analysis) {
  const ResultTable ranks = ranksTable(analysis);
  const std::map<RankKey, KeptRows> kept = keptRows(stepsTable(analysis));
  const std::vector<RankShare> shares = rankShares(analysis, ShareOver::StepMean);
  for (std::size_t row = 0; row < ranks.rowCount(); ++row) {
    const RankIndex rank = analysis.ranks()[row];
    const double mean = numberAt(ranks, row, "step_mean_us");
    EXPECT_EQ(std::isnan(mean), !analysis.stepWindows(rank).areSteps());
    if (std::isnan(mean)) continue;
    const KeptRows& of = kept.at(rankAt(ranks, row));
    EXPECT_NEAR(mean, of.duration / of.count, kRounding);
    EXPECT_NEAR(static_cast<double>(shares[row].compute() + shares[row].exposed + shares[row].other), mean,
                4 * kRounding);
    const double busy = numberAt(ranks, row, "gpu_utilization_pct");
    if (!std::isnan(busy) && analysis.trace().rank(rank).trace->devices.size() == 1) {
      EXPECT_NEAR(busy, 100 * of.kernels / of.duration, 1e-6);
    }
  }
}

// The rows of a step add up to it, those of a range or recording to that.
void expectAttribution(const JobReport& report) {
  const Analysis& analysis = report.analysis();
  const ResultTable table = attributionTable(analysis, report.account());
  const ResultTable steps = stepsTable(analysis);
  std::map<std::tuple<double, double, double>, double> sums;
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    const double step = numberAt(table, row, "step");
    const auto [rank, capture] = rankAt(table, row);
    sums[{rank, capture, std::isnan(step) ? -1 : step}] += numberAt(table, row, "time_us");
  }
  std::map<std::tuple<double, double, double>, double> durations;
  for (std::size_t row = 0; row < steps.rowCount(); ++row) {
    const auto [rank, capture] = rankAt(steps, row);
    durations[{rank, capture, numberAt(steps, row, "step")}] += numberAt(steps, row, "duration_us");
  }
  for (const auto& [key, sum] : sums) {
    if (std::get<2>(key) < 0) continue;
    ASSERT_TRUE(durations.contains(key)) << std::get<0>(key) << ' ' << std::get<2>(key);
    EXPECT_EQ(sum, durations.at(key));
  }
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    const auto of = sums.find({double(entry.rank), double(entry.capture), -1});
    const TimeRange whole = report.account().of(rank).pieces.range().clippedTo(analysis.window(rank).ns());
    if (of != sums.end()) {
      EXPECT_EQ(of->second, static_cast<double>(whole.length()));
    }
  }
}

// "25.2 %" of a finding that has it; empty if none has.
std::string overlapOfFindings(const JobReport& report) {
  for (const Finding& finding : report.findings()) {
    const std::size_t end = finding.evidence.find(" of communication is overlapped by compute.");
    if (end == std::string::npos) continue;
    const std::size_t before = finding.evidence.rfind(". ", end);
    const std::size_t begin = before == std::string::npos ? 0 : before + 2;
    return finding.evidence.substr(begin, end - begin);
  }
  return {};
}

// Overview and Gains show the same step and the same shares of it.
void expectOneStep(const JobReport& report) {
  const OverviewFigures figures = overviewFigures(report.analysis(), report.account());
  const KeptAccount& kept = report.keptAccount();
  if (!kept.areSteps) return;
  ASSERT_TRUE(figures.stepMean.has_value());
  EXPECT_NEAR(static_cast<double>(*figures.stepMean), kept.stepTime, kRounding);
  const auto share = [&](TimeClass of) {
    return 100 * kept.shareOf(kept.classTimes[static_cast<std::size_t>(of)]);
  };
  if (!figures.hasDevices) return;
  EXPECT_NEAR(figures.compute->sharePct, share(TimeClass::Compute), 1e-6);
  EXPECT_NEAR(figures.idle->sharePct, share(TimeClass::Idle), 1e-6);
  if (figures.exposed) {
    EXPECT_NEAR(figures.exposed->sharePct, share(TimeClass::ExposedCommunication), 1e-6);
  }
  if (figures.overlap && figures.communication->mean > 0) {
    const double hidden =
        100 * static_cast<double>(figures.overlap->mean) / static_cast<double>(figures.communication->mean);
    const std::string told = overlapOfFindings(report);
    // The means are whole nanoseconds.
    EXPECT_TRUE(told.empty() || told == percentText(hidden) || told == percentText(hidden - 1e-3) ||
                told == percentText(hidden + 1e-3))
        << told << " and " << percentText(hidden);
  }
  const ResultTable groups = deviceGroupsTable(report.analysis());
  if (figures.utilization && groups.rowCount() == 1 && figures.leftOut.empty()) {
    EXPECT_NEAR(numberAt(groups, 0, "utilization_pct"), figures.utilization->meanPct, 1e-9);
  }
  for (const RankIndex rank : report.analysis().ranks())
    if (report.analysis().trace().rank(rank).trace->devices.size() != 1) return;
  if (figures.utilization) {
    EXPECT_NEAR(figures.utilization->meanPct,
                share(TimeClass::Compute) + share(TimeClass::ExposedCommunication), 1e-6);
  }
}

// What people read of a replay is the step of the job, not the window of the replay.
void expectStepOfWhatIf(const JobReport& report) {
  const WhatIf& whatIf = report.whatIf(2);
  EXPECT_EQ(isOfSteps(whatIf), report.keptAccount().areSteps);
  if (!report.keptAccount().areSteps) {
    EXPECT_FALSE(whatIfText(whatIf, {}).starts_with("Step"));
    return;
  }
  if (whatIf.keptWindows().empty()) return;
  const double step = report.keptAccount().stepTime;
  EXPECT_NEAR(whatIf.stepTime(), step, kRounding);
  const std::vector<WhatIfAnswer> answers = whatIf.answers(defaultScenarios());
  EXPECT_TRUE(
      whatIfText(whatIf, answers).starts_with("Step of the job: " + durationText(rounded(step)) + ","))
      << whatIfText(whatIf, answers);
  for (const WhatIfAnswer& answer : answers) {
    if (!answer.refused.empty()) continue;
    const ShownAnswer shown = shownAnswer(whatIf, answer);
    EXPECT_NEAR(shown.predicted + shown.gain, step, kRounding);
    EXPECT_GE(shown.predicted, 0);
    EXPECT_LE(answer.gainHigh, step + kRounding);
  }
}

void expectOneFigure(const JobReport& report) {
  expectRanksOfSteps(report.analysis());
  expectAttribution(report);
  expectOneStep(report);
}

void expectSummary(const JobReport& report) {
  const Analysis& analysis = report.analysis();
  if (analysis.ranks().size() > 16) return; // then it shows the least, the median and the most
  const std::string text = summaryText(report);
  for (const RankIndex rank : analysis.ranks())
    if (const auto mean = analysis.stepMean(rank)) {
      EXPECT_NE(text.find(durationText(*mean)), std::string::npos) << durationText(*mean);
    }
}

JobReport partOf(const std::shared_ptr<const Analysis>& whole, TimeRange range) {
  AnalysisScope scope;
  scope.ranks.reserve(whole->ranks().size());
  scope.windows.reserve(whole->ranks().size());
  for (const RankIndex rank : whole->ranks()) {
    scope.ranks.push_back(rank);
    scope.windows.push_back(whole->clocks().of(rank).fromJob(JobRange::of(range)));
  }
  return JobReport(std::make_shared<const Analysis>(*whole, scope), {}, GainMethod::Formula);
}

void expectOneFigureOf(const fs::path& path, bool replays) {
  SCOPED_TRACE(path.string());
  Progress progress;
  const auto loaded = loadTraces({path.string()}, {}, progress);
  if (!loaded.ok() || (*loaded)->ranks().empty()) return;
  const auto whole = std::make_shared<const Analysis>(*loaded);
  const JobReport report(whole, {}, GainMethod::Formula);
  expectOneFigure(report);
  expectSummary(report);
  if (replays) expectStepOfWhatIf(report);
  const auto all = std::make_shared<const Analysis>(*loaded, nullptr, AnalysisOptions{.allSteps = true});
  expectAttribution(JobReport(all, {}, GainMethod::Formula));
  std::mt19937_64 random(20);
  std::uniform_int_distribution<TimeNs> any(whole->extent().begin.ns(), whole->extent().end.ns());
  for (int round = 0; round < 3; ++round) {
    const auto [begin, end] = std::minmax({any(random), any(random)});
    SCOPED_TRACE(durationText(begin - whole->extent().begin.ns()) + " for " + durationText(end - begin));
    expectOneFigure(partOf(whole, {begin, end}));
  }
}

class OneFigureOfRecordings : public testing::TestWithParam<std::string> {};

} // namespace

TEST_P(OneFigureOfRecordings, isTheSameEverywhere) {
  RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
  expectOneFigureOf(test::sharedFolder() / "traces" / GetParam(), true);
}

INSTANTIATE_TEST_SUITE_P(All, OneFigureOfRecordings, testing::ValuesIn(test::sharedTraceSets()),
                         [](const auto& set) { return test::testNameOf(set.param); });

TEST(OneFigureOfCaptures, isTheSameEverywhere) {
  for (const char* name : {"torch-1.13.1", "torch-2.6.0"}) {
    const fs::path folder = test::captureFolder(name);
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) expectOneFigureOf(entry.path(), false);
  }
}

TEST(OneFigureOfGeneratedJobs, isTheSameEverywhere) {
  std::mt19937_64 random(2020);
  const auto upTo = [&](int maximum) { return std::uniform_int_distribution<int>(0, maximum)(random); };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    test::JobOptions options;
    options.seed = seed;
    options.ranks = 1 + upTo(3);
    options.steps = 1 + upTo(5);
    options.captures = 1 + upTo(2);
    options.layers = 2;
    options.syncEachStep = upTo(1) == 0;
    options.withProfilerSteps = upTo(3) != 0;
    options.overlapPermille = 500 * upTo(2);
    options.straggler.rank = upTo(1) == 0 ? upTo(options.ranks - 1) : -1;
    options.straggler.extraNs = 1 + upTo(5'000'000);
    options.gaps.push_back(
        {upTo(3) - 1, upTo(3) - 1, 1 + upTo(6'000'000), static_cast<test::GapCause>(upTo(4))});
    const test::TemporaryFolder folder;
    test::generateJob(options, folder.path());
    expectOneFigureOf(folder.path(), true);
  }
}

} // namespace rankscope
