// SPDX-License-Identifier: GPL-3.0-or-later
// The overview's figures are those of the tables: every one is made again from the cells of steps, ranks and
// findings, of a whole job and of a part of it. Covers core/report/gpu_means, too.
#include "core/report/overview_figures.h"

#include "core/analysis/findings/finding_checks.h"
#include "core/analysis/job/scope.h"
#include "core/io/load/trace_loader.h"
#include "core/report/findings_table.h"
#include "core/report/job_report.h"
#include "core/report/key_figures.h"
#include "core/report/overview_tables.h"
#include "core/report/step_means.h"
#include "core/report/steps_table.h"
#include "core/report/tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hand_made_job.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

namespace rankscope {

namespace {

std::shared_ptr<const Analysis> generated(const test::JobOptions& options) {
  const test::TemporaryFolder folder;
  test::generateJob(options, folder.path());
  Progress progress;
  auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  return std::make_shared<const Analysis>(*loaded);
}

test::JobOptions smallJob() {
  test::JobOptions options;
  options.ranks = 3;
  options.steps = 4;
  return options;
}

OverviewFigures figuresOf(const Analysis& analysis) {
  return overviewFigures(analysis, jobAccount(analysis, 1));
}

std::vector<double> columnOf(const ResultTable& table, std::string_view name) {
  std::vector<double> values;
  const std::size_t column = *table.columnNamed(name);
  const auto kept = table.columnNamed("kept");
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    if (kept && table.at(row, *kept) == Cell(std::int64_t{0})) continue;
    const Cell cell = table.at(row, column);
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) values.push_back(static_cast<double>(*whole));
    if (const auto* number = std::get_if<double>(&cell)) values.push_back(*number);
  }
  return values;
}

double sumOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double meanOf(const std::vector<double>& values) {
  return sumOf(values) / static_cast<double>(values.size());
}

void expectPart(const std::optional<StepPart>& part, const ResultTable& steps, const char* column) {
  SCOPED_TRACE(column);
  ASSERT_TRUE(part.has_value());
  const std::vector<double> times = columnOf(steps, column);
  EXPECT_NEAR(static_cast<double>(part->mean), meanOf(times), 0.51);
  EXPECT_NEAR(part->sharePct, 100 * sumOf(times) / sumOf(columnOf(steps, "duration_us")), 1e-9);
}

void expectFiguresOfTables(const Analysis& analysis) {
  const OverviewFigures figures = figuresOf(analysis);
  const ResultTable steps = stepsTable(analysis);
  const ResultTable ranks = ranksTable(analysis);
  ASSERT_TRUE(figures.stepMean.has_value());
  EXPECT_NEAR(static_cast<double>(*figures.stepMean), meanOf(columnOf(steps, "duration_us")), 0.51);
  const std::vector<double> numbers = columnOf(steps, "step");
  EXPECT_EQ(static_cast<std::size_t>(figures.steps), std::set<double>(numbers.begin(), numbers.end()).size());
  expectPart(figures.compute, steps, "compute_us");
  expectPart(figures.overlap, steps, "overlap_us");
  expectPart(figures.exposed, steps, "exposed_communication_us");
  expectPart(figures.idle, steps, "idle_us");
  // A kernel runs where there is computation or exposed communication, and nowhere else.
  EXPECT_NEAR(
      figures.utilization->meanPct,
      100 * (sumOf(columnOf(steps, "compute_us")) + sumOf(columnOf(steps, "exposed_communication_us"))) /
          sumOf(columnOf(steps, "duration_us")),
      1e-9);
  EXPECT_EQ(figures.utilization->lowestPct, std::ranges::min(columnOf(ranks, "gpu_utilization_pct")));
  const auto expectBetween = [&](const std::optional<RankFigure>& figure, const char* column) {
    const std::vector<double> values = columnOf(ranks, column);
    EXPECT_GE(figure->meanPct, std::ranges::min(values) - 1e-9) << column;
    EXPECT_LE(figure->meanPct, std::ranges::max(values) + 1e-9) << column;
  };
  expectBetween(figures.smEfficiency, "sm_efficiency_pct");
  expectBetween(figures.occupancy, "occupancy_pct");
  double hostSteps = 0;
  for (const RankIndex rank : analysis.ranks()) {
    const auto& marked = analysis.stepWindows(rank).steps;
    for (const StepWindow& step : marked) hostSteps += static_cast<double>(step.host.length());
  }
  for (const PhasePart& of : figures.phases) {
    const char* const column = of.phase == Phase::Forward     ? "forward_us"
                               : of.phase == Phase::Backward  ? "backward_us"
                               : of.phase == Phase::Optimizer ? "optimizer_us"
                                                              : nullptr;
    if (column == nullptr) continue;
    const std::vector<double> times = columnOf(steps, column);
    EXPECT_NEAR(static_cast<double>(of.part.mean), meanOf(times), 0.51) << column;
    EXPECT_NEAR(of.part.sharePct, 100 * sumOf(times) / hostSteps, 1e-9) << column;
    EXPECT_LE(of.part.sharePct, 100) << column;
  }
}

