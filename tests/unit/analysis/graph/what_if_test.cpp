// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of recorded and generated jobs: an unedited replay is the recording, to the nanosecond; the
// critical path adds up; shortening something never makes anything later; predictions are compared with jobs
// that were generated without the fault. Covers core/analysis/graph/activity_graph,
// core/analysis/graph/critical_path, core/analysis/graph/graph_calls, core/analysis/graph/host_pieces,
// core/analysis/graph/joint_graph, core/analysis/graph/launch_lags, core/analysis/graph/path_summary,
// core/analysis/graph/peer_sets, core/analysis/graph/rank_graph, core/analysis/graph/rank_points,
// core/analysis/graph/scenario, core/analysis/classify/phase_text, core/analysis/graph/scenario_edits,
// core/analysis/graph/slowdown, core/analysis/graph/wait_rules, core/report/critical_path_table,
// core/report/replayed_gains, core/report/slowdown_table and core/report/what_if_table.
#include "core/analysis/graph/what_if.h"

#include "core/analysis/graph/path_summary.h"
#include "core/io/load/trace_loader.h"
#include "core/report/critical_path_table.h"
#include "core/report/job_report.h"
#include "core/report/path_parts.h"
#include "core/report/replayed_gains.h"
#include "core/report/slowdown_table.h"
#include "core/report/what_if_table.h"
#include "tests/support/job_generator.h"
#include "tests/support/parallel_jobs.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sstream>
#include <string>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::shared_ptr<const TraceSet> loaded(const fs::path& path) {
  Progress progress;
  auto result = loadTraces({path.string()}, {}, progress);
  return result.ok() ? *result : nullptr;
}

// A job with its graph.
struct Asked {
  explicit Asked(std::shared_ptr<const TraceSet> trace)
      : report(std::make_shared<const Analysis>(std::move(trace))), whatIf(report.whatIf(2)) {}

  [[nodiscard]] WhatIfAnswer answer(const std::string& text) const {
    const auto scenario = scenarioFromText(text);
    EXPECT_TRUE(scenario.ok()) << text;
    return whatIf.answer(*scenario);
  }

  JobReport report;
  const WhatIf& whatIf;
};

void expectRecording(const WhatIf& whatIf) {
  const MaxPlusGraph& graph = whatIf.graph().graph;
  EXPECT_EQ(replayedTimes(graph, graph.lags), graph.time);
  GraphLags bare = graph.lags;
  std::ranges::fill(bare.residuals, 0);
  const std::vector<TimeNs> times = replayedTimes(graph, bare);
  for (GraphPoint point = 0; point < graph.points(); ++point) ASSERT_LE(times[point], graph.time[point]);
}

void expectPath(const WhatIf& whatIf) {
  for (const WindowPath& path : whatIf.path().windows) {
    const TimeRange range = whatIf.graph().windows[path.window].range;
    TimeNs at = range.begin;
    for (const PathSegment& segment : path.segments) {
      EXPECT_EQ(segment.range.begin, at);
      at = segment.range.end;
      EXPECT_TRUE(segment.category == PathCategory::Clock || segment.duration() > 0);
      // One that is left before its end may end later.
      const GraphActivity& activity = whatIf.graph().activities[segment.activity];
      const bool whole = activity.end != kNoPoint && whatIf.graph().graph.time[activity.end] == at;
      EXPECT_TRUE(segment.category != PathCategory::Compute || !whole ||
                  whatIf.path().slack[segment.activity] == 0);
    }
    EXPECT_EQ(at, range.end);
    EXPECT_EQ(categoryTimes(path.segments).total(), range.length());
  }
  for (const TimeNs slack : whatIf.path().slack) ASSERT_GE(slack, 0);
}

// Of random tenths of the edges; a lag below zero is a correction of clocks and stays.
void expectMonotone(const WhatIf& whatIf, std::mt19937_64& random, int rounds) {
  const MaxPlusGraph& graph = whatIf.graph().graph;
  for (int i = 0; i < rounds; ++i) {
    GraphLags lags = graph.lags;
    for (TimeNs& lag : lags.edges) {
      if (lag > 0 && random() % 10 == 0)
        lag = static_cast<TimeNs>(random() % static_cast<std::uint64_t>(lag));
    }
    const std::vector<TimeNs> times = replayedTimes(graph, lags);
    for (GraphPoint point = 0; point < graph.points(); ++point) ASSERT_LE(times[point], graph.time[point]);
  }
}

