// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/compare/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

constexpr double kManyLaunchedBefore = 0.05;

// The most kept steps of a capture, over the fewest of one on the same side, for both to stand for a run.
constexpr std::size_t kMostUnequal = 2;

template <class ValueOf> std::optional<WelchTest> classTest(const Comparison& comparison, ValueOf&& valueOf) {
  const auto values = [&](const SideFacts& side) {
    std::vector<double> found;
    found.reserve(side.samples.size());
    for (const SideSample& sample : side.samples) {
      if (sample.kept()) found.push_back(valueOf(sample));
    }
    return comparison.units(side, std::move(found));
  };
  return welchTest(values(comparison.a), values(comparison.b));
}

bool areUnequal(const std::vector<std::size_t>& sizes) {
  if (sizes.empty()) return false;
  const auto [least, most] = std::ranges::minmax(sizes);
  return most > kMostUnequal * least;
}

void setInterval(ComparedClass& row, const std::optional<WelchTest>& test, bool isTotal) {
  if (!test || isTotal) return;
  row.low = test->low;
  row.high = test->high;
}

std::vector<ComparedClass> waterfall(const Comparison& comparison) {
  const SideFacts& a = comparison.a;
  const SideFacts& b = comparison.b;
  const ClassLeafTimes ofA = a.meanLeaves();
  const ClassLeafTimes ofB = b.meanLeaves();
  std::vector<ComparedClass> rows;
  for (std::size_t c = 0; c < kTimeClassCount; ++c) {
    const auto timeClass = static_cast<TimeClass>(c);
    const std::size_t whole = rows.size();
    rows.push_back({timeClass, std::nullopt, 0, 0, std::nullopt, std::nullopt});
    setInterval(rows.back(),
                classTest(comparison, [&](const SideSample& sample) { return sample.classes[c]; }),
                a.isTotal);
    for (std::size_t l = 0; l < kLeafCount; ++l) {
      const std::size_t at = classLeaf(timeClass, static_cast<Leaf>(l));
      rows[whole].a += ofA[at];
      rows[whole].b += ofB[at];
      if (ofA[at] == 0 && ofB[at] == 0) continue;
      ComparedClass& row = rows.emplace_back();
      row = {timeClass, static_cast<Leaf>(l), ofA[at], ofB[at], std::nullopt, std::nullopt};
      setInterval(row, classTest(comparison, [&](const SideSample& sample) { return sample.leaves[at]; }),
                  a.isTotal);
    }
  }
  return rows;
}

// Differences of the same steps of two ranks of a job: of one number, or of one place among the kept ones.
std::optional<WelchTest> pairedSteps(const SideFacts& a, const SideFacts& b, bool byOrder) {
  const auto keyOf = [&](const SideSample& sample) {
    return byOrder ? std::pair(std::size_t{0}, static_cast<std::int64_t>(sample.position))
                   : std::pair(sample.cycle, sample.number);
  };
  std::map<std::pair<std::size_t, std::int64_t>, double> ofA;
  for (const SideSample& sample : a.samples) {
    if (sample.kept()) ofA[keyOf(sample)] = sample.duration;
  }
  std::vector<double> differences;
  differences.reserve(b.samples.size());
  for (const SideSample& sample : b.samples) {
    const auto found = ofA.find(keyOf(sample));
    if (sample.kept() && found != ofA.end()) differences.push_back(sample.duration - found->second);
  }
  return pairedTest(differences);
}

bool sameStepsOfOneJob(const Comparison& comparison) {
  if (!comparison.sameJob || comparison.a.identity.ranks == comparison.b.identity.ranks) return false;
  return comparison.a.areSteps && comparison.b.areSteps;
}

