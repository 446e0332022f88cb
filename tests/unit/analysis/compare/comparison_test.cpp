// SPDX-License-Identifier: GPL-3.0-or-later
// Two recordings beside each other: the pairs of ../oracles/compare (steps, classes, statistics that SciPy
// and a plain recomputation give), identities on every pair, generated jobs of which one option changed.
// Covers core/analysis/compare/comparability, core/analysis/compare/compared_rows,
// core/analysis/compare/row_window, core/analysis/compare/side_collect, core/analysis/compare/side_facts,
// core/analysis/compare/side_rows and core/report/compare_sides.
#include "core/analysis/compare/comparison.h"

#include "core/analysis/job/scope.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/io/load/trace_loader.h"
#include "core/report/compare_figures.h"
#include "core/report/compare_sides.h"
#include "core/report/compare_tables.h"
#include "core/report/scope_options.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/analysis/compare/comparison_checks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using test::expectIdentities;
using test::expectNegated;
using test::expectNothing;

std::shared_ptr<const Analysis> analyzed(const std::vector<std::string>& paths, bool allSteps = false) {
  Progress progress;
  auto loaded = loadTraces(paths, {}, progress);
  if (!loaded.ok()) return nullptr;
  return std::make_shared<const Analysis>(*loaded, nullptr, AnalysisOptions{true, allSteps});
}

// The part of a job that some ranks are.
std::shared_ptr<const Analysis> ranksOf(const std::shared_ptr<const Analysis>& whole,
                                        const std::vector<int>& ranks) {
  if (ranks.empty() || whole == nullptr) return whole;
  return std::make_shared<const Analysis>(*whole, onlyRanks(*whole, wholeScope(*whole), ranks));
}

Comparison compared(const Analysis& a, const Analysis& b, bool chosenRanks = false,
                    const CompareOptions& options = {}) {
  ComparedSides sides = comparedSides(a, b, chosenRanks, {});
  return compareSides(std::move(sides.a), std::move(sides.b), options);
}

using CsvRow = std::vector<std::string>;

std::vector<CsvRow> csvRows(const fs::path& path) {
  std::ifstream file(path);
  std::vector<CsvRow> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    CsvRow& row = rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
  }
  if (!rows.empty()) rows.erase(rows.begin()); // titles
  return rows;
}

struct Pair {
  const char* name;
  std::vector<const char*> a;
  std::vector<const char*> b;
  std::vector<int> ranksA = {};
  std::vector<int> ranksB = {};
};

std::vector<Pair> pairs() {
  const char* const first = "traces/resnet50-v100-workers0/worker0.1623143089861.pt.trace.json.gz";
  const char* const second = "traces/resnet50-v100-workers0/worker0.1623143566756.pt.trace.json.gz";
  const char* const fixed = "traces/resnet50-v100-workers4";
  const char* const dlrm = "traces/dlrm-8rank-v100";
  const char* const nccl = "traces/nccl-2ranks-derived";
  return {{"resnet50_same", {first}, {second}},
          {"resnet50_w0_w4", {first}, {fixed}},
          {"resnet50_w0both_w4", {first, second}, {fixed}},
          {"dlrm_rank0_rank3", {dlrm}, {dlrm}, {0}, {3}},
          {"nccl2_rank0_rank1", {nccl}, {nccl}, {0}, {1}},
          {"unlike_a100_v100", {"traces/a100-rank3of8"}, {"traces/v100-rank1of2"}},
          {"h100_mi300_bert", {"traces/h100-bert-small"}, {"traces/mi300-bert-small"}},
          {"capture_straggler_dataloader_rank0",
           {"captures/torch-2.6.0/ddp4_straggler"},
           {"captures/torch-2.6.0/ddp4_dataloader_bound"},
           {0},
           {0}}};
}

Comparison comparedPair(const Pair& pair) {
  const auto pathsOf = [](const std::vector<const char*>& names) {
    std::vector<std::string> paths;
    paths.reserve(names.size());
    for (const char* name : names) paths.push_back((test::sharedFolder() / name).string());
    return paths;
  };
  const auto a = analyzed(pathsOf(pair.a), true);
  const auto b = pair.a == pair.b ? a : analyzed(pathsOf(pair.b), true);
  if (a == nullptr || b == nullptr) return {};
  return compared(*ranksOf(a, pair.ranksA), *ranksOf(b, pair.ranksB), !pair.ranksA.empty());
}

