// SPDX-License-Identifier: GPL-3.0-or-later
// Two sides of a comparison: whether they can be compared, by how much a kept step of B differs from one of
// A, what of that each class and leaf of the account contributes, and whether it is real. Differences are
// always B less A: positive means that B costs more. Pure; a function of the sides' facts alone.
#pragma once

#include "core/analysis/compare/comparability.h"
#include "core/analysis/compare/compared_rows.h"
#include "core/analysis/compare/side_facts.h"
#include "core/analysis/compare/significance.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

enum class Verdict : std::uint8_t {
  Regression,
  Improvement,
  NoChange, // a claim: the interval of the difference lies within the tolerance
  Unclear,
  NotEnoughSteps,
  WithinNoise, // less than two runs of A differ by
  NotComparable,
};

// "regression", "no_change", ...: the words of tables and gates.
[[nodiscard]] std::string_view verdictText(Verdict verdict);

// A class, or a leaf of it.
struct ComparedClass {
  TimeClass timeClass = TimeClass::Compute;
  std::optional<Leaf> leaf;
  double a = 0; // nanoseconds of a step
  double b = 0;
  std::optional<double> low; // 95 % of the difference of the means
  std::optional<double> high;

  [[nodiscard]] double delta() const { return b - a; }
};

struct StepTests {
  SampleSummary a;
  SampleSummary b;
  bool ofCaptures = false; // the samples are captures, each by its mean step
  std::optional<WelchTest> welch;
  std::optional<RankTest> ranks;
  std::optional<RankShift> shift;
  std::optional<double> hedges;
  // Two ranks of one job: the same steps, so their differences are tested.
  std::optional<WelchTest> paired;
  // The largest difference between two captures of A.
  std::optional<double> noise;

  // Of the means, or sums.
  [[nodiscard]] double difference() const { return b.mean - a.mean; }
  // In percent of A; nothing when that is 0.
  [[nodiscard]] std::optional<double> percent() const;
};

struct CompareOptions {
  double alpha = 0.05;
  double tolerancePct = 2;
  std::size_t minSteps = 5;
  bool pairByOrder = false; // steps of two ranks of one job: the i-th of both, not those of one number
};

struct Comparison {
  SideFacts a;
  SideFacts b;
  CompareOptions options;
  bool sameJob = false;
  bool sameSteps = false; // both sides are the same recordings and steps
  SharedShares shared;
  std::vector<ComparedFact> facts;
  std::vector<ComparedClass> classes; // each class, then its leaves; in the order of the tree
  StepTests tests;
  Verdict verdict = Verdict::NotEnoughSteps;
  std::vector<std::string> cautions; // what to know before believing it, as sentences
  ComparedRows rows;

  [[nodiscard]] double delta() const { return b.meanDuration() - a.meanDuration(); }
  // Of the mean kept steps, which the classes add up to, whatever the unit of the tests is and also where
  // rows are sums; and in percent of A's, nothing when that is 0.
  [[nodiscard]] double stepDifference() const { return b.meanStep() - a.meanStep(); }
  [[nodiscard]] std::optional<double> stepPercent() const;
  // Values of the kept steps of a side as the tests take them: as they are, or means of captures.
  [[nodiscard]] std::vector<double> units(const SideFacts& side, std::vector<double> keptValues) const;
  // The interval of the difference that a verdict may rest on: of the paired differences where there are
  // some. Nothing where it cannot be given.
  [[nodiscard]] std::optional<WelchTest> interval() const;
  // Whether the captures of each side have so different numbers of kept steps that their means are no samples
  // of one thing. Asked only where captures are the unit.
  [[nodiscard]] bool unequalCaptures() const;
};

[[nodiscard]] Comparison compareSides(SideFacts a, SideFacts b, const CompareOptions& options = {});

// The same tests of any figure of the steps.
[[nodiscard]] StepTests testsOf(const std::vector<double>& a, const std::vector<double>& b);
// What they say; comparable sides only.
[[nodiscard]] Verdict verdictOf(const StepTests& tests, const CompareOptions& options);

} // namespace rankscope