StepTests stepTests(const Comparison& comparison) {
  const SideFacts& a = comparison.a;
  const SideFacts& b = comparison.b;
  const std::vector<double> capturesA = a.cycleMeans(a.durations());
  const std::vector<double> capturesB = b.cycleMeans(b.durations());
  const std::size_t least = comparison.options.minSteps;
  const bool ofCaptures = capturesA.size() >= least && capturesB.size() >= least;
  StepTests tests = ofCaptures ? testsOf(capturesA, capturesB) : testsOf(a.durations(), b.durations());
  tests.ofCaptures = ofCaptures;
  if (capturesA.size() > 1) {
    const auto [low, high] = std::ranges::minmax(capturesA);
    tests.noise = high - low;
  }
  if (sameStepsOfOneJob(comparison) && !ofCaptures)
    tests.paired = pairedSteps(a, b, comparison.options.pairByOrder);
  return tests;
}

// Kept steps of B in which a rank's step is the same one as in a kept step of A.
std::size_t sharedSteps(const SideFacts& a, const SideFacts& b) {
  using Key = std::tuple<std::uint64_t, TimeNs, TimeNs>;
  const auto keyOf = [](const SideStep& step) {
    return Key(step.recording, step.range.begin, step.range.end);
  };
  std::set<Key> ofA;
  for (const SideStep& step : a.steps) {
    if (a.samples[step.sample].kept() && !step.range.empty()) ofA.insert(keyOf(step));
  }
  std::set<std::size_t> shared;
  for (const SideStep& step : b.steps) {
    if (b.samples[step.sample].kept() && ofA.contains(keyOf(step))) shared.insert(step.sample);
  }
  return shared.size();
}

// What two captures of one job or side may differ by without a change.
void addCautions(Comparison& comparison) {
  std::vector<std::string>& cautions = comparison.cautions;
  const auto sides = {std::pair("A", &comparison.a), std::pair("B", &comparison.b)};
  for (const auto& [name, side] : sides) {
    for (const std::string& note : side->identity.notes)
      cautions.push_back(fmt::format("{}: {}", name, note));
    if (!side->identity.equalCycles)
      cautions.push_back(fmt::format("{}: its captures are of different ranks", name));
    if (!side->areSteps) cautions.push_back(fmt::format("{}: no steps were recorded", name));
  }
  if (comparison.sameSteps) {
    cautions.emplace_back("both sides are the same capture");
    return;
  }
  if (const std::size_t shared = sharedSteps(comparison.a, comparison.b); shared > 0)
    cautions.push_back(
        comparison.b.keptCount() == 1
            ? std::string("the step of B is also part of A, which hides a part of what changed")
            : fmt::format("{} of B's {} steps {} also part of A, which hides a part of what changed", shared,
                          comparison.b.keptCount(), shared == 1 ? "is" : "are"));
  if (comparison.tests.ofCaptures) {
    for (const auto& [name, side] : sides) {
      const std::vector<std::size_t> sizes = side->cycleSizes();
      if (!areUnequal(sizes)) continue;
      const auto [least, most] = std::ranges::minmax(sizes);
      cautions.push_back(fmt::format("{}: its captures have between {} and {} steps, so that their means and "
                                     "the mean of all steps differ",
                                     name, least, most));
    }
  }
  for (const auto& [name, side] : sides) {
    for (const SideSample& sample : side->samples) {
      if (sample.position != 1 || sample.launchedBefore <= kManyLaunchedBefore) continue;
      cautions.push_back(
          fmt::format("{}: {:.0f} % of the GPU time of step {} was launched before the recording", name,
                      100 * sample.launchedBefore, sample.number));
    }
  }
  for (const auto& [name, summary] :
       {std::pair("A", &comparison.tests.a), std::pair("B", &comparison.tests.b)}) {
    if (summary->autocorrelation.value_or(0) > 0.5 && summary->count >= comparison.options.minSteps)
      cautions.push_back(fmt::format("{}: its steps drift: {} tell as much as {:.1f} independent ones", name,
                                     summary->count, summary->effectiveCount()));
  }
  if (!comparison.tests.ofCaptures && comparison.tests.welch)
    cautions.emplace_back("steps of one capture are not runs: two captures of one job may differ as much");
}