class WhatIfOfSet : public testing::TestWithParam<std::string> {};

std::shared_ptr<const TraceSet> generated(const test::JobOptions& options) {
  const test::TemporaryFolder folder;
  test::generateJob(options, folder.path());
  return loaded(folder.path());
}

// Each window of the job.
std::vector<double> recordedWindows(const WhatIf& whatIf) {
  std::vector<double> lengths;
  for (const std::size_t window : whatIf.keptWindows())
    lengths.push_back(static_cast<double>(whatIf.graph().windows[window].range.length()));
  return lengths;
}

// Median over steps within 1 % or 50 us, each step within 3 %.
void expectTwin(const WhatIfAnswer& answer, const std::vector<double>& truth) {
  ASSERT_EQ(answer.refused, "");
  ASSERT_EQ(answer.windowTimes.size(), truth.size());
  std::vector<double> differences;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_NEAR(answer.windowTimes[i], truth[i], 0.03 * truth[i])
        << scenarioText(answer.scenario) << " step " << i;
    differences.push_back(std::abs(answer.windowTimes[i] - truth[i]) / std::max(0.01 * truth[i], 50'000.0));
  }
  std::ranges::sort(differences);
  EXPECT_LE(differences[differences.size() / 2], 1) << scenarioText(answer.scenario);
}

} // namespace