fs::path oracle(const Pair& pair, const char* what) {
  return test::sharedFolder() / "oracles" / "compare" / fmt::format("{}_{}.csv", pair.name, what);
}

// The recordings whose times the oracle adds as doubles of microseconds since 1970: off by a nanosecond.
double roundedTo(const Pair& pair) {
  return std::string_view(pair.name) == "nccl2_rank0_rank1" ? 1e-3 : 0;
}

// With the nine digits of the oracle.
void expectSame(double value, const std::string& expected, double error, const std::string& what) {
  const double target = std::stod(expected);
  EXPECT_NEAR(value, target, 5.1e-9 * std::abs(target) + error + 1e-12) << what;
}

void expectSteps(const Pair& pair, const SideFacts& side, const char* name) {
  std::vector<CsvRow> rows = csvRows(oracle(pair, "steps"));
  std::erase_if(rows, [&](const CsvRow& row) { return row[0] != name; });
  ASSERT_EQ(side.steps.size(), rows.size()) << pair.name << " " << name;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string what = fmt::format("{} {} step {}", pair.name, name, rows[i][2]);
    EXPECT_EQ(std::to_string(side.steps[i].number), rows[i][2]) << what;
    EXPECT_NEAR(static_cast<double>(side.steps[i].duration) / 1000, std::stod(rows[i][3]),
                1e-6 + roundedTo(pair))
        << what;
    if (!side.identity.hasDevices) continue; // by the rule of the host here, by the device's there: all idle
    for (std::size_t c = 0; c < kTimeClassCount; ++c)
      EXPECT_NEAR(static_cast<double>(side.steps[i].classes[c]) / 1000, std::stod(rows[i][4 + c]),
                  1e-6 + roundedTo(pair))
          << what << " " << timeClassText(static_cast<TimeClass>(c));
  }
}

void expectStatistics(const Pair& pair, const Comparison& comparison) {
  std::map<std::string, std::string> figures;
  for (const CompareFigure& figure : compareFigures(comparison))
    figures[std::string(figure.name)] = figure.value;
  // SciPy 1.10 finds the quantiles of Student's distribution to some 1e-10 of themselves.
  const auto& welch = comparison.tests.welch;
  const double interval = welch ? 1e-9 * (welch->high - welch->low) / 1000 : 0;
  for (CsvRow row : csvRows(oracle(pair, "statistics"))) {
    if (row[0] == "sd_a_us") row[0] = "stddev_a_us";
    if (row[0] == "sd_b_us") row[0] = "stddev_b_us";
    ASSERT_TRUE(figures.contains(row[0])) << pair.name << " " << row[0];
    const std::string& value = figures[row[0]];
    if (row[1] == "nan")
      EXPECT_EQ(value, "") << pair.name << " " << row[0];
    else
      expectSame(std::stod(value), row[1],
                 (row[0].find("95_us") != std::string::npos ? interval : 0) + roundedTo(pair),
                 fmt::format("{} {}", pair.name, row[0]));
  }
}

} // namespace

TEST(Comparison, agreesWithEveryOracle) {
  RANKSCOPE_SKIP_UNLESS(!test::recordingsBelow(test::sharedFolder()).empty(), test::kNoRecordings);
  const std::map<std::string, Verdict> verdicts = {
      {"resnet50_same", Verdict::Improvement},
      {"resnet50_w0_w4", Verdict::Improvement},
      {"resnet50_w0both_w4", Verdict::Unclear},
      {"dlrm_rank0_rank3", Verdict::NotEnoughSteps},
      {"nccl2_rank0_rank1", Verdict::NotEnoughSteps},
      {"unlike_a100_v100", Verdict::NotComparable},
      {"h100_mi300_bert", Verdict::NotEnoughSteps},
      {"capture_straggler_dataloader_rank0", Verdict::Improvement}};
  for (const Pair& pair : pairs()) {
    const Comparison comparison = comparedPair(pair);
    ASSERT_FALSE(comparison.classes.empty()) << pair.name;
    expectSteps(pair, comparison.a, "A");
    expectSteps(pair, comparison.b, "B");
    expectStatistics(pair, comparison);
    expectIdentities(comparison);
    EXPECT_EQ(verdictText(comparison.verdict), verdictText(verdicts.at(pair.name))) << pair.name;
    const bool devices = comparison.a.identity.hasDevices;
    for (const CsvRow& row : csvRows(oracle(pair, "waterfall"))) {
      double a = comparison.a.meanDuration();
      double b = comparison.b.meanDuration();
      for (const ComparedClass& one : comparison.classes) {
        if (one.leaf || timeClassText(one.timeClass) != row[0]) continue;
        a = one.a;
        b = one.b;
      }
      if (!devices && row[0] != "step") continue;
      EXPECT_NEAR(a / 1000, std::stod(row[1]), 5.1e-4 + roundedTo(pair)) << pair.name << " " << row[0];
      EXPECT_NEAR(b / 1000, std::stod(row[2]), 5.1e-4 + roundedTo(pair)) << pair.name << " " << row[0];
    }
  }
}

