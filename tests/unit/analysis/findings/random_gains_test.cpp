// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs with options drawn at random and one fault each: the gain of the fault's finding against what the same
// job without the fault takes less. A few in every run; RANKSCOPE_RANDOM_JOBS=60 runs so many of each seed,
// of which 95 of 100 must hold.
#include "core/analysis/findings/findings.h"
#include "core/report/findings_table.h"
#include "core/report/job_report.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/analysis/findings/finding_jobs.h"
#include "tests/unit/io/opened_trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

using test::GapCause;
using test::JobOptions;
using test::Parallelism;
using test::StragglerKind;

constexpr double kNoise = 150'000; // nanoseconds of a step
constexpr int kJobsOfEveryRun = 6;
constexpr int kChain = 24; // elementwise kernels of a chain in the generator

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : m_state(seed * 0x9e3779b97f4a7c15ULL + 1) { next(); }
  std::uint64_t next() {
    m_state ^= m_state << 13;
    m_state ^= m_state >> 7;
    m_state ^= m_state << 17;
    return m_state;
  }
  bool oneIn(std::uint64_t n) { return next() % n == 0; }
  template <class T, std::size_t kCount> T of(const std::array<T, kCount>& list) {
    return list[next() % kCount];
  }

 private:
  std::uint64_t m_state;
};

