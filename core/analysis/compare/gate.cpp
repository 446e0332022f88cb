// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/compare/gate.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope {

namespace {

// A figure of both sides, with a value for each kept step where there is one.
struct Figure {
  double a = 0;
  double b = 0;
  std::vector<double> samplesA;
  std::vector<double> samplesB;
  FigureUnit unit = FigureUnit::Nanoseconds;
};

template <class ValueOf> std::vector<double> keptSamples(const SideFacts& side, ValueOf&& valueOf) {
  std::vector<double> values;
  values.reserve(side.samples.size());
  for (const SideSample& sample : side.samples) {
    if (sample.kept()) values.push_back(valueOf(sample));
  }
  return values;
}

template <class ValueOf> Figure meanFigure(const Comparison& comparison, ValueOf&& valueOf) {
  Figure figure;
  figure.samplesA = keptSamples(comparison.a, valueOf);
  figure.samplesB = keptSamples(comparison.b, valueOf);
  figure.a = summaryOf(figure.samplesA).mean;
  figure.b = summaryOf(figure.samplesB).mean;
  return figure;
}

std::optional<Figure> classFigure(const Comparison& comparison, std::string_view name) {
  for (std::size_t i = 0; i < kTimeClassCount; ++i) {
    if (timeClassText(static_cast<TimeClass>(i)) == name)
      return meanFigure(comparison, [i](const SideSample& sample) { return sample.classes[i]; });
  }
  return std::nullopt;
}

// A leaf of the account, or all that begin with its name.
std::optional<Figure> leafFigure(const Comparison& comparison, std::string_view name) {
  std::vector<std::size_t> slots;
  for (std::size_t i = 0; i < kClassLeaves; ++i) {
    if (isUnder(static_cast<Leaf>(i % kLeafCount), name)) slots.push_back(i);
  }
  if (slots.empty()) return std::nullopt;
  return meanFigure(comparison, [&](const SideSample& sample) {
    double sum = 0;
    for (const std::size_t slot : slots) sum += sample.leaves[slot];
    return sum;
  });
}

std::optional<Figure> peakFigure(const Comparison& comparison) {
  const auto& a = comparison.a.identity.peakAllocatedBytes;
  const auto& b = comparison.b.identity.peakAllocatedBytes;
  if (!a || !b) return std::nullopt;
  Figure figure;
  figure.a = static_cast<double>(*a);
  figure.b = static_cast<double>(*b);
  figure.unit = FigureUnit::Bytes;
  return figure;
}

struct KernelSums {
  double calls = 0;
  double time = 0;
  std::vector<double> callsBySample;
  std::vector<double> timeBySample;
  bool any = false;
};

KernelSums kernelSums(const SideFacts& side, std::string_view pattern) {
  KernelSums sums;
  for (const SideKernel& row : side.kernels) {
    if (!matchesPattern(row.name, pattern)) continue;
    sums.any = true;
    sums.calls += row.calls;
    sums.time += row.time;
    addValues(sums.callsBySample, row.callsBySample);
    addValues(sums.timeBySample, row.timeBySample);
  }
  return sums;
}

// The mean duration of a call in each step that has calls.
std::vector<double> meansOf(const KernelSums& sums) {
  std::vector<double> means;
  means.reserve(sums.timeBySample.size());
  for (std::size_t i = 0; i < sums.timeBySample.size(); ++i) {
    if (sums.callsBySample[i] > 0) means.push_back(sums.timeBySample[i] / sums.callsBySample[i]);
  }
  return means;
}

std::optional<Figure> kernelFigure(const Comparison& comparison, std::string_view pattern,
                                   std::string_view field) {
  const KernelSums a = kernelSums(comparison.a, pattern);
  const KernelSums b = kernelSums(comparison.b, pattern);
  if (!a.any && !b.any) return std::nullopt;
  Figure figure;
  if (field == "mean_us") {
    figure.a = a.calls > 0 ? a.time / a.calls : 0;
    figure.b = b.calls > 0 ? b.time / b.calls : 0;
    figure.samplesA = meansOf(a);
    figure.samplesB = meansOf(b);
  } else if (field == "total_us") {
    figure = {a.time, b.time, a.timeBySample, b.timeBySample, FigureUnit::Nanoseconds};
  } else if (field == "calls") {
    figure = {a.calls, b.calls, a.callsBySample, b.callsBySample, FigureUnit::Count};
  } else {
    return std::nullopt;
  }
  return figure;
}

std::optional<Figure> operatorFigure(const Comparison& comparison, std::string_view pattern,
                                     std::string_view field) {
  double SideOperator::*value = nullptr;
  if (field == "host_self_us") value = &SideOperator::hostSelf;
  if (field == "device_us") value = &SideOperator::device;
  if (field == "compute_us") value = &SideOperator::owned;
  if (field == "calls") value = &SideOperator::calls;
  if (value == nullptr) return std::nullopt;
  bool any = false;
  Figure figure;
  figure.unit = field == "calls" ? FigureUnit::Count : FigureUnit::Nanoseconds;
  const auto add = [&](const SideFacts& side, double& sum, std::vector<double>& samples) {
    for (const SideOperator& row : side.operators) {
      if (!matchesPattern(row.name, pattern)) continue;
      any = true;
      sum += row.*value;
      if (value == &SideOperator::owned) addValues(samples, row.ownedBySample);
    }
  };
  add(comparison.a, figure.a, figure.samplesA);
  add(comparison.b, figure.b, figure.samplesB);
  return any ? std::optional(figure) : std::nullopt;
}

std::optional<Figure> collectiveFigure(const Comparison& comparison, std::string_view pattern,
                                       std::string_view field) {
  double SideCollective::*value = nullptr;
  if (field == "wait_us") value = &SideCollective::wait;
  if (field == "transfer_us") value = &SideCollective::transfer;
  if (field == "exposed_us") value = &SideCollective::exposed;
  if (field == "calls") value = &SideCollective::calls;
  if (value == nullptr) return std::nullopt;
  bool any = false;
  const auto sum = [&](const SideFacts& side) {
    double total = 0;
    for (const SideCollective& row : side.collectives) {
      if (!matchesPattern(row.operation, pattern)) continue;
      any = true;
      total += row.*value;
    }
    return total;
  };
  Figure figure;
  figure.a = sum(comparison.a);
  figure.b = sum(comparison.b);
  figure.unit = field == "calls" ? FigureUnit::Count : FigureUnit::Nanoseconds;
  return any ? std::optional(figure) : std::nullopt;
}

std::optional<Figure> figureNamed(const Comparison& comparison, std::string_view name) {
  if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot < colon) return std::nullopt;
    const std::string_view kind = name.substr(0, colon);
    const std::string_view pattern = name.substr(colon + 1, dot - colon - 1);
    const std::string_view field = name.substr(dot + 1);
    if (kind == "kernel") return kernelFigure(comparison, pattern, field);
    if (kind == "operator") return operatorFigure(comparison, pattern, field);
    if (kind == "collective") return collectiveFigure(comparison, pattern, field);
    return std::nullopt;
  }
  if (name == "peak_allocated_bytes") return peakFigure(comparison);
  if (!name.ends_with("_us")) return leafFigure(comparison, name);
  name.remove_suffix(3);
  const auto duration = [](const SideSample& sample) { return sample.duration; };
  if (name == "step_mean") return meanFigure(comparison, duration);
  if (name == "step_median") {
    Figure figure = meanFigure(comparison, duration);
    figure.a = summaryOf(figure.samplesA).median;
    figure.b = summaryOf(figure.samplesB).median;
    return figure;
  }
  if (auto figure = classFigure(comparison, name)) return figure;
  return leafFigure(comparison, name);
}