TEST_P(WhatIfOfSet, unchangedItIsTheRecordingAndItsPathAddsUp) {
  RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
  const auto trace = loaded(test::sharedFolder() / "traces" / GetParam());
  if (trace == nullptr || trace->eventCount() > 400'000) return; // the largest are for the nightly run
  const Asked asked(trace);
  expectRecording(asked.whatIf);
  expectPath(asked.whatIf);
  std::mt19937_64 random(7);
  expectMonotone(asked.whatIf, random, 3);
  for (const char* const same : {"kernel=1", "host=1"}) {
    const WhatIfAnswer answer = asked.answer(same);
    EXPECT_EQ(answer.gain, 0) << same;
  }
  for (const WhatIfAnswer& answer : asked.whatIf.answers(defaultScenarios())) {
    EXPECT_LE(answer.gainLow, answer.gainHigh);
    EXPECT_LE(answer.gainHigh, answer.base);
    EXPECT_GE(answer.predicted, answer.predictedLow);
  }
}

INSTANTIATE_TEST_SUITE_P(All, WhatIfOfSet, testing::ValuesIn(test::sharedTraceSets()),
                         [](const auto& set) { return test::testNameOf(set.param); });

TEST(WhatIf, aReplayWithoutResidualsIsNoWorseThanTheReference) {
  const fs::path file = test::sharedFolder() / "oracles" / "replay_reference" / "replay.csv";
  RANKSCOPE_SKIP_UNLESS(fs::exists(file), test::kNoRecordings);
  std::ifstream text(file);
  std::string line;
  std::getline(text, line);
  std::map<std::string, std::vector<double>> expected; // E_B by set, in order of files
  while (std::getline(text, line)) {
    std::vector<std::string> cells;
    std::stringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    expected[cells[0]].push_back(std::stod(cells[18]));
  }
  for (const auto& [set, errors] : expected) {
    const auto trace = loaded(test::sharedFolder() / "traces" / set);
    ASSERT_NE(trace, nullptr) << set;
    ASSERT_GE(trace->ranks().size(), errors.size()) << set;
    const Analysis analysis(trace);
    for (std::size_t i = 0; i < errors.size(); ++i) {
      RankGraph rank = rankGraph(analysis, RankIndex(i), kAllTime.begin);
      const std::array runs{PointRun{0, static_cast<GraphPoint>(rank.graph.points())}};
      ASSERT_TRUE(orderPoints(rank.graph, runs));
      EXPECT_EQ(replayedTimes(rank.graph, rank.graph.lags), rank.graph.time) << set;
      std::ranges::fill(rank.graph.lags.residuals, 0);
      const std::vector<TimeNs> times = replayedTimes(rank.graph, rank.graph.lags);
      const TimeNs first = rank.graph.time.front(), last = rank.graph.time.back();
      const TimeNs end = *std::ranges::max_element(times);
      const double error = 100 * static_cast<double>(end - last) / static_cast<double>(last - first);
      EXPECT_GE(error, std::min(errors[i], 0.0) - 0.5) << set << " " << i;
    }
  }
}

TEST(WhatIf, predictsTheJobWithoutItsStraggler) {
  for (const test::StragglerKind kind :
       {test::StragglerKind::Compute, test::StragglerKind::DataLoader, test::StragglerKind::Host}) {
    test::JobOptions options;
    options.steps = 6;
    options.layers = 12;
    options.seed = 11;
    options.straggler = {2, 6'000'000, 1, kind};
    const Asked slow(generated(options));
    options.straggler = {};
    const Asked healthy(generated(options));
    expectRecording(slow.whatIf);
    expectPath(slow.whatIf);
    expectTwin(slow.answer("rank_as_peers=2"), recordedWindows(healthy.whatIf));
    // The median of four ranks of which one is slow is a little above that of four healthy ones.
    const std::vector<double> evened = healthy.answer("no_stragglers").windowTimes;
    const std::vector<double> predicted = slow.answer("no_stragglers").windowTimes;
    ASSERT_EQ(predicted.size(), evened.size());
    for (std::size_t i = 0; i < evened.size(); ++i) EXPECT_NEAR(predicted[i], evened[i], 0.05 * evened[i]);
    EXPECT_EQ(slow.answer("rank_as_peers=9").refused, "rank 9 was not recorded");
    const JobSlowdown slowdown = jobSlowdown(slow.whatIf, false, {}, 2);
    const auto worst = std::ranges::find(slowdown.rows, "rank", &SlowdownRow::by);
    ASSERT_NE(worst, slowdown.rows.end());
    EXPECT_EQ(worst->key, "2");
    EXPECT_NEAR(healthy.answer("no_stragglers").gain, 0, 0.01 * healthy.whatIf.base());
  }
}

// Four ranks as two stages of two data-parallel ranks; rank 3 is the second of the second stage.
TEST(WhatIf, slowdownKnowsThePlaceOfARankInTheLayout) {
  test::JobOptions options;
  options.steps = 4;
  options.straggler = {3, 6'000'000, 0, test::StragglerKind::Compute};
  const Asked slow(generated(options));
  const std::array<RankCoordinates, 4> places{{{0, 0}, {1, 0}, {0, 1}, {1, 1}}};
  const JobSlowdown slowdown = jobSlowdown(slow.whatIf, false, places, 2);
  const auto of = [&](std::string_view by, std::string_view key) {
    const auto row = std::ranges::find_if(
        slowdown.rows, [&](const SlowdownRow& each) { return each.by == by && each.key == key; });
    return row == slowdown.rows.end() ? 0 : row->slowdown.value_or(0);
  };
  EXPECT_GT(of("dp", "1"), 1.2);
  EXPECT_NEAR(of("dp", "0"), 1, 0.05);
  EXPECT_GT(of("stage", "1"), 1.2);
  EXPECT_EQ(of("worker", "1,1"), std::min(of("dp", "1"), of("stage", "1")));
  EXPECT_EQ(of("worker", "0,1"), std::min(of("dp", "0"), of("stage", "1")));
  ASSERT_EQ(slowdown.ofStageAndDp.size(), 2U);
  EXPECT_EQ(slowdown.ofStageAndDp[1][1], of("worker", "1,1"));
  const auto last = std::ranges::find(slowdown.rows, "last_stage", &SlowdownRow::by);
  ASSERT_NE(last, slowdown.rows.end());
  EXPECT_GT(last->explained.value_or(0), 0.8);
  // Without places there are none of these.
  for (const SlowdownRow& row : jobSlowdown(slow.whatIf, false, {}, 2).rows)
    EXPECT_TRUE(row.by != "dp" && row.by != "stage" && row.by != "worker" && row.by != "last_stage");
}

TEST(WhatIf, predictsTheJobWithFasterLinks) {
  test::JobOptions options;
  options.steps = 6;
  options.communicationPermille = 700;
  const Asked slow(generated(options));
  options.communicationPermille = 350;
  const Asked fast(generated(options));
  expectRecording(slow.whatIf);
  EXPECT_GT(slow.answer("link=2").gain, 0);
  // All of a transfer, also what a fit calls its latency.
  const std::vector<std::string> texts{"kernel=0.5:kind:nccl"};
  const auto scenarios = scenariosFromTexts(slow.report.analysis().trace(), texts, 1);
  ASSERT_TRUE(scenarios.ok());
  const WhatIfAnswer answer = slow.whatIf.answer(scenarios->front());
  ASSERT_EQ(answer.refused, "");
  const std::vector<double> truth = recordedWindows(fast.whatIf);
  for (std::size_t i = 0; i < truth.size(); ++i)
    EXPECT_NEAR(answer.windowTimes[i], truth[i], 0.03 * truth[i]);
}

TEST(WhatIf, predictsTheJobWithoutGapsOfACause) {
  const std::array<std::pair<test::GapCause, const char*>, 3> causes{
      {{test::GapCause::DataLoader, "no_gap=host.input"},
       {test::GapCause::CudaMalloc, "no_gap=host.alloc"},
       {test::GapCause::Python, "no_gap=host.python"}}};
  for (const auto& [cause, scenario] : causes) {
    test::JobOptions options;
    options.steps = 6;
    options.gaps = {{-1, -1, 4'000'000, cause}};
    const Asked with(generated(options));
    options.gaps = {};
    const Asked without(generated(options));
    expectRecording(with.whatIf);
    const WhatIfAnswer answer = with.answer(scenario);
    ASSERT_EQ(answer.refused, "") << scenario;
    const double truth = with.whatIf.base() - without.whatIf.base();
    EXPECT_NEAR(answer.gain, truth, 0.03 * with.whatIf.base()) << scenario;
  }
}

// A kernel that began just before the end of the one before it on its stream, as programmatic launches do,
// begins as much earlier as that one ends.
TEST(WhatIf, whatOverlapsItsPredecessorFollowsItsEnd) {
  const test::TemporaryFolder folder;
  std::ofstream file(folder.path() / "rank0.json");
  file << R"({"distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [)";
  for (int step = 0; step < 4; ++step) {
    const int at = 1000 * step;
    file << R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)" << step
         << R"(","pid":1,"tid":1,"ts":)" << at << R"(,"dur":900},)";
    for (int kernel = 0; kernel < 2; ++kernel) {
      const int id = 2 * step + kernel + 1;
      file << R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":)"
           << at + 10 + 10 * kernel << R"(,"dur":5,"args":{"correlation":)" << id << "}},"
           << R"({"ph":"X","cat":"kernel","name":"k)" << kernel << R"(","pid":0,"tid":7,"ts":)"
           << at + (kernel == 0 ? 30 : 529) << R"(,"dur":)" << (kernel == 0 ? 500 : 300)
           << R"(,"args":{"device":0,"stream":7,"correlation":)" << id << "}},";
    }
    file << R"({"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":1,"ts":)"
         << at + 40 << R"(,"dur":792,"args":{"correlation":)" << 100 + step << "}}"
         << (step < 3 ? "," : "]}");
  }
  file.close();
  const Asked asked(loaded(folder.path()));
  ASSERT_GT(std::ranges::count(asked.whatIf.graph().kinds, GraphEdge::Overlap), 0);
  const WhatIfAnswer answer = asked.answer("kernel=0.5");
  ASSERT_EQ(answer.refused, "");
  EXPECT_NEAR(answer.gain, 400'000, 1'000);
}