Verdict verdictOfSides(const Comparison& comparison) {
  if (comparison.sameSteps) return Verdict::NoChange;
  if (!isComparable(comparison.shared)) return Verdict::NotComparable;
  const bool steps = comparison.a.areSteps && comparison.b.areSteps;
  if (!steps || !comparison.a.identity.equalCycles || !comparison.b.identity.equalCycles)
    return Verdict::NotEnoughSteps;
  if (comparison.unequalCaptures()) return Verdict::NotEnoughSteps;
  return verdictOf(comparison.tests, comparison.options);
}

} // namespace

std::string_view verdictText(Verdict verdict) {
  constexpr std::array<std::string_view, 7> kTexts = {"regression",    "improvement",      "no_change",
                                                      "unclear",       "not_enough_steps", "within_noise",
                                                      "not_comparable"};
  return kTexts[static_cast<std::size_t>(verdict)];
}

std::optional<double> StepTests::percent() const {
  if (a.mean <= 0) return std::nullopt;
  return 100 * difference() / a.mean;
}

std::optional<double> Comparison::stepPercent() const {
  const double base = a.meanStep();
  if (base <= 0) return std::nullopt;
  return 100 * stepDifference() / base;
}

std::vector<double> Comparison::units(const SideFacts& side, std::vector<double> keptValues) const {
  return tests.ofCaptures ? side.cycleMeans(keptValues) : std::move(keptValues);
}

std::optional<WelchTest> Comparison::interval() const {
  if (sameSteps || unequalCaptures()) return std::nullopt;
  return tests.paired ? tests.paired : tests.welch;
}

bool Comparison::unequalCaptures() const {
  return tests.ofCaptures && (areUnequal(a.cycleSizes()) || areUnequal(b.cycleSizes()));
}

StepTests testsOf(const std::vector<double>& a, const std::vector<double>& b) {
  StepTests tests;
  tests.a = summaryOf(a);
  tests.b = summaryOf(b);
  tests.welch = welchTest(a, b);
  tests.ranks = rankTest(a, b);
  tests.shift = rankShift(a, b);
  tests.hedges = hedgesG(a, b);
  return tests;
}

Verdict verdictOf(const StepTests& tests, const CompareOptions& options) {
  if (tests.a.count < options.minSteps || tests.b.count < options.minSteps || !tests.welch || !tests.ranks)
    return Verdict::NotEnoughSteps;
  const double tolerance = options.tolerancePct / 100 * tests.a.mean;
  // Of the same steps on two ranks, the differences decide.
  const WelchTest& means = tests.paired ? *tests.paired : *tests.welch;
  const bool tested = means.p < options.alpha && (tests.paired || tests.ranks->p < options.alpha);
  const double difference = tests.difference();
  if (tested && std::abs(difference) >= tolerance) {
    if (tests.noise && std::abs(difference) < *tests.noise) return Verdict::WithinNoise;
    return difference > 0 ? Verdict::Regression : Verdict::Improvement;
  }
  if (means.low >= -tolerance && means.high <= tolerance) return Verdict::NoChange;
  return Verdict::Unclear;
}

Comparison compareSides(SideFacts a, SideFacts b, const CompareOptions& options) {
  Comparison comparison;
  comparison.options = options;
  comparison.a = std::move(a);
  comparison.b = std::move(b);
  comparison.sameJob = comparison.a.identity.source == comparison.b.identity.source;
  comparison.sameSteps =
      comparison.sameJob && comparison.a.identity.fingerprint == comparison.b.identity.fingerprint;
  comparison.shared = sharedShares(comparison.a, comparison.b);
  comparison.facts = comparedFacts(comparison.a, comparison.b, comparison.shared);
  comparison.tests = stepTests(comparison);
  comparison.classes = waterfall(comparison);
  comparison.verdict = verdictOfSides(comparison);
  addCautions(comparison);
  comparison.rows = comparedRows(comparison.a, comparison.b);
  return comparison;
}

} // namespace rankscope