// Whether the difference is more than noise; nothing where that cannot be told.
std::optional<bool> isReal(const Comparison& comparison, const Figure& figure, const Gate& gate,
                           std::optional<double>& p) {
  const StepTests tests = testsOf(comparison.units(comparison.a, figure.samplesA),
                                  comparison.units(comparison.b, figure.samplesB));
  if (tests.welch) p = tests.welch->p;
  if (!isComparable(comparison.shared) && !comparison.sameSteps) return std::nullopt;
  if (comparison.sameSteps) return false;
  if (comparison.unequalCaptures()) return std::nullopt;
  if (tests.a.count < gate.minSteps || tests.b.count < gate.minSteps) return std::nullopt;
  return tests.welch && tests.ranks && tests.welch->p < gate.alpha && tests.ranks->p < gate.alpha;
}

RuleResult resultOf(const Comparison& comparison, const Figure& figure, const Gate& gate,
                    RuleOutcome& outcome) {
  const bool exceeds = outcome.limit && outcome.b > *outcome.limit;
  const bool plain = outcome.rule.plain || figure.unit == FigureUnit::Bytes || figure.samplesA.empty() ||
                     figure.samplesB.empty();
  if (plain) return exceeds ? RuleResult::Fail : RuleResult::Pass;
  const std::optional<bool> real = isReal(comparison, figure, gate, outcome.p);
  // A broken capture must not look like a pass.
  if (!real) return RuleResult::Undecided;
  if (!exceeds) return RuleResult::Pass;
  if (comparison.sameSteps) return RuleResult::Pass;
  return *real ? RuleResult::Fail : RuleResult::Undecided;
}

RuleOutcome judged(const Comparison& comparison, const Gate& gate, const GateRule& rule) {
  RuleOutcome outcome;
  outcome.rule = rule;
  const std::optional<Figure> figure = figureNamed(comparison, rule.figure);
  if (!figure) {
    outcome.result = rule.mayBeMissing ? RuleResult::Skipped : RuleResult::Missing;
    return outcome;
  }
  outcome.unit = figure->unit;
  outcome.a = figure->a;
  outcome.b = figure->b;
  const double unit = figure->unit == FigureUnit::Nanoseconds ? 1000 : 1;
  if (rule.maxPercent) outcome.limit = figure->a * (1 + *rule.maxPercent / 100);
  if (rule.maxIncrease) {
    const double absolute = figure->a + *rule.maxIncrease * unit;
    outcome.limit = outcome.limit ? std::min(*outcome.limit, absolute) : absolute;
  }
  outcome.result = resultOf(comparison, *figure, gate, outcome);
  return outcome;
}

} // namespace

std::string_view ruleResultText(RuleResult result) {
  constexpr std::array<std::string_view, 5> kTexts = {"pass", "fail", "undecided", "missing", "skipped"};
  return kTexts[static_cast<std::size_t>(result)];
}

bool isUndecided(Verdict verdict) {
  return verdict == Verdict::NotEnoughSteps || verdict == Verdict::NotComparable ||
         verdict == Verdict::Unclear;
}

bool matchesPattern(std::string_view text, std::string_view pattern) {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos; // the last one, and where its text ends
  std::size_t mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] != '*' && pattern[p] == text[t]))) {
      ++t;
      ++p;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<RuleOutcome> judgedRules(const Comparison& comparison, const Gate& gate) {
  std::vector<RuleOutcome> outcomes;
  outcomes.reserve(gate.rules.size());
  for (const GateRule& rule : gate.rules) outcomes.push_back(judged(comparison, gate, rule));
  return outcomes;
}

} // namespace rankscope
