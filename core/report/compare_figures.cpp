// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compare_figures.h"

#include "core/base/unit_text.h"
#include "core/base/whole_number.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace rankscope {

namespace {

constexpr double kNsPerUs = 1000;

std::string numberText(double value) {
  if (!std::isfinite(value)) return {};
  return fmt::format("{:.12g}", value == 0 ? 0.0 : value);
}

std::string microseconds(double ns) {
  return numberText(ns / kNsPerUs);
}

std::string microseconds(const std::optional<double>& ns) {
  return ns ? microseconds(*ns) : std::string();
}

void addWelch(const std::optional<WelchTest>& test, std::vector<CompareFigure>& figures) {
  if (!test) return;
  figures.push_back({"welch_t", numberText(test->t)});
  figures.push_back({"welch_df", numberText(test->degrees)});
  figures.push_back({"welch_p", numberText(test->p)});
  figures.push_back({"diff_lo95_us", microseconds(test->low)});
  figures.push_back({"diff_hi95_us", microseconds(test->high)});
}

void addPaired(const std::optional<WelchTest>& test, std::vector<CompareFigure>& figures) {
  if (!test) return;
  figures.push_back({"paired_diff_us", microseconds(test->difference)});
  figures.push_back({"paired_t", numberText(test->t)});
  figures.push_back({"paired_p", numberText(test->p)});
  figures.push_back({"paired_lo95_us", microseconds(test->low)});
  figures.push_back({"paired_hi95_us", microseconds(test->high)});
}

void addRanks(const StepTests& tests, std::vector<CompareFigure>& figures) {
  const bool tested = tests.a.count > 1 && tests.b.count > 1;
  if (!tests.ranks || !tests.shift || !tested) return;
  figures.push_back({"mann_whitney_u_b", numberText(tests.ranks->u)});
  figures.push_back({"mann_whitney_p", numberText(tests.ranks->p)});
  figures.push_back({"prob_b_slower", numberText(tests.ranks->probability)});
  figures.push_back({"hodges_lehmann_us", microseconds(tests.shift->estimate)});
  figures.push_back({"hl_lo_us", microseconds(tests.shift->low)});
  figures.push_back({"hl_hi_us", microseconds(tests.shift->high)});
  figures.push_back({"cliffs_delta", numberText(2 * tests.ranks->probability - 1)});
  if (tests.hedges) figures.push_back({"hedges_g", numberText(*tests.hedges)});
}

std::string_view unitOf(const StepTests& tests, std::size_t count) {
  if (tests.ofCaptures) return count == 1 ? "capture" : "captures";
  return count == 1 ? "step" : "steps";
}

std::string countsText(const StepTests& tests) {
  if (tests.a.count == tests.b.count)
    return fmt::format("{} {} each", tests.a.count, unitOf(tests, tests.a.count));
  return fmt::format("{} and {} {}", tests.a.count, tests.b.count, unitOf(tests, 2));
}

// "36.5 ms (20.6 %)".
std::string amountText(const Comparison& comparison) {
  std::string text = durationText(rounded(std::abs(comparison.stepDifference())));
  if (const auto percent = comparison.stepPercent())
    text += fmt::format(" ({})", percentText(std::abs(*percent)));
  return text;
}

std::string intervalText(const Comparison& comparison) {
  const std::optional<WelchTest> test = comparison.interval();
  if (!test) return {};
  const bool faster = comparison.stepDifference() < 0;
  const double low = faster ? -test->high : test->low;
  const double high = faster ? -test->low : test->high;
  return fmt::format("; 95 % between {} and {}", durationText(rounded(low)), durationText(rounded(high)));
}

// "A", "B", "A and B"; empty: the captures of each side are of the same ranks.
std::string_view sidesWithOtherRanks(const Comparison& comparison) {
  const bool ofA = !comparison.a.identity.equalCycles;
  const bool ofB = !comparison.b.identity.equalCycles;
  if (ofA && ofB) return "A and B";
  if (ofA) return "A";
  return ofB ? "B" : "";
}

} // namespace