JobOptions drawOptions(Dice& dice) {
  JobOptions options;
  options.ranks = dice.of(std::array{1, 2, 4, 8});
  options.steps = dice.of(std::array{5, 6, 8, 10});
  options.layers = dice.of(std::array{2, 4, 6, 8});
  options.seed = dice.next() % 1'000'000;
  options.syncEachStep = !dice.oneIn(3);
  options.overlappingKernels = dice.oneIn(7);
  if (dice.oneIn(5)) options.parallelism = Parallelism::FullySharded;
  if (dice.oneIn(7) && options.ranks > 1) options.parallelism = Parallelism::Tensor;
  options.buckets = dice.of(std::array{1, 2, 4, 8});
  options.communicationPermille = dice.of(std::array{150, 350, 600});
  if (dice.oneIn(5)) options.captures = 2;
  options.withStack = dice.oneIn(3);
  if (dice.oneIn(5)) {
    options.ranksPerNode = 4;
    options.clockOffsetNs = {2'000'000, 0};
    options.clockDriftPpb = {10'000, 0};
  }
  if (dice.oneIn(10)) options.vocabulary = test::Vocabulary::Exporter;
  return options;
}

// What the gain has to be: within the tolerance of counted gains, or the truth between its bounds.
enum class Promise : std::uint8_t { Counted, Bounds };

struct Fault {
  std::string text;
  std::string_view leaf;
  std::optional<FindingKind> kind = {}; // instead of the leaf
  Promise promise = Promise::Counted;
};

struct WasteFault {
  test::Waste waste;
  const char* name;
  FindingKind kind;
  Promise promise;
};
constexpr std::array kWasteFaults{
    WasteFault{test::Waste::Simt, "simt", FindingKind::NoTensorCores, Promise::Bounds},
    WasteFault{test::Waste::Layout, "layout", FindingKind::LayoutConversions, Promise::Bounds},
    WasteFault{test::Waste::Unfused, "unfused", FindingKind::UnfusedElementwise, Promise::Bounds},
    WasteFault{test::Waste::Attention, "attention", FindingKind::UnfusedAttention, Promise::Bounds},
    WasteFault{test::Waste::Optimizer, "optimizer", FindingKind::UnfusedOptimizer, Promise::Bounds},
    WasteFault{test::Waste::ZeroGrad, "zero_grad", FindingKind::ZeroGrad, Promise::Bounds},
    WasteFault{test::Waste::ClipNorm, "clip_grad_norm", FindingKind::GradClipSync, Promise::Counted},
    WasteFault{test::Waste::Barrier, "barrier", FindingKind::BarrierInStep, Promise::Counted},
    WasteFault{test::Waste::EmptyCache, "empty_cache", FindingKind::EmptyCache, Promise::Counted},
    WasteFault{test::Waste::Pinning, "pinning", FindingKind::PinningInLoop, Promise::Counted},
    WasteFault{test::Waste::Random, "random", FindingKind::HostRandom, Promise::Counted},
};

Fault inject(Dice& dice, JobOptions& options) {
  const std::int64_t time = dice.of(std::array{1, 2, 3, 4, 6, 8}) * std::int64_t{1'000'000};
  const std::string length = std::to_string(time / 1'000'000) + " ms";
  const int rank = static_cast<int>(dice.next() % static_cast<std::uint64_t>(options.ranks));
  struct Gap {
    GapCause cause;
    const char* name;
    const char* leaf;
  };
  constexpr std::array kGaps{
      Gap{GapCause::DataLoader, "loader gap", "host.input"}, Gap{GapCause::Sync, "sync", "host.sync"},
      Gap{GapCause::CudaMalloc, "cudaMalloc", "host.alloc"}, Gap{GapCause::Python, "python", "host.python"},
      Gap{GapCause::LaunchBound, "launch-bound", "host.dispatch"}};
  const std::uint64_t kinds = options.ranks > 1 ? 14 : 7;
  const std::uint64_t kind = dice.next() % (kinds + kWasteFaults.size());
  if (kind >= kinds) {
    const WasteFault& waste = kWasteFaults[kind - kinds];
    options.waste = {waste.waste};
    return {waste.name, {}, waste.kind, waste.promise};
  }
  if (kind < kGaps.size()) {
    options.gaps = {{-1, -1, time, kGaps[kind].cause}};
    return {kGaps[kind].name + (" " + length), kGaps[kind].leaf};
  }
  if (kind == 5) {
    options.loaderNs = time;
    return {"loader " + length, "host.input"};
  }
  if (kind == 6) {
    options.pinnedCopies = false;
    return {"pageable", "copy.h2d"};
  }
  if (kind == 7) {
    options.overlapPermille = 0;
    return {"no overlap", "comm.transfer"};
  }
  if (kind == 8) {
    options.communicationPermille = 2000;
    return {"long communication", "comm.transfer"};
  }
  if (kind == 9) {
    const Gap& gap = kGaps[dice.next() % 4];
    options.gaps = {{rank, -1, time, gap.cause}};
    return {std::string(gap.name) + " on one rank, " + length, "wait.rank"};
  }
  const StragglerKind straggler = std::array{StragglerKind::Compute, StragglerKind::Compute,
                                             StragglerKind::DataLoader, StragglerKind::Host}[kind - 10];
  options.straggler = {rank, time, 0, straggler};
  return {"straggler " + std::to_string(static_cast<int>(straggler)) + ", " + length, "wait.rank"};
}

std::unique_ptr<JobReport> reportOf(const JobOptions& options) {
  const test::TemporaryFolder folder;
  generateJob(options, folder.path());
  const char* const method = std::getenv("RANKSCOPE_GAINS");
  const bool replays = method != nullptr && std::string_view(method) == "replay";
  return std::make_unique<JobReport>(std::make_shared<const Analysis>(test::loadJob(folder.path().string())),
                                     EfficiencySettings(),
                                     replays ? GainMethod::Replay : GainMethod::Formula);
}

// Mean over the ranks, by capture and number of the step; kept: only those that means are made of.
std::map<std::pair<int, std::int64_t>, double> stepTimes(const Analysis& analysis, bool kept) {
  std::map<std::pair<int, std::int64_t>, std::pair<double, double>> sums;
  for (const RankIndex rank : analysis.ranks()) {
    for (const RankStep& step : analysis.stragglers().ranks[rank.value].steps) {
      if (kept && !step.kept) continue;
      auto& [sum, count] = sums[{analysis.trace().rank(rank).capture, step.number}];
      sum += static_cast<double>(step.range.length());
      ++count;
    }
  }
  std::map<std::pair<int, std::int64_t>, double> means;
  for (const auto& [key, sum] : sums) means[key] = sum.first / sum.second;
  return means;
}

// By what the kept steps of the faulty job are longer than the same steps without the fault; a fault that is
// hidden costs nothing.
double truthOf(const Analysis& faulty, const Analysis& healthy) {
  const auto with = stepTimes(faulty, true);
  auto without = stepTimes(healthy, false);
  double sum = 0;
  for (const auto& [key, time] : with) sum += time - without[key];
  return std::max(0.0, sum / static_cast<double>(std::max<std::size_t>(1, with.size())));
}

double minShareOf(const Fault& fault) {
  const std::string_view leaf = fault.leaf;
  if (fault.kind) return fault.kind == FindingKind::UnfusedElementwise ? 0.1 : 0.05;
  if (leaf == "host.dispatch") return 0.05;
  return leaf == "host.input" || leaf == "wait.rank" || leaf == "comm.transfer" ? 0.02 : 0.01;
}

// beside: the gain of a straggler that only the job with the fault has; what a fault costs one rank more than
// others is told there.
bool holds(const Fault& fault, const Finding* found, double truth, double step, double beside) {
  // Too small to be told.
  if (found == nullptr) return truth <= minShareOf(fault) * step + kNoise;
  const auto low = static_cast<double>(found->gain->low);
  const auto high = static_cast<double>(found->gain->high);
  const double tolerance = std::max(0.05 * truth, kNoise);
  const bool isBetween = low <= truth + tolerance && truth <= 1.05 * (high + beside) + kNoise;
  if (fault.kind && fault.promise == Promise::Bounds) return isBetween;
  if (fault.leaf == "host.dispatch") return std::abs(high - truth) <= std::max(0.15 * truth, kNoise);
  if (fault.leaf == "comm.transfer") return isBetween;
  if (fault.leaf == "wait.rank") return std::abs(low - truth) <= std::max(0.03 * truth, kNoise);
  return std::abs(low + beside - truth) <= tolerance;
}

const Finding* findingOf(const JobReport& report, const Fault& fault) {
  if (fault.kind) return findingIn(report, *fault.kind);
  const Finding* found = nullptr;
  for (const Finding& finding : report.findings()) {
    if (!finding.gain || !std::string_view(finding.leaf).starts_with(fault.leaf)) continue;
    if (found == nullptr || finding.gain->high > found->gain->high) found = &finding;
  }
  return found;
}

double stragglerGain(const JobReport& report) {
  const Finding* const found = findingIn(report, FindingKind::Straggler);
  return found != nullptr ? static_cast<double>(found->gain->low) : 0;
}

// No gain is above the step, and those that no other finding includes add up to no more than it.
void expectWithinStep(const JobReport& report) {
  const double step = report.keptAccount().stepTime;
  double sum = 0;
  for (const Finding& finding : report.findings()) {
    if (!finding.gain) continue;
    EXPECT_LE(static_cast<double>(finding.gain->high), step + 1) << finding.title;
    const bool isOfAnother = finding.evidence.find("ncluded in") != std::string::npos ||
                             finding.evidence.find("do not add up") != std::string::npos;
    if (!isOfAnother) sum += static_cast<double>(finding.gain->low);
  }
  EXPECT_LE(sum, step + 1) << findingsText(report);
}

// Leaves that take 50 us a step more or less with the fault.
std::string differences(const JobReport& faulty, const JobReport& healthy) {
  std::string text;
  for (std::size_t i = 0; i < kLeafCount; ++i) {
    const double more = faulty.keptAccount().leafTimes[i] - healthy.keptAccount().leafTimes[i];
    if (std::abs(more) >= 50'000)
      text += fmt::format(" {} {:+.0f}", leafText(static_cast<Leaf>(i)), more / 1000);
  }
  return text;
}

struct Outcome {
  std::string fault;   // its first word
  std::string problem; // empty where it holds
};

Outcome outcomeOf(std::uint64_t seed, int job) {
  Dice dice(1000 * seed + static_cast<std::uint64_t>(job));
  JobOptions options = drawOptions(dice);
  const auto healthy = reportOf(options);
  const Fault fault = inject(dice, options);
  const auto faulty = reportOf(options);
  expectWithinStep(*healthy);
  expectWithinStep(*faulty);
  const double step = faulty->keptAccount().stepTime;
  double truth = truthOf(faulty->analysis(), healthy->analysis());
  // Of a chain, the fused kernel stays.
  if (fault.kind == FindingKind::UnfusedElementwise) truth *= 1 - 1.0 / kChain;
  const Finding* const found = findingOf(*faulty, fault);
  const double beside = std::max(0.0, stragglerGain(*faulty) - stragglerGain(*healthy));
  Outcome outcome{fault.text.substr(0, fault.text.find_first_of(" ,")), {}};
  if (!holds(fault, found, truth, step, beside))
    outcome.problem =
        fmt::format("seed {}, job {}: {} of {} ranks, {} steps, {} layers: {} for {:.0f} us of {:.0f}\n",
                    seed, job, fault.text, options.ranks, options.steps, options.layers,
                    found != nullptr ? found->title : std::string("nothing"), truth / 1000, step / 1000) +
        fmt::format("  us by leaf:{}\n", differences(*faulty, *healthy));
  return outcome;
}

struct WasteCase {
  test::Waste waste;
  FindingKind kind;
};

const std::array kWaste{
    WasteCase{test::Waste::Simt, FindingKind::NoTensorCores},
    WasteCase{test::Waste::Layout, FindingKind::LayoutConversions},
    WasteCase{test::Waste::Unfused, FindingKind::UnfusedElementwise},
    WasteCase{test::Waste::Attention, FindingKind::UnfusedAttention},
    WasteCase{test::Waste::Optimizer, FindingKind::UnfusedOptimizer},
    WasteCase{test::Waste::Barrier, FindingKind::BarrierInStep},
    WasteCase{test::Waste::EmptyCache, FindingKind::EmptyCache},
    WasteCase{test::Waste::Pinning, FindingKind::PinningInLoop},
};

class WasteGains : public testing::TestWithParam<WasteCase> {};

} // namespace

TEST(RandomGains, holdInNearlyAllJobsWithOneFault) {
  const char* const asked = std::getenv("RANKSCOPE_RANDOM_JOBS");
  const int jobs = asked != nullptr ? std::atoi(asked) : kJobsOfEveryRun;
  std::string problems;
  int wrong = 0;
  std::map<std::string, std::pair<int, int>> table; // jobs and those that hold, by fault
  for (const std::uint64_t seed : {1, 2}) {
    for (int job = 0; job < jobs; ++job) {
      const Outcome outcome = outcomeOf(seed, job);
      auto& [all, held] = table[outcome.fault];
      ++all;
      if (outcome.problem.empty()) {
        ++held;
        continue;
      }
      ++wrong;
      problems += outcome.problem;
    }
  }
  EXPECT_LE(wrong, (2 * jobs + 19) / 20) << problems;
  if (asked == nullptr) return;
  fmt::print("{} of {} hold\n", 2 * jobs - wrong, 2 * jobs);
  for (const auto& [fault, counts] : table)
    fmt::print("{:<16} {:>3} of {:>3}\n", fault, counts.second, counts.first);
  fmt::print("{}", problems);
}

// What all ranks do and need not has a finding, whose bounds hold what the same job without it takes less.
TEST_P(WasteGains, haveTheTruthBetweenTheirBounds) {
  JobOptions options;
  options.ranks = 2;
  options.syncEachStep = false;
  const auto healthy = reportOf(options);
  ASSERT_EQ(findingIn(*healthy, GetParam().kind), nullptr);
  options.waste = {GetParam().waste};
  const auto wasteful = reportOf(options);
  const double truth = truthOf(wasteful->analysis(), healthy->analysis());
  const Finding* const found = findingIn(*wasteful, GetParam().kind);
  ASSERT_NE(found, nullptr) << "for " << truth << " ns";
  ASSERT_TRUE(found->gain.has_value()) << found->title;
  EXPECT_LE(static_cast<double>(found->gain->low), 1.05 * truth + kNoise) << found->title;
  EXPECT_GE(1.05 * static_cast<double>(found->gain->high) + kNoise, truth) << found->title;
}

INSTANTIATE_TEST_SUITE_P(EachKind, WasteGains, testing::ValuesIn(kWaste),
                         [](const auto& kind) { return std::string(findingKindText(kind.param.kind)); });

} // namespace rankscope