// Swapped sides, and each side with itself.
TEST(Comparison, isSymmetricAndFindsNothingInOneRecording) {
  RANKSCOPE_SKIP_UNLESS(!test::recordingsBelow(test::sharedFolder()).empty(), test::kNoRecordings);
  for (const Pair& pair : pairs()) {
    const Comparison forth = comparedPair(pair);
    const Comparison back = compareSides(forth.b, forth.a);
    expectIdentities(back);
    expectNegated(forth, back);
    expectNothing(compareSides(forth.a, forth.a));
    expectNothing(compareSides(forth.b, forth.b));
  }
}

// Two devices without a kernel name in common: the operators are the same, and what they launched is laid
// side by side.
TEST(Comparison, matchesKernelsOfOtherHardwareByOperator) {
  RANKSCOPE_SKIP_UNLESS(!test::recordingsBelow(test::sharedFolder()).empty(), test::kNoRecordings);
  const Comparison comparison =
      comparedPair({"h100_mi300_bert", {"traces/h100-bert-small"}, {"traces/mi300-bert-small"}});
  EXPECT_LT(comparison.shared.kernels.value(), 0.2);
  EXPECT_GT(comparison.shared.operators.value(), 0.8);
  std::map<std::string, std::pair<double, double>> times;
  for (const ComparedKernel& row : comparison.rows.kernels) {
    auto& [a, b] = times[row.any().operatorName];
    a += row.ofA(&SideKernel::time);
    b += row.ofB(&SideKernel::time);
  }
  // As TraceLens finds them by their lowest common ancestors.
  EXPECT_NEAR(times["aten::_flash_attention_forward"].first, 37'408, 0.5);
  EXPECT_NEAR(times["aten::_flash_attention_forward"].second, 113'656, 0.5);
  double a = 0;
  double b = 0;
  for (const auto& [name, time] : times) {
    a += time.first;
    b += time.second;
  }
  EXPECT_NEAR(a, 309'437, 0.5);
  EXPECT_NEAR(b, 390'748, 0.5);
}

namespace {

Comparison comparedJobs(const test::JobOptions& a, const test::JobOptions& b) {
  const test::TemporaryFolder folder;
  test::generateJob(a, folder.path() / "a");
  test::generateJob(b, folder.path() / "b");
  const auto ofA = analyzed({(folder.path() / "a").string()});
  const auto ofB = analyzed({(folder.path() / "b").string()});
  if (ofA == nullptr || ofB == nullptr) return {};
  return compared(*ofA, *ofB);
}

test::JobOptions smallJob() {
  test::JobOptions options;
  options.ranks = 2;
  options.steps = 7;
  options.layers = 3;
  return options;
}

const ComparedClass& largestLeaf(const Comparison& comparison) {
  const ComparedClass* largest = nullptr;
  for (const ComparedClass& row : comparison.classes) {
    if (row.leaf && (largest == nullptr || std::abs(row.delta()) > std::abs(largest->delta())))
      largest = &row;
  }
  return *largest;
}

} // namespace

TEST(Comparison, findsTheOptionThatWasChanged) {
  struct Change {
    test::GapCause cause;
    Leaf leaf;
  };
  for (const auto& [cause, leaf] :
       {Change{test::GapCause::DataLoader, Leaf::HostInput}, Change{test::GapCause::Sync, Leaf::HostSync},
        Change{test::GapCause::CudaMalloc, Leaf::HostAlloc}}) {
    const test::JobOptions before = smallJob();
    test::JobOptions after = before;
    constexpr std::int64_t kAdded = 20'000'000;
    after.gaps.push_back({-1, -1, kAdded, cause});
    const Comparison comparison = comparedJobs(before, after);
    expectIdentities(comparison);
    EXPECT_EQ(verdictText(comparison.verdict), "regression");
    EXPECT_EQ(leafText(largestLeaf(comparison).leaf.value()), leafText(leaf));
    EXPECT_NEAR(comparison.delta(), static_cast<double>(kAdded), 0.01 * kAdded) << leafText(leaf);
    EXPECT_NEAR(largestLeaf(comparison).delta(), static_cast<double>(kAdded), 0.01 * kAdded)
        << leafText(leaf);
    const Comparison back = compareSides(comparison.b, comparison.a);
    EXPECT_EQ(verdictText(back.verdict), "improvement");
  }
}

TEST(Comparison, anotherSeedIsNoRegression) {
  int regressions = 0;
  constexpr int kTrials = 8; // nightly: as many as RANKSCOPE_TRIALS says
  const char* const asked = std::getenv("RANKSCOPE_TRIALS");
  const int trials = asked != nullptr ? std::atoi(asked) : kTrials;
  for (int trial = 0; trial < trials; ++trial) {
    test::JobOptions a = smallJob();
    a.steps = 6;
    a.layers = 2;
    test::JobOptions b = a;
    a.seed = 1000 + 2 * static_cast<std::uint64_t>(trial);
    b.seed = a.seed + 1;
    const Comparison comparison = comparedJobs(a, b);
    expectIdentities(comparison);
    regressions += comparison.verdict == Verdict::Regression ? 1 : 0;
  }
  EXPECT_LE(regressions, std::max(1, trials / 20));
}

TEST(Comparison, capturesAreCyclesByTimeAndTheUnitOfTheTests) {
  const test::TemporaryFolder folder;
  test::JobOptions options = smallJob();
  options.steps = 3;
  options.captures = 6;
  test::generateJob(options, folder.path() / "a");
  options.gaps.push_back({-1, -1, 20'000'000, test::GapCause::DataLoader});
  test::generateJob(options, folder.path() / "b");
  const auto a = analyzed({(folder.path() / "a").string()});
  const auto b = analyzed({(folder.path() / "b").string()});
  ASSERT_TRUE(a != nullptr && b != nullptr);
  const Comparison comparison = compared(*a, *b);
  EXPECT_EQ(comparison.a.identity.cycles, 6U);
  EXPECT_TRUE(comparison.a.identity.equalCycles);
  EXPECT_TRUE(comparison.tests.ofCaptures);
  EXPECT_EQ(comparison.tests.a.count, 6U);
  EXPECT_TRUE(comparison.tests.noise.has_value());
  EXPECT_EQ(verdictText(comparison.verdict), "regression");
  const Comparison same = compared(*a, *a);
  expectNothing(same);
}

namespace {

// A side whose captures have so many steps of so many nanoseconds each.
SideFacts sideOfCaptures(const SideFacts& like, const std::vector<std::pair<int, double>>& captures) {
  SideFacts side = like;
  const SideSample sample = side.samples.front();
  side.samples.clear();
  side.identity.cycles = captures.size();
  for (std::size_t cycle = 0; cycle < captures.size(); ++cycle) {
    for (int i = 0; i < captures[cycle].first; ++i) {
      SideSample& step = side.samples.emplace_back(sample);
      step.cycle = cycle;
      step.status = StepStatus::Kept;
      step.position = side.samples.size();
      step.duration = captures[cycle].second + 1000 * i;
      step.classes = {};
      step.leaves = {};
      step.classes.front() = step.leaves.front() = step.duration;
    }
  }
  return side;
}

} // namespace

// The headline is what the classes add up to, also where the tests are of captures of slightly other lengths;
// where the lengths differ much, their means are no samples and nothing is claimed.
TEST(Comparison, theHeadlineIsTheMeanStepWhateverTheUnitIs) {
  const test::TemporaryFolder folder;
  test::generateJob(smallJob(), folder.path() / "a");
  const auto job = analyzed({(folder.path() / "a").string()});
  ASSERT_NE(job, nullptr);
  SideFacts like = sideOf(*job, {});
  like.steps.clear();
  constexpr double kMs = 1e6;
  const SideFacts a =
      sideOfCaptures(like, {{4, 10 * kMs}, {4, 11 * kMs}, {4, 10 * kMs}, {4, 11 * kMs}, {3, 10 * kMs}});
  SideFacts b =
      sideOfCaptures(like, {{4, 20 * kMs}, {4, 21 * kMs}, {3, 26 * kMs}, {4, 21 * kMs}, {4, 20 * kMs}});
  b.identity.fingerprint = 1;
  const Comparison close = compareSides(a, b);
  ASSERT_TRUE(close.tests.ofCaptures);
  EXPECT_EQ(verdictText(close.verdict), "regression");
  EXPECT_NEAR(close.stepDifference(), close.classes.front().delta(), 1);
  EXPECT_NE(rounded(close.stepDifference()), rounded(close.tests.difference()));
  EXPECT_NE(verdictSentence(close).find(durationText(rounded(close.classes.front().delta()))),
            std::string::npos)
      << verdictSentence(close);
  // One long capture of short steps turns the sign of the mean step, not that of the captures' means.
  SideFacts uneven =
      sideOfCaptures(like, {{4, 20 * kMs}, {4, 21 * kMs}, {400, 1 * kMs}, {4, 21 * kMs}, {4, 20 * kMs}});
  uneven.identity.fingerprint = 2;
  const Comparison apart = compareSides(a, uneven);
  ASSERT_TRUE(apart.tests.ofCaptures);
  EXPECT_EQ(verdictText(apart.verdict), "not_enough_steps");
  EXPECT_NE(verdictExplanation(apart).find("different numbers of steps"), std::string::npos);
  EXPECT_EQ(verdictSentence(apart).find("95 %"), std::string::npos) << verdictSentence(apart);
  EXPECT_TRUE(std::ranges::any_of(apart.cautions, [](const std::string& caution) {
    return caution.starts_with("B: its captures have between 4 and 400 steps");
  }));
}

// Steps that are part of both sides are named; a part of the change is hidden by them.
TEST(Comparison, namesStepsThatBothSidesHave) {
  const test::TemporaryFolder folder;
  test::generateJob(smallJob(), folder.path() / "a");
  const auto job = analyzed({(folder.path() / "a").string()});
  ASSERT_NE(job, nullptr);
  const auto part = [&](const char* steps) {
    ScopeOptions scope;
    scope.steps = steps;
    return scopedAnalysis(*job, scope);
  };
  const auto shared = [](const Comparison& comparison) {
    return std::ranges::count_if(comparison.cautions, [](const std::string& caution) {
      return caution.find("also part of A") != std::string::npos;
    });
  };
  const Comparison overlapping = compared(*part("1..4"), *part("3..6"));
  EXPECT_EQ(shared(overlapping), 1);
  EXPECT_TRUE(std::ranges::any_of(overlapping.cautions, [](const std::string& caution) {
    return caution.starts_with("2 of B's 4 steps are also part of A");
  }));
  EXPECT_EQ(shared(compared(*part("1..3"), *part("4..6"))), 0);
}

TEST(Comparison, unequalCapturesAreNoSample) {
  RANKSCOPE_SKIP_UNLESS(!test::recordingsBelow(test::sharedFolder()).empty(), test::kNoRecordings);
  const auto job = analyzed({(test::sharedFolder() / "traces" / "p2p-4rank-t4").string()});
  ASSERT_NE(job, nullptr);
  const SideFacts side = sideOf(*job, {});
  EXPECT_GT(side.identity.cycles, 1U);
  EXPECT_FALSE(side.identity.equalCycles);
  SideFacts other = side;
  other.identity.fingerprint = 0; // another recording of the same
  const Comparison comparison = compareSides(side, other);
  EXPECT_EQ(verdictText(comparison.verdict), "not_enough_steps");
  EXPECT_NE(verdictExplanation(comparison).find("different ranks"), std::string::npos)
      << "the reason is not the number of steps";
}

TEST(Comparison, ranksOfOneSideOnlyAreListedAndNotCompared) {
  test::JobOptions whole = smallJob();
  whole.ranks = 3;
  test::JobOptions part = whole;
  part.missingRanks = {1};
  const Comparison comparison = comparedJobs(whole, part);
  EXPECT_EQ(comparison.a.identity.ranks, (std::vector<int>{0, 2}));
  EXPECT_EQ(comparison.a.identity.notCompared, (std::vector<int>{1}));
  EXPECT_EQ(comparison.rows.ranks.size(), 2U);
  expectIdentities(comparison);
}

TEST(Comparison, truncatedRanksAreNamedAndNotCompared) {
  test::JobOptions whole = smallJob();
  whole.ranks = 3;
  test::JobOptions truncated = whole;
  truncated.damage.kind = test::DamageKind::Truncate;
  truncated.damage.rank = 1;
  const Comparison comparison = comparedJobs(whole, truncated);
  EXPECT_EQ(comparison.a.identity.ranks, (std::vector<int>{0, 2}));
  EXPECT_EQ(comparison.a.identity.notCompared, (std::vector<int>{1}));
  EXPECT_EQ(comparison.b.identity.ranks, (std::vector<int>{0, 2}));
  EXPECT_EQ(comparison.b.identity.notes,
            (std::vector<std::string>{"rank 1 is left out: its file is truncated"}));
  EXPECT_NE(std::ranges::find(comparison.cautions, "B: rank 1 is left out: its file is truncated"),
            comparison.cautions.end());
  EXPECT_EQ(comparison.delta(), 0) << "the others are the same";
  EXPECT_EQ(comparison.rows.ranks.size(), 2U);
  expectIdentities(comparison);
}

TEST(Comparison, fewStepsAreSaidToBeMissing) {
  test::JobOptions few = smallJob();
  few.steps = 3;
  test::JobOptions other = few;
  other.seed = 9;
  const Comparison comparison = comparedJobs(few, other);
  EXPECT_EQ(comparison.verdict, Verdict::NotEnoughSteps);
  EXPECT_NE(verdictExplanation(comparison).find("5 each are needed"), std::string::npos);
}

TEST(Comparison, shapesOfBothSidesAreMatched) {
  test::JobOptions options = smallJob();
  options.ranks = 1;
  test::JobOptions bare = options;
  bare.withShapes = false;
  const Comparison shaped = comparedJobs(options, options);
  const auto matches = [](const Comparison& comparison, RowMatch match) {
    return std::ranges::count(comparison.rows.operators, match, &ComparedOperator::match);
  };
  EXPECT_EQ(shaped.a.identity.shapes, Recorded::Yes);
  EXPECT_GT(matches(shaped, RowMatch::NameShapes), 0);
  EXPECT_EQ(matches(shaped, RowMatch::OnlyA), 0);
  // By the poorer side.
  const Comparison poorer = comparedJobs(options, bare);
  EXPECT_EQ(poorer.b.identity.shapes, Recorded::No);
  EXPECT_EQ(matches(poorer, RowMatch::NameShapes), 0);
  EXPECT_EQ(matches(poorer, RowMatch::OnlyB), 0);
  expectIdentities(poorer);
}

// A model that only one side wraps has the same modules; where each layer is wrapped, they keep their order.
TEST(Comparison, wrappersOfAModelAreSeenThrough) {
  SideFacts a;
  SideFacts b;
  for (const char* path : {"Model_0", "Model_0 / Block_0", "Model_0 / Block_1"})
    a.modules.push_back({path, 1, 10, 10, 10});
  for (const char* path : {"DistributedDataParallel_0", "DistributedDataParallel_0 / Model_0",
                           "DistributedDataParallel_0 / Model_0 / CheckpointWrapper_0 / Block_0",
                           "DistributedDataParallel_0 / Model_0 / CheckpointWrapper_1 / Block_0"})
    b.modules.push_back({path, 1, 10, 12, 12});
  const ComparedRows rows = comparedRows(a, b);
  ASSERT_EQ(rows.modules.size(), 4U);
  std::map<std::string, std::string> partners;
  for (const ComparedModule& row : rows.modules) {
    if (row.a) partners[row.a->path] = row.b ? row.b->path : std::string();
  }
  EXPECT_EQ(partners["Model_0"], "DistributedDataParallel_0 / Model_0");
  EXPECT_EQ(partners["Model_0 / Block_1"],
            "DistributedDataParallel_0 / Model_0 / CheckpointWrapper_1 / Block_0");
  const auto onlyB = std::ranges::count(rows.modules, RowMatch::OnlyB, &ComparedModule::match);
  EXPECT_EQ(onlyB, 1); // the wrapper itself
}

TEST(Comparison, effectsOfCountAndSpeedAddUp) {
  const EffectSplit split = effectsOf(2, 10, 3, 21);
  EXPECT_EQ(split.count, 5);
  EXPECT_EQ(split.speed, 6);
  EXPECT_EQ(effectsOf(0, 0, 3, 21).count, 21);
  EXPECT_EQ(effectsOf(3, 21, 0, 0).count, -21);
}

} // namespace rankscope