std::vector<CompareFigure> compareFigures(const Comparison& comparison) {
  const StepTests& tests = comparison.tests;
  std::vector<CompareFigure> figures;
  figures.push_back({"unit", tests.ofCaptures ? "capture" : "step"});
  figures.push_back({"n_a", fmt::format("{}", tests.a.count)});
  figures.push_back({"n_b", fmt::format("{}", tests.b.count)});
  figures.push_back({"mean_a_us", microseconds(tests.a.mean)});
  figures.push_back({"mean_b_us", microseconds(tests.b.mean)});
  figures.push_back({"median_a_us", microseconds(tests.a.median)});
  figures.push_back({"median_b_us", microseconds(tests.b.median)});
  figures.push_back({"stddev_a_us", microseconds(tests.a.stddev)});
  figures.push_back({"stddev_b_us", microseconds(tests.b.stddev)});
  figures.push_back({"diff_mean_us", microseconds(tests.difference())});
  if (const auto percent = tests.percent()) figures.push_back({"diff_pct", numberText(*percent)});
  addWelch(tests.welch, figures);
  addRanks(tests, figures);
  addPaired(tests.paired, figures);
  if (tests.noise) figures.push_back({"noise_a_us", microseconds(*tests.noise)});
  for (const auto& [name, summary] :
       {std::pair("autocorrelation_a", &tests.a), std::pair("autocorrelation_b", &tests.b)}) {
    if (summary->autocorrelation) figures.push_back({name, numberText(*summary->autocorrelation)});
  }
  figures.push_back({"alpha", numberText(comparison.options.alpha)});
  figures.push_back({"tolerance_pct", numberText(comparison.options.tolerancePct)});
  figures.push_back({"verdict", std::string(verdictText(comparison.verdict))});
  return figures;
}

std::string verdictSentence(const Comparison& comparison) {
  const StepTests& tests = comparison.tests;
  if (comparison.sameSteps) return "Both sides are the same capture.";
  if (tests.a.count == 0 || tests.b.count == 0) return "One side has nothing to compare.";
  const bool areSteps = comparison.a.areSteps && comparison.b.areSteps;
  const std::string_view what = areSteps ? "a step" : "as a recording";
  if (rounded(comparison.stepDifference()) == 0)
    return fmt::format("A and B take the same time {}; {}.", what, countsText(tests));
  return fmt::format("B is {} {} {}{}; {}.", amountText(comparison),
                     comparison.stepDifference() < 0 ? "faster" : "slower", what, intervalText(comparison),
                     areSteps ? countsText(tests) : "no steps");
}

std::string verdictExplanation(const Comparison& comparison) {
  const StepTests& tests = comparison.tests;
  switch (comparison.verdict) {
  case Verdict::Regression:
  case Verdict::Improvement:
    return tests.ofCaptures ? "The captures of A and B differ by more than chance."
                            : "These two captures differ by more than their steps do.";
  case Verdict::NoChange:
    return comparison.sameSteps
               ? "Nothing can have changed."
               : fmt::format("The difference is within {:g} %.", comparison.options.tolerancePct);
  case Verdict::Unclear:
    return "An outlier or a wide spread decides: look at the steps.";
  case Verdict::NotEnoughSteps:
    if (!comparison.a.areSteps || !comparison.b.areSteps)
      return "Without steps no spread is known. Mark them with profiler.step().";
    if (const std::string_view side = sidesWithOtherRanks(comparison); !side.empty())
      return fmt::format("The captures of {} are of different ranks: their steps are not samples of one job.",
                         side);
    if (comparison.unequalCaptures())
      return "The captures have too different numbers of steps to be samples of one run. Record each "
             "with the same active=N.";
    if (tests.a.count == 1 && tests.b.count == 1)
      return "One step each: no spread is known. Record active=10.";
    return fmt::format("Not enough steps to tell a change from noise: {} and {}, {} each are needed. Record "
                       "active=10.",
                       tests.a.count, tests.b.count, comparison.options.minSteps);
  case Verdict::WithinNoise:
    return fmt::format("Two captures of A differ by {}: as much as A and B do.",
                       durationText(rounded(tests.noise.value_or(0))));
  case Verdict::NotComparable:
    return "A and B look like different programs: they share less than half of their kernels and operators.";
  }
  return {};
}

} // namespace rankscope
