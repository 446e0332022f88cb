// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/findings.h"

#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/job/recording_advice.h"

#include <algorithm>
#include <tuple>

namespace rankscope {

namespace {

constexpr std::size_t kStepsForCertainty = 3;

void findFewSteps(FindingContext& context) {
  if (!context.kept().areSteps || context.kept().steps >= kStepsForCertainty) return;
  const bool anyGain =
      std::ranges::any_of(context.soFar(), [](const Finding& f) { return f.gain.has_value(); });
  if (!anyGain) return;
  Finding finding;
  finding.kind = FindingKind::OneStep;
  finding.title = context.kept().steps == 1 ? "Only one step to average" : "Only two steps to average";
  finding.evidence = "With so few steps, means and gains may be noise.";
  finding.fix = "Record more steps: " + scheduleAdvice(1, 5, context.analysis().trace()) + ".";
  context.add(std::move(finding));
}

// Idle time of a recording that lacks events is an upper bound.
void limitWhereEventsAreMissing(std::vector<Finding>& findings) {
  if (std::ranges::none_of(findings, [](const Finding& f) { return f.kind == FindingKind::EventsDropped; }))
    return;
  for (Finding& finding : findings)
    if (finding.leaf.starts_with("host.") || finding.leaf.starts_with("queue."))
      finding.severity = Severity::Info;
}

class Order {
 public:
  explicit Order(const FindingContext& context) : m_context(context), m_knowsWaits(context.knowsWaits()) {}

  [[nodiscard]] bool operator()(const Finding& a, const Finding& b) const {
    const auto [keyOfA, keyOfB] = std::pair(keyOf(a), keyOf(b));
    if (keyOfA != keyOfB) return keyOfA > keyOfB;
    return std::tuple(std::string_view(a.leaf), a.rank) < std::tuple(std::string_view(b.leaf), b.rank);
  }

 private:
  [[nodiscard]] std::tuple<Severity, TimeNs, TimeNs, std::int64_t> keyOf(const Finding& of) const {
    const Gain gain = of.gain.value_or(Gain{-1, -1});
    const std::int64_t bytes = of.costBytes.value_or(0);
    if (m_knowsWaits || !of.gain || !std::string_view(of.leaf).starts_with("comm"))
      return {of.severity, gain.low, gain.high, bytes};
    // All or nothing of this communication may be waiting for ranks that were not recorded. Nothing is
    // promised, but it stands where half of it would: it may be what matters most.
    const TimeNs half = gain.high / 2;
    return {severityOfGain(m_context.shareOf(static_cast<double>(half)), Confidence::Likely), half, gain.high,
            bytes};
  }

  const FindingContext& m_context;
  bool m_knowsWaits;
};

} // namespace

std::vector<Finding> findingsOf(const Analysis& analysis, const JobAccount& account,
                                const GainSource& replayed, const JobParallel* parallel,
                                const std::vector<NetProblem>* network,
                                const std::vector<std::vector<Iteration>>* iterations,
                                const SideConclusions* side, const EfficiencySource* efficiency) {
  FindingContext context(analysis, account, replayed);
  if (analysis.trace().ranks().empty()) { // only files that lie beside recordings
    findSideFindings(context, side);
    if (network != nullptr) addNetworkFindings(context, *network);
    return context.take();
  }
  const RecordingUse use = findRecordingFindings(context);
  if (!use.benchmark) {
    findStragglerFindings(context, parallel);
    if (!use.startup) {
      findCommunicationFindings(context);
      if (parallel != nullptr) findParallelFindings(context, *parallel);
      findDispatchFindings(context);
      findHostFindings(context);
      findCopyFindings(context);
      findComputeFindings(context);
      if (iterations != nullptr) findServingFindings(context, *iterations);
      findBurstFindings(context);
    }
    findMemoryFindings(context);
    findFewSteps(context);
  }
  findSideFindings(context, side);
  findQualityFindings(context);
  if (efficiency != nullptr) findImplausibleUse(context, *efficiency);
  if (network != nullptr) addNetworkFindings(context, *network);
  std::vector<Finding> findings = context.take();
  limitWhereEventsAreMissing(findings);
  std::ranges::stable_sort(findings, Order(context));
  return findings;
}

} // namespace rankscope