TEST(OverviewFigures, areThoseOfTheTables) {
  const auto whole = generated(smallJob());
  expectFiguresOfTables(*whole);
  const auto& steps = whole->stepWindows(RankIndex(0)).steps;
  const Analysis part(*whole, scopeOfSteps(*whole, steps[1].number, steps[2].number));
  expectFiguresOfTables(part);
  EXPECT_EQ(figuresOf(part).steps, 2);
}

TEST(OverviewFigures, meansAreOfTheKeptStepsAsInTheAccount) {
  HandMadeJob job;
  for (int rank = 0; rank < 2; ++rank) {
    HandMadeRank events;
    TimeNs begin = 0;
    for (int step = 0; step < 5; ++step) {
      const TimeNs length = step == 0 ? 9'000 : 1'000; // warm-up
      events.annotation(begin, length, "ProfilerStep#" + std::to_string(step));
      events.kernel(7, begin + 100, 600, "gemm");
      begin += length;
    }
    job.add(rank, std::move(events));
  }
  const auto analysis = std::make_shared<const Analysis>(job.build());
  const OverviewFigures figures = figuresOf(*analysis);
  EXPECT_EQ(figures.stepMean, 1'000);
  EXPECT_EQ(figures.steps, 4);
  EXPECT_EQ(figures.stepsLeftOut, 1);
  const JobReport report(analysis);
  EXPECT_DOUBLE_EQ(report.keptAccount().stepTime, 1'000);
  ASSERT_TRUE(figures.idle);
  EXPECT_NEAR(figures.idle->sharePct, 40, 1e-9);
  EXPECT_NE(keyFigureTexts(figures, analysis->trace())[0].note.find("4 of 5 steps"), std::string::npos);
  // Asked for alone, it is shown.
  const Analysis first(*analysis, scopeOfSteps(*analysis, 0, 0));
  EXPECT_EQ(figuresOf(first).stepMean, 9'000);
}

TEST(OverviewFigures, stepsThatWereDetectedAreCalledThat) {
  const auto cardOf = [](const std::string& name) {
    HandMadeRank events;
    for (int step = 0; step < 4; ++step)
      events.annotation(TimeNs{2'000} * step, 1'000, name + std::to_string(step));
    HandMadeJob job;
    job.add(0, std::move(events));
    const Analysis analysis(job.build());
    return keyFigureTexts(figuresOf(analysis), analysis.trace())[0];
  };
  const KeyFigureText marked = cardOf("ProfilerStep#");
  EXPECT_TRUE(marked.note.ends_with(" over 4 steps")) << marked.note;
  EXPECT_EQ(marked.more, "");
  const KeyFigureText detected = cardOf("iteration ");
  EXPECT_TRUE(detected.note.ends_with(" over 4 detected steps")) << detected.note;
  EXPECT_EQ(detected.more, "The profiler marked no steps; they were taken from a repeating annotation.");
}

TEST(OverviewFigures, spreadIsThatOfTheStepsNotOfTheRanks) {
  // Rank 1 is always slower, but no step is longer than another.
  HandMadeJob job;
  for (int rank = 0; rank < 2; ++rank) {
    HandMadeRank events;
    const TimeNs length = 1'000 + TimeNs{500} * rank;
    for (int step = 0; step < 3; ++step)
      events.annotation(TimeNs{2'000} * step, length, "ProfilerStep#" + std::to_string(step));
    job.add(rank, std::move(events));
  }
  const Analysis analysis(job.build());
  const OverviewFigures figures = figuresOf(analysis);
  EXPECT_EQ(figures.stepMean, 1'250);
  EXPECT_EQ(figures.stepSpread, 0);
  EXPECT_FALSE(figures.idle.has_value());
  EXPECT_FALSE(figures.exposed.has_value());
  EXPECT_FALSE(figures.utilization.has_value());
}

TEST(OverviewFigures, withoutAStepInThePartTheDeviceTimeIsReported) {
  const auto whole = generated(smallJob());
  AnalysisScope scope = wholeScope(*whole);
  const TimeRange step = whole->stepWindows(RankIndex(0)).steps[1].range;
  for (RankRange& window : scope.windows)
    window = RankRange::of({step.begin + step.length() / 4, step.begin + step.length() / 2});
  const Analysis part(*whole, scope);
  const OverviewFigures figures = figuresOf(part);
  EXPECT_FALSE(figures.areSteps);
  EXPECT_TRUE(figures.recordingHasSteps);
  EXPECT_FALSE(figures.stepMean.has_value());
  ASSERT_TRUE(figures.idle.has_value());
  EXPECT_NEAR(static_cast<double>(figures.idle->mean), meanOf(columnOf(ranksTable(part), "idle_us")), 0.51);
  // Its utilization is of all of it, not from the first kernel to the last.
  const std::string note =
      keyFigureTexts(figures, part.trace())[static_cast<std::size_t>(KeyFigure::Utilization)].note;
  EXPECT_TRUE(note.ends_with(", of the range")) << note;
}

// Four figures are missing for one reason, so one of them is enough to say what to do.
TEST(OverviewFigures, withoutADeviceOneFigureSaysHowToRecordIt) {
  HandMadeRank events;
  events.op(0, 1'000, "aten::add");
  HandMadeJob job;
  job.add(0, std::move(events));
  const Analysis analysis(job.build());
  int missing = 0, advice = 0;
  for (const KeyFigureText& text : keyFigureTexts(figuresOf(analysis), analysis.trace())) {
    missing += text.note.starts_with("no device activity was recorded") ? 1 : 0;
    advice += text.note.find("ProfilerActivity.CUDA") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(missing, 4);
  EXPECT_EQ(advice, 1);
}

OverviewFigures figuresWith(double computePct, double exposedPct, double idlePct, Leaf cause) {
  OverviewFigures figures;
  figures.hasDevices = figures.areSteps = true;
  figures.compute = StepPart{static_cast<TimeNs>(computePct * 1e6), computePct};
  figures.communication = StepPart{static_cast<TimeNs>(exposedPct * 2e6), exposedPct * 2};
  figures.overlap = figures.exposed = StepPart{static_cast<TimeNs>(exposedPct * 1e6), exposedPct};
  figures.idle = StepPart{static_cast<TimeNs>(idlePct * 1e6), idlePct};
  figures.idleCause = cause;
  return figures;
}

// Several recordings do not make it one of each: the range is common.
TEST(OverviewFigures, figuresOfARangeAreNotPerRecording) {
  OverviewFigures figures = figuresWith(20, 0, 70, Leaf::HostPython);
  figures.areSteps = false;
  figures.ranks.captures = 2;
  EXPECT_NE(overviewSentence(figures).find(" per recording"), std::string::npos) << overviewSentence(figures);
  figures.isRange = true;
  EXPECT_EQ(overviewSentence(figures).find("recording"), std::string::npos) << overviewSentence(figures);
}

TEST(OverviewSentence, saysWhatBindsTheJob) {
  constexpr Leaf python = Leaf::HostPython;
  EXPECT_EQ(overviewSentence(figuresWith(90, 1, 1, python)),
            "Compute-bound: 90.0 ms compute, 2.00 ms communication per step; 50.0 % of the communication is "
            "overlapped.");
  EXPECT_TRUE(overviewSentence(figuresWith(80, 12, 1, python))
                  .starts_with("Compute-bound with exposed communication: "));
  EXPECT_TRUE(overviewSentence(figuresWith(80, 1, 12, python)).starts_with("Compute-bound with idle gaps: "));
  EXPECT_TRUE(
      overviewSentence(figuresWith(50, 40, 5, python)).starts_with("Communication-bound with idle gaps: "));
  EXPECT_TRUE(overviewSentence(figuresWith(50, 10, 30, Leaf::HostInput))
                  .starts_with("Input-bound with exposed communication: "));
  EXPECT_TRUE(overviewSentence(figuresWith(50, 2, 30, Leaf::HostSync)).starts_with("Host-bound: "));
  EXPECT_TRUE(
      overviewSentence(figuresWith(50, 2, 30, Leaf::DispatchOther)).starts_with("Launch-bound: 50.0 ms "));
  EXPECT_TRUE(overviewSentence(figuresWith(50, 2, 30, Leaf::QueueDependency)).starts_with("Mostly idle: "));
  EXPECT_EQ(overviewSentence({}), "");
}

// The headline and the first finding are about the same.
TEST(OverviewSentence, saysNothingOfAHostWithoutOperators) {
  OverviewFigures figures = figuresWith(0, 0, 0, Leaf::HostPython);
  EXPECT_TRUE(overviewSentence(figures).starts_with("Memcpy-bound: no compute kernels"))
      << overviewSentence(figures);
  figures.hasDevices = false;
  EXPECT_EQ(overviewSentence(figures), "");
  figures.communication = StepPart{2'000'000, 2};
  EXPECT_EQ(overviewSentence(figures).find(
                "Communication-bound: no operators beside communication, 2.00 ms communication"),
            0U)
      << overviewSentence(figures);
  figures.compute = StepPart{1'000, 1};
  EXPECT_EQ(overviewSentence(figures).find("Compute-bound on the CPU: 1.00 µs compute"), 0U)
      << overviewSentence(figures);
}

// A job that waits for its DataLoader is not bound by what it computes meanwhile.
TEST(OverviewSentence, saysWhatAJobWithoutADeviceWaitsFor) {
  OverviewFigures figures = figuresWith(18, 17, 0, Leaf::HostInput);
  figures.hasDevices = false;
  figures.idle.reset();
  figures.hostIdle = StepPart{64'000'000, 64};
  EXPECT_TRUE(overviewSentence(figures).starts_with("Input-bound ")) << overviewSentence(figures);
  EXPECT_NE(overviewSentence(figures).find(", 64.0 ms idle"), std::string::npos) << overviewSentence(figures);
}

TEST(OverviewFigures, ofAHostWithoutStepsHaveItsIdleTime) {
  HandMadeRank rank;
  rank.op(0, 2'000'000, "aten::linear").op(8'000'000, 2'000'000, "aten::linear");
  HandMadeJob job;
  job.add(0, std::move(rank));
  const auto analysis = std::make_shared<const Analysis>(job.build());
  const OverviewFigures figures = overviewFigures(*analysis, jobAccount(*analysis, 1));
  ASSERT_TRUE(figures.hostIdle);
  EXPECT_EQ(figures.hostIdle->mean, 6'000'000);
  EXPECT_DOUBLE_EQ(figures.hostIdle->sharePct, 60);
  EXPECT_TRUE(overviewSentence(figures).starts_with("Host-bound: 4.00 ms compute, 6.00 ms idle"))
      << overviewSentence(figures);
}

TEST(OverviewSentence, namesTheRankThatTheOthersWaitFor) {
  EXPECT_EQ(overviewSentence(figuresWith(50, 40, 5, Leaf::HostInput), "rank 3, a straggler"),
            "Bound by rank 3, a straggler: 50.0 ms compute, 80.0 ms communication, 5.00 ms idle per step; "
            "50.0 % of the communication is overlapped.");
  test::JobOptions options;
  options.steps = 6;
  options.straggler = {2, 8'000'000, 0, test::StragglerKind::DataLoader};
  const auto slow = generated(options);
  const JobReport report(slow);
  const std::string late = lateRanksText(slow->trace(), report.findings());
  EXPECT_EQ(late, "rank 2, a straggler");
  EXPECT_TRUE(overviewSentence(overviewFigures(*slow, report.account()), late)
                  .starts_with("Bound by rank 2, a straggler: "));
  options.straggler = {};
  const auto healthy = generated(options);
  EXPECT_EQ(lateRanksText(healthy->trace(), JobReport(healthy).findings()), "");
}

TEST(OverviewSentence, tellsTheEdgesOfTheRecordingApart) {
  OverviewFigures figures = figuresWith(50, 0, 50, Leaf::QueueLatency);
  figures.communication = figures.overlap = figures.exposed = std::nullopt;
  figures.areSteps = false;
  figures.ranks = {1, 1};
  figures.recordingPct = 49;
  EXPECT_EQ(overviewSentence(figures),
            "Compute-bound: 50.0 ms compute, 49.0 ms at the edges of the recording.");
  const auto job = generated(smallJob());
  const auto card = [&](KeyFigure figure) {
    return keyFigureTexts(figures, job->trace())[static_cast<std::size_t>(figure)];
  };
  EXPECT_EQ(card(KeyFigure::Idle).value, "1.0 %");
  EXPECT_EQ(card(KeyFigure::Idle).note, "1.00 ms of the recording, mostly launch latency; without 49.0 ms at "
                                        "the edges of the recording");
  EXPECT_EQ(idleSeverity(figures), std::nullopt);
  figures.ranks = {2, 2};
  figures.recordingPct = 20;
  EXPECT_EQ(overviewSentence(figures), "Launch-bound: 50.0 ms compute, 30.0 ms idle, 20.0 ms at the edges of "
                                       "the recording per recording.");
  EXPECT_EQ(idleCauseText(figures), "launch latency");
  // Of a step with short edges too, which the sentence does not name.
  figures.areSteps = true;
  figures.recordingPct = 1;
  EXPECT_EQ(overviewSentence(figures), "Launch-bound: 50.0 ms compute, 49.0 ms idle per step.");
  EXPECT_EQ(card(KeyFigure::Idle).note,
            "49.0 ms/step, mostly launch latency; without 1.00 ms at the edges of the recording");
}

// Its finding says that it costs the job nothing.
TEST(OverviewSentence, startSkewOfRecordingsIsToldApart) {
  OverviewFigures figures = figuresWith(50, 40, 5, Leaf::HostPython);
  figures.startSkewPct = 20;
  const KeyFigureText card =
      keyFigureTexts(figures, generated(smallJob())->trace())[static_cast<std::size_t>(KeyFigure::Exposed)];
  EXPECT_EQ(card.value, "40.0 ms");
  EXPECT_EQ(card.note, "40.0 % of the step; 20.0 ms of it start skew of the recordings");
  EXPECT_EQ(exposedSeverity(figures), Severity::Warning);
  EXPECT_TRUE(overviewSentence(figures).starts_with("Compute-bound with exposed communication"))
      << overviewSentence(figures);
  figures.startSkewPct = 0;
  EXPECT_EQ(exposedSeverity(figures), Severity::Critical);
}

// A step of one rank weighs as much as a step of two.
TEST(OverviewFigures, areMeansOverStepsOfMeansOverRanksAsInTheAccount) {
  HandMadeJob job;
  for (int rank = 0; rank < 2; ++rank) {
    HandMadeRank events;
    TimeNs begin = 0;
    for (int step = 0; step < 3 - rank; ++step) {
      const TimeNs length = step == 2 ? 1'300 : 1'000;
      events.annotation(begin, length, "ProfilerStep#" + std::to_string(step));
      events.kernel(7, begin + 100, length - 300, "gemm");
      begin += length;
    }
    job.add(rank, std::move(events));
  }
  const JobReport report(std::make_shared<const Analysis>(job.build()));
  const OverviewFigures figures = overviewFigures(report.analysis(), report.account());
  EXPECT_EQ(figures.steps, 3);
  EXPECT_NEAR(static_cast<double>(*figures.stepMean), report.keptAccount().stepTime, 0.51);
  EXPECT_NEAR(static_cast<double>(figures.idle->mean),
              report.keptAccount().classTimes[static_cast<std::size_t>(TimeClass::Idle)], 0.51);
  EXPECT_NEAR(figures.compute->sharePct, 100 * (700. + 700 + 1'000) / 3'300, 1e-6);
}

TEST(OverviewSeverity, isTheFindings) {
  const auto with = [](double exposed, double idle) {
    return figuresWith(50, exposed, idle, Leaf::HostPython);
  };
  EXPECT_EQ(exposedSeverity(with(7, 0)), std::nullopt);
  EXPECT_EQ(exposedSeverity(with(16, 0)), Severity::Warning);
  EXPECT_EQ(exposedSeverity(with(31, 0)), Severity::Critical);
  EXPECT_EQ(idleSeverity(with(0, 11)), Severity::Warning);
  EXPECT_EQ(idleSeverity({}), std::nullopt);
}

TEST(StepMeans, sumToTheStepAndHoldEveryRank) {
  const auto analysis = generated(smallJob());
  const std::vector<StepMean> steps = stepMeans(*analysis);
  ASSERT_EQ(steps.size(), 4U);
  for (const StepMean& step : steps) {
    EXPECT_EQ(step.ranks, 3U);
    EXPECT_LE(step.shortest, step.duration);
    EXPECT_LE(step.duration, step.longest);
    const TimeNs sum = std::accumulate(step.categories.begin(), step.categories.end(), TimeNs{0});
    EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(step.duration), kStepCategoryCount);
  }
  const RankIndex one(2);
  const auto own = stepMeans(*analysis, one);
  ASSERT_EQ(own.size(), 4U);
  for (std::size_t i = 0; i < own.size(); ++i) {
    EXPECT_EQ(own[i].duration, analysis->stepWindows(one).steps[i].range.length());
    EXPECT_EQ(own[i].categories, analysis->stepBreakdown(one)[i].categories);
    const RankRange range = RankRange::of(analysis->stepWindows(one).steps[i].range);
    EXPECT_EQ(own[i].place, analysis->clocks().of(one).toJob(range));
  }
}

TEST(RepresentativeSteps, areTheSlowestTheMiddleAndTheFastest) {
  std::vector<StepMean> steps(100);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].duration = static_cast<TimeNs>((i * 37) % 100);
  const std::vector<std::size_t> chosen = representativeSteps(steps, 9);
  std::vector<TimeNs> durations;
  durations.reserve(chosen.size());
  for (const std::size_t i : chosen) durations.push_back(steps[i].duration);
  EXPECT_EQ(durations, (std::vector<TimeNs>{99, 98, 97, 51, 50, 49, 2, 1, 0}));
  EXPECT_EQ(representativeSteps(steps, 100).size(), 100U);
  EXPECT_EQ(representativeSteps(steps, 100)[7], 7U);
}

TEST(Costs, areTheFindingsWithTheirGains) {
  test::JobOptions options = smallJob();
  options.loaderNs = 8'000'000;
  const JobReport report(generated(options));
  const auto& findings = report.findings();
  const auto loader = std::ranges::find(findings, FindingKind::DataLoaderStall, &Finding::kind);
  ASSERT_NE(loader, findings.end());
  const double step = report.keptAccount().stepTime;
  EXPECT_NEAR(*findingSharePct(report, *loader), 100 * static_cast<double>(loader->gain->low) / step, 1e-9);
  const ResultTable table = costsTable(report);
  const auto told = std::ranges::count_if(findings, [](const Finding& f) { return f.gain || f.costBytes; });
  EXPECT_EQ(static_cast<std::ptrdiff_t>(table.rowCount()), told);
  EXPECT_EQ(columnOf(table, "gain_low_us").front(), static_cast<double>(findings.front().gain->low));
  EXPECT_EQ(columnOf(table, "gain_high_us").front(), static_cast<double>(findings.front().gain->high));
}

TEST(TitleWithoutCost, dropsOnlyTheCostThatIsShownBesideIt) {
  EXPECT_EQ(titleWithoutCost("Straggler: rank 3, 6.0 ms/step", "6.0 ms/step"), "Straggler: rank 3");
  EXPECT_EQ(titleWithoutCost("Launch-bound: 11.9 ms/step of GPU idle time", "11.9 ms/step"),
            "Launch-bound: GPU idle time");
  EXPECT_EQ(titleWithoutCost("Exposed memcpy: 1.2 ms, rank 3", "1.2 ms"), "Exposed memcpy: rank 3");
  EXPECT_EQ(titleWithoutCost("DataLoader stall: 1.2 ms", "1.2 ms"), "DataLoader stall");
  EXPECT_EQ(titleWithoutCost("DataLoader stall: 11.2 ms", "1.2 ms"), "DataLoader stall: 11.2 ms");
  EXPECT_EQ(titleWithoutCost("Straggler: rank 3, 6.0 ms/step", "6.0 ms"), "Straggler: rank 3");
  EXPECT_EQ(titleWithoutCost("Near the limit: 180 GiB of 192 GiB, rank 0", "180 GiB"),
            "Near the limit: 180 GiB of 192 GiB, rank 0");
  EXPECT_EQ(titleWithoutCost("Clock skew", ""), "Clock skew");
}

TEST(UncheckedKinds, nameWhatToRecord) {
  HandMadeRank events;
  events.op(0, 1'000, "aten::add");
  HandMadeJob job;
  job.add(0, std::move(events));
  const Analysis analysis(job.build());
  std::set<FindingKind> kinds;
  std::size_t count = 0;
  std::string reasons;
  for (const UncheckedKinds& part : uncheckedKinds(analysis)) {
    kinds.insert(part.kinds.begin(), part.kinds.end());
    count += part.kinds.size();
    reasons += part.reason;
  }
  EXPECT_EQ(kinds.size(), count) << "a kind is told once";
  for (const FindingKind kind : {FindingKind::Straggler, FindingKind::Python, FindingKind::MemoryGrowth,
                                 FindingKind::OneStep, FindingKind::ExposedCommunication})
    EXPECT_TRUE(kinds.contains(kind)) << findingKindTitle(kind);
  EXPECT_FALSE(kinds.contains(FindingKind::DataLoaderStall));
  EXPECT_NE(reasons.find("profile_memory=True"), std::string::npos);

  test::JobOptions options = smallJob();
  options.steps = 5;
  const auto all = generated(options);
  const auto besideTraces = uncheckedKinds(*all, true);
  ASSERT_EQ(besideTraces.size(), 2U);
  EXPECT_TRUE(besideTraces.front().reason.starts_with("No Flight Recorder dump"));
  EXPECT_EQ(besideTraces.front().kinds.size(), 4U);
  EXPECT_TRUE(besideTraces.back().reason.starts_with("No memory snapshot"));
  const auto withoutLog = uncheckedKinds(*all);
  ASSERT_EQ(withoutLog.size(), 3U);
  EXPECT_NE(withoutLog.front().reason.find("NCCL_DEBUG=INFO"), std::string::npos);
  EXPECT_EQ(withoutLog.front().kinds.size(), 12U);
}

TEST(UncheckedKinds, nameTracesWhereLogsAreOpenAlone) {
  const Analysis analysis(HandMadeJob().build());
  const auto unchecked = uncheckedKinds(analysis, true);
  ASSERT_EQ(unchecked.size(), 3U);
  EXPECT_TRUE(unchecked.front().reason.starts_with("No trace was opened"));
  const std::set<FindingKind> kinds(unchecked.front().kinds.begin(), unchecked.front().kinds.end());
  EXPECT_TRUE(kinds.contains(FindingKind::Straggler));
  for (const FindingKind kind :
       {FindingKind::OutOfMemory, FindingKind::FewChannels, FindingKind::NetSocket, FindingKind::HangNoDump})
    EXPECT_FALSE(kinds.contains(kind)) << findingKindTitle(kind);
  const auto withoutLog = uncheckedKinds(analysis, false);
  ASSERT_EQ(withoutLog.size(), 4U);
  EXPECT_EQ(withoutLog[1].kinds.size(), 12U);
}

TEST(JobDevices, areCountedByModel) {
  const auto analysis = generated(smallJob());
  const JobDevices devices = jobDevices(*analysis);
  ASSERT_EQ(devices.models.size(), 1U);
  EXPECT_EQ(devices.models.front().count, 3U);
  EXPECT_EQ(devices.hosts, 1U);
  EXPECT_EQ(jobDevicesText(devices), "3 × " + devices.models.front().name + " on 1 host");
  EXPECT_EQ(devicesTable(*analysis).rowCount(), 3U);
  EXPECT_EQ(jobDevicesText({}), "");
  EXPECT_EQ(jobDevicesText({{{"", 206'141'652'992, 9, 4, 304, 1}}, 0}), "1 × MI300X (by its SMs and memory)");
  EXPECT_EQ(jobDevicesText({{{"", 0, 0, 0, 0, 2}}, 0}), "2 × GPU");
}

} // namespace

TEST(OverviewFigures, CapturesOfARankAreOneRank) {
  test::JobOptions options = smallJob();
  options.ranks = 2;
  options.captures = 2;
  const auto analysis = generated(options);
  const OverviewFigures figures = figuresOf(*analysis);
  EXPECT_EQ(figures.ranks.ranks, 2U);
  EXPECT_EQ(figures.ranks.captures, 4U);
  EXPECT_TRUE(figures.ranks.severalCaptures());
  ASSERT_TRUE(figures.utilization.has_value());
  EXPECT_EQ(figures.utilization->captures, 4U);
}

TEST(OverviewFigures, OneRankOfTwoCapturesCannotBeComparedWithAnother) {
  test::JobOptions options = smallJob();
  options.ranks = 1;
  options.captures = 2;
  const auto analysis = generated(options);
  bool reported = false;
  for (const UncheckedKinds& part : uncheckedKinds(*analysis))
    reported = reported || part.reason.starts_with("Only one rank was opened");
  EXPECT_TRUE(reported);
  EXPECT_EQ(findingPlaceText(*analysis, Finding()), "rank 0 · 2 captures");
  // What it costs is the mean of both.
  Finding placed;
  placed.rank = analysis->ranks().back();
  placed.step = 7;
  EXPECT_EQ(findingPlaceText(*analysis, placed), "rank 0 · see capture 2, step 7");
}

TEST(OverviewFigures, AFindingOfSomeRanksNamesThem) {
  test::JobOptions options = smallJob();
  options.ranks = 4;
  const auto analysis = generated(options);
  Finding finding;
  finding.title = "Small grids: 249 µs/step";
  EXPECT_EQ(titleWithRanks(*analysis, finding), finding.title);
  finding.ranks = analysis->ranks();
  EXPECT_EQ(titleWithRanks(*analysis, finding), finding.title) << "of all";
  finding.ranks.pop_back();
  EXPECT_EQ(titleWithRanks(*analysis, finding), "Small grids: 249 µs/step on ranks 0-2");
  finding.ranks.resize(1);
  EXPECT_EQ(titleWithRanks(*analysis, finding), finding.title) << "one rank is in titles";
}

// Not once for each of its captures.
TEST(OverviewTables, ADeviceStandsInOneRow) {
  test::JobOptions options = smallJob();
  options.ranks = 4;
  options.steps = 2;
  options.captures = 12;
  const auto analysis = generated(options);
  const ResultTable groups = deviceGroupsTable(*analysis);
  EXPECT_EQ(sumOf(columnOf(groups, "devices")), 4);
  EXPECT_LE(groups.rowCount(), 4U);
  EXPECT_EQ(devicesTable(*analysis).rowCount(), 4U);
}

TEST(OverviewTables, AlikeDevicesStandTogetherAndTheSlowRanksByItself) {
  test::JobOptions options = smallJob();
  options.ranks = 12;
  options.straggler = {5, 6'000'000, 0, test::StragglerKind::Compute};
  const auto analysis = generated(options);
  const ResultTable each = devicesTable(*analysis);
  const ResultTable groups = deviceGroupsTable(*analysis);
  EXPECT_EQ(sumOf(columnOf(groups, "devices")), static_cast<double>(each.rowCount()));
  EXPECT_LT(groups.rowCount(), each.rowCount());
  EXPECT_EQ(groups.at(0, *groups.columnNamed("ranks")), Cell(std::string_view("5")));
  // The figure of a group is that of all steps of its ranks.
  ASSERT_EQ(groups.rowCount(), 2U);
  double busy = 0, duration = 0;
  const ResultTable steps = stepsTable(*analysis);
  for (std::size_t row = 0; row < steps.rowCount(); ++row) {
    const auto of = [&](const char* column) {
      return static_cast<double>(std::get<std::int64_t>(steps.at(row, *steps.columnNamed(column))));
    };
    if (of("rank") == 5 || of("kept") == 0) continue;
    busy += of("compute_us") + of("exposed_communication_us");
    duration += of("duration_us");
  }
  EXPECT_NEAR(columnOf(groups, "utilization_pct")[1], 100 * busy / duration, 1e-6);
}

} // namespace rankscope