TEST(WhatIf, refusesWhatItCannotKnow) {
  test::JobOptions options;
  options.ranks = 1;
  const Asked one(generated(options));
  const WhatIfAnswer answer = one.answer("no_stragglers");
  EXPECT_EQ(answer.refused, "one rank was recorded; record all ranks of the job");
  const std::vector<WhatIfAnswer> answers{answer};
  const ResultTable table = whatIfTable(one.whatIf, answers);
  EXPECT_TRUE(table.isEmpty(0, *table.columnNamed("predicted_us")));
  EXPECT_FALSE(table.isEmpty(0, *table.columnNamed("refused")));
  EXPECT_NE(whatIfText(one.whatIf, answers).find("refused: one rank"), std::string::npos);
  EXPECT_TRUE(slowdownText(jobSlowdown(one.whatIf, false, {}, 1)).starts_with("Refused"));
}

TEST(WhatIf, refusesWhatTheJobDoesNotHave) {
  test::JobOptions options;
  options.ranks = 2;
  const Asked two(generated(options));
  const std::vector<std::string> texts{"kernel=0:no_such_kernel", "link=2:no_such_group", "rank_as_peers=9",
                                       "no_gap=host:9",           "kernel=0.5:kind:nccl", "link=2"};
  const auto scenarios = scenariosFromTexts(two.report.analysis().trace(), texts, 1);
  ASSERT_TRUE(scenarios.ok());
  const std::vector<WhatIfAnswer> answers = two.whatIf.answers(*scenarios);
  EXPECT_EQ(answers[0].refused, "no activity of a device matches 'no_such_kernel'");
  EXPECT_EQ(answers[1].refused, "no collective belongs to 'no_such_group'");
  EXPECT_EQ(answers[2].refused, "rank 9 was not recorded");
  EXPECT_EQ(answers[3].refused, "rank 9 was not recorded");
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].refused.empty(), i >= 4) << texts[i];
    EXPECT_EQ(two.whatIf.edits().unmatched((*scenarios)[i]), answers[i].refused) << texts[i];
  }
}

TEST(WhatIf, textsForPeopleSayWhatNumbersAreOf) {
  WhatIfAnswer answer;
  answer.gainLow = 1'000;
  answer.gainHigh = 2'000;
  EXPECT_EQ(shownGainText({10'000, 8'000, 2'000, 20}, answer), "gain 1.00 µs to 2.00 µs");
  answer.gainLow = 2'000;
  EXPECT_EQ(shownGainText({10'000, 8'000, 2'000, 20}, answer), "gain 2.00 µs");
  answer.gainLow = answer.gainHigh = 0;
  EXPECT_EQ(shownGainText({10'000, 13'000, -3'000, -30}, answer), "3.00 µs longer");
  JobSlowdown slowdown;
  slowdown.rows = {{"job", "", 1.25, std::nullopt},
                   {"step", "3", 1.25, std::nullopt},
                   {"rank", "2", 1.2, std::nullopt},
                   {"worst_workers", "", std::nullopt, 1.21}};
  const std::string text = slowdownText(slowdown);
  EXPECT_TRUE(text.starts_with("How many times as long steps take")) << text;
  EXPECT_NE(text.find("\nJob\n  1.250\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nSteps\n  1.250  step 3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nRanks\n  1.200  rank 2\n"), std::string::npos) << text;
  const std::string_view all = " were as the others\n  all of the loss would go\n";
  EXPECT_NE(text.find("slowest 3 % of ranks" + std::string(all)), std::string::npos) << text;
  slowdown.ofRankAndStep.resize(33); // three percent of these are one
  EXPECT_NE(slowdownText(slowdown).find("slowest rank" + std::string(all)), std::string::npos);
  slowdown.ofRankAndStep.resize(34);
  EXPECT_NE(slowdownText(slowdown).find("slowest 3 % of ranks" + std::string(all)), std::string::npos);
}

TEST(WhatIf, summariesOfThePathAddUpToTheStep) {
  test::JobOptions options;
  options.clockOffsetNs = {0, 5'000'000};
  options.ranksPerNode = 2;
  const Asked asked(generated(options));
  expectRecording(asked.whatIf);
  expectPath(asked.whatIf);
  for (std::size_t i = 0; i < kPathKeyCount; ++i) {
    const auto key = static_cast<PathKey>(i);
    double sum = 0;
    for (const PathSum& row : pathSums(asked.whatIf, key)) sum += row.onPath;
    EXPECT_NEAR(sum, asked.whatIf.base(), 1) << pathKeyText(key);
    EXPECT_EQ(pathKeyNamed(pathKeyText(key)), key);
  }
}

TEST(Scenario, textsAreReadAndWritten) {
  for (const char* const text : {"no_stragglers", "rank_as_peers=3", "rank_as_peers=slowest",
                                 "kernel=0.5:~^nccl.*(a+b)", "link=2:inter", "zero_host+transfer_zero",
                                 "kernel=0:gemm+no_gap=host.input", "no_gap=host", "no_gap=host.sync:3"}) {
    const auto scenario = scenarioFromText(text);
    ASSERT_TRUE(scenario.ok()) << text;
    EXPECT_EQ(scenarioText(*scenario), text);
  }
  for (const char* const text :
       {"", "faster", "kernel", "kernel=x", "kernel=-1", "link=0", "host=1:x", "no_gap=", "no_gap=x",
        "no_gap=host:x", "rank_as_peers=x", "zero_host=1", "no_stragglers+", "kernel=1e9"})
    EXPECT_FALSE(scenarioFromText(text).ok()) << text;
}

TEST(WhatIf, gainsOfFindingsComeFromAReplayWhereAskedFor) {
  const auto gainOf = [](const std::shared_ptr<const Analysis>& analysis, FindingKind kind,
                         GainMethod method) {
    const JobReport report(analysis, {}, method);
    const auto found = std::ranges::find(report.findings(), kind, &Finding::kind);
    return found == report.findings().end() ? std::nullopt : found->gain;
  };
  const auto compared = [&](const test::JobOptions& options, FindingKind kind, double tolerance) {
    const test::TemporaryFolder folder;
    generateJob(options, folder.path());
    const auto analysis = std::make_shared<const Analysis>(loaded(folder.path()));
    const auto formula = gainOf(analysis, kind, GainMethod::Formula);
    const auto replay = gainOf(analysis, kind, GainMethod::Replay);
    ASSERT_TRUE(formula && replay);
    EXPECT_NE(*formula, *replay);
    EXPECT_LE(replay->low, replay->high);
    EXPECT_NEAR(static_cast<double>(replay->high), static_cast<double>(formula->high),
                tolerance * static_cast<double>(formula->high));
  };
  test::JobOptions straggler;
  straggler.ranks = 4;
  straggler.straggler = {2, 4'000'000, 0, test::StragglerKind::Compute};
  compared(straggler, FindingKind::Straggler, 0.05);
  test::JobOptions stall;
  stall.ranks = 2;
  stall.gaps = {{-1, -1, 3'000'000, test::GapCause::DataLoader}};
  compared(stall, FindingKind::DataLoaderStall, 0.1);
}

// Their hosts wait for the device without a call that was recorded: to a replay they work, and no rank would
// be waited for.
TEST(WhatIf, gainsComeFromTheFormulaWhereHostsAreUntraced) {
  test::ExpertJob job;
  const test::TemporaryFolder folder;
  generateExpertJob(job, folder.path());
  const auto analysis = std::make_shared<const Analysis>(loaded(folder.path()));
  std::vector<Gain> gains;
  for (const GainMethod method : {GainMethod::Formula, GainMethod::Replay}) {
    const JobReport report(analysis, {}, method);
    const auto found = std::ranges::find(report.findings(), FindingKind::Straggler, &Finding::kind);
    ASSERT_NE(found, report.findings().end());
    ASSERT_TRUE(found->gain);
    gains.push_back(*found->gain);
  }
  EXPECT_GT(gains[0].low, 0);
  EXPECT_EQ(gains[0], gains[1]);
}

// Rank 1 computes 4 ms longer than rank 0, which is 2 ms late in another way: without that it would wait.
TEST(WhatIf, aGapThatASlowerRankHidesIsNoFinding) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 2;
  options.steps = 6;
  options.straggler = {1, 4'000'000, 0, test::StragglerKind::Compute};
  options.gaps = {{0, -1, 2'000'000, test::GapCause::Sync}};
  generateJob(options, folder.path());
  const auto analysis = std::make_shared<const Analysis>(loaded(folder.path()));
  const JobReport report(analysis, {}, GainMethod::Replay);
  const auto kinds = [&](FindingKind kind) {
    return std::ranges::count(report.findings(), kind, &Finding::kind);
  };
  EXPECT_EQ(kinds(FindingKind::Synchronization), 0);
  EXPECT_EQ(kinds(FindingKind::Straggler), 1);
  const auto gainOf = [&](const char* text) {
    return report.whatIf().answer(*scenarioFromText(text), false);
  };
  EXPECT_NEAR(gainOf("no_gap=host.sync:0").gainHigh, 0, 1e5);
  EXPECT_NEAR(gainOf("no_gap=host.sync:1").gainHigh, 0, 1e5);
  EXPECT_FALSE(gainOf("no_gap=host.sync:7").refused.empty());
}

TEST(WhatIf, onlyFindingsAboutAllOfALeafHaveAScenario) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 2;
  generateJob(options, folder.path());
  const Analysis analysis(loaded(folder.path()));
  Finding finding;
  finding.kind = FindingKind::DataLoaderStall;
  finding.leaf = "host.input";
  const auto scenario = scenarioWithout(analysis, finding);
  ASSERT_TRUE(scenario);
  EXPECT_EQ(scenarioText(*scenario), "no_gap=host.input");
  finding.ranks = {RankIndex(1)};
  EXPECT_EQ(scenarioText(*scenarioWithout(analysis, finding)), "no_gap=host.input:1");
  finding.kind = FindingKind::Straggler;
  finding.rank = RankIndex(1);
  EXPECT_EQ(scenarioText(*scenarioWithout(analysis, finding)), "rank_as_peers=1");
  finding.kind = FindingKind::LaunchBound;
  EXPECT_FALSE(scenarioWithout(analysis, finding));
}

} // namespace rankscope
