// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/finding_context.h"

#include "core/analysis/collectives/connected_ranks.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace rankscope {

namespace {

// Ranks that lose nearly the same lose it at the same time: nothing of it is hidden by another rank's.
constexpr double kAlikeSpread = 0.2;
constexpr std::size_t kRanksNamed = 4;

struct Means {
  double time = 0;
  double avoidable = 0;
  double low = 0;
  double high = 0;
};

Means meansOf(const std::vector<RankCost>& costs) {
  Means means;
  for (const RankCost& cost : costs) {
    means.time += cost.time;
    means.avoidable += cost.avoidable;
    means.low += cost.low;
    means.high += cost.high;
  }
  const auto ranks = static_cast<double>(costs.size());
  return {means.time / ranks, means.avoidable / ranks, means.low / ranks, means.high / ranks};
}

} // namespace

std::string countedText(std::int64_t count, std::string_view one) {
  return groupedText(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

Finding infoAbout(FindingKind kind, std::string title, std::string evidence, std::string fix) {
  Finding finding;
  finding.kind = kind;
  finding.title = std::move(title);
  finding.evidence = std::move(evidence);
  finding.fix = std::move(fix);
  return finding;
}

FindingContext::FindingContext(const Analysis& analysis, const JobAccount& account,
                               const GainSource& replayed)
    : m_analysis(analysis), m_account(account), m_replayed(replayed), m_kept(keptAccount(analysis, account)),
      m_connected(connectedRanks(analysis.trace(), analysis.collectives().match)),
      m_uses(analysis.trace().ranks().size()), m_spans(analysis.trace().ranks().size()) {
  for (const RankIndex rank : analysis.ranks()) {
    m_uses[rank.value] =
        ofRank<LeafUses>(rank, "leaf uses", [&] { return leafUsesOf(analysis, account, m_kept, rank); });
    m_hasDevices |= hasDevices(rank);
    if (hasDevices(rank) && digestOf(analysis.trace(), rank) == nullptr)
      m_spans[rank.value] = NamedSpans(*analysis.trace().rank(rank).trace, analysis.trace().names());
  }
}

bool FindingContext::hasDevices(RankIndex rank) const {
  return hasDeviceEvents(m_analysis.trace(), rank);
}

std::optional<std::size_t> FindingContext::windowAt(RankIndex rank, TimeNs t) const {
  const std::vector<KeptWindow>& windows = m_kept.windows[rank.value];
  const auto after =
      std::ranges::upper_bound(windows, t, {}, [](const KeptWindow& window) { return window.range.begin; });
  if (after == windows.begin() || !(after - 1)->range.contains(t)) return std::nullopt;
  return static_cast<std::size_t>(after - 1 - windows.begin());
}

double FindingContext::perStep(RankIndex rank, TimeNs time) const {
  const std::size_t steps = m_kept.windows[rank.value].size();
  return steps > 0 ? static_cast<double>(time) / static_cast<double>(steps) : 0;
}

JobRange FindingContext::toJob(RankIndex rank, RankRange range) const {
  return m_analysis.clocks().of(rank).toJob(range);
}

std::int64_t FindingContext::rankNumber(RankIndex rank) const {
  return m_analysis.trace().rank(rank).rank;
}

std::string FindingContext::rankText(RankIndex rank) const {
  return "rank " + std::to_string(rankNumber(rank));
}

std::string FindingContext::ranksText(const Finding& finding) const {
  std::set<std::int64_t> numbers;
  for (const RankIndex rank : finding.ranks) numbers.insert(rankNumber(rank));
  if (finding.ranks.empty() && finding.rank.valid()) numbers.insert(rankNumber(finding.rank));
  if (numbers.empty()) return "all ranks";
  if (numbers.size() == 1) return fmt::format("rank {}", *numbers.begin());
  if (numbers.size() > kRanksNamed) return fmt::format("{} ranks", numbers.size());
  std::string text = "ranks";
  std::size_t at = 0;
  for (const std::int64_t number : numbers) {
    ++at;
    text += fmt::format("{} {}", at == 1 ? "" : at == numbers.size() ? " and" : ",", number);
  }
  return text;
}

std::string FindingContext::gainText(const Finding& finding) const {
  if (!finding.gain) return {};
  return rankscope::gainText(*finding.gain) + (m_kept.areSteps ? "/step" : "");
}

std::string FindingContext::timeText(double time) const {
  return durationText(std::llround(time)) + (m_kept.areSteps ? "/step" : "");
}

bool FindingContext::isStraggler(RankIndex rank) const {
  return m_analysis.stragglers().ranks[rank.value].straggler;
}

RankCost FindingContext::costOf(const LeafRule& rule, RankIndex rank) const {
  RankCost cost;
  cost.rank = rank;
  cost.use = useOf(uses(rank), rule.leaf);
  cost.time = perStep(rank, cost.use.time);
  cost.high = cost.time;
  cost.avoidable = perStep(rank, cost.use.avoidable);
  // What lies before a collective that waited for another rank would not be missed; what lies before none
  // delays the end of the step.
  const TimeNs counts = cost.use.avoidable - cost.use.beforeAny + cost.use.beforeLast;
  cost.low = rule.lowShare * perStep(rank, counts);
  return cost;
}

std::vector<RankCost> FindingContext::timesOf(const LeafRule& rule) const {
  std::vector<RankCost> costs;
  for (const RankIndex rank : ranks()) {
    if (!m_kept.windows[rank.value].empty()) costs.push_back(costOf(rule, rank));
  }
  return costs;
}

std::vector<RankCost> FindingContext::costsOf(const LeafRule& rule) const {
  std::vector<RankCost> costs = timesOf(rule);
  limitStragglers(rule, costs);
  raiseToCommon(rule, costs);
  return costs;
}

// To what connected ranks have that are none. Other ranks go first where all have the same: they are what the
// finding describes.
void FindingContext::limitStragglers(const LeafRule& rule, std::vector<RankCost>& costs) const {
  const auto stragglers = std::stable_partition(
      costs.begin(), costs.end(), [&](const RankCost& cost) { return !isStraggler(cost.rank); });
  struct Most {
    double time = 0;
    double avoidable = 0;
  };
  std::map<RankIndex, Most> mostOf; // by the first of connected ranks
  for (auto cost = costs.begin(); cost != stragglers; ++cost) {
    Most& most = mostOf[m_connected[cost->rank.value]];
    most.time = std::max(most.time, cost->time);
    most.avoidable = std::max(most.avoidable, cost->avoidable);
  }
  costs.erase(
      std::remove_if(stragglers, costs.end(),
                     [&](const RankCost& cost) { return !mostOf.contains(m_connected[cost.rank.value]); }),
      costs.end());
  for (auto cost = stragglers; cost != costs.end(); ++cost) {
    const Most& most = mostOf[m_connected[cost->rank.value]];
    if (cost->time <= most.time) continue;
    cost->share = most.time / cost->time;
    cost->time = most.time;
    cost->avoidable = std::min(cost->avoidable, most.avoidable);
    cost->low = std::min(cost->low, rule.lowShare * cost->avoidable);
    cost->high = std::min(cost->high, cost->time);
  }
}

// What connected ranks lose together, they lose: in each step the slowest of them without the leaf takes so
// much less than the slowest with it, communication left out. Ranks that lose nearly the same lose all of it.
void FindingContext::raiseToCommon(const LeafRule& rule, std::vector<RankCost>& costs) const {
  std::map<std::pair<RankIndex, int>, std::vector<RankCost*>> sets; // first of connected ranks, capture
  for (RankCost& cost : costs)
    sets[{m_connected[cost.rank.value], m_analysis.trace().rank(cost.rank).capture}].push_back(&cost);
  for (const auto& [of, connected] : sets) {
    if (connected.size() < 2) continue;
    double least = connected.front()->time, most = least, sum = 0;
    for (const RankCost* const cost : connected) {
      least = std::min(least, cost->time);
      most = std::max(most, cost->time);
      sum += cost->time;
    }
    const double mean = sum / static_cast<double>(connected.size());
    const bool alike = most - least <= kAlikeSpread * mean;
    const double common = commonGain(rule.leaf, connected);
    for (RankCost* const cost : connected) {
      const double own = std::min(cost->time, alike ? std::max(cost->avoidable, common) : common);
      cost->low = std::max(cost->low, rule.lowShare * own);
    }
    shareCommon(connected, rule.lowShare * std::min(mean, common));
  }
}

// A rank that has less of the leaf than others waits for them, and gains with them.
void FindingContext::shareCommon(const std::vector<RankCost*>& connected, double gain) {
  double missing = 0;
  std::vector<RankCost*> below;
  for (RankCost* const cost : connected) {
    missing += gain - cost->low;
    if (cost->low < gain) below.push_back(cost);
  }
  for (RankCost* const cost : below) cost->low += std::max(0.0, missing) / static_cast<double>(below.size());
}

// Nanoseconds of a kept step.
double FindingContext::commonGain(std::string_view leaf, const std::vector<RankCost*>& connected) const {
  struct Longest {
    double with = 0;
    double without = 0;
  };
  std::map<std::pair<int, std::int64_t>, Longest> steps; // by capture and number
  for (const RankCost* const cost : connected) {
    const double avoidable = cost->time > 0 ? cost->share * cost->avoidable / cost->time : 0;
    const int capture = m_analysis.trace().rank(cost->rank).capture;
    for (const KeptWindow& window : m_kept.windows[cost->rank.value]) {
      const LeafTimes times = m_account.of(cost->rank).pieces.within(window.range);
      double own = 0, of = 0;
      for (const LeafTime& part : times) {
        if (part.timeClass != TimeClass::ExposedCommunication) own += static_cast<double>(part.time);
        if (isUnder(part.leaf, leaf)) of += avoidable * static_cast<double>(part.time);
      }
      Longest& longest = steps[{capture, window.number}];
      longest.with = std::max(longest.with, own);
      longest.without = std::max(longest.without, own - of);
    }
  }
  double gain = 0;
  for (const auto& [step, longest] : steps) gain += longest.with - longest.without;
  return steps.empty() ? 0 : gain / static_cast<double>(steps.size());
}

double FindingContext::connectedShare(const std::vector<RankIndex>& with) const {
  std::set<RankIndex> firsts;
  for (const RankIndex rank : with) firsts.insert(m_connected[rank.value]);
  const auto connected = std::ranges::count_if(
      ranks(), [&](RankIndex rank) { return firsts.contains(m_connected[rank.value]); });
  return ranks().empty() ? 1 : static_cast<double>(connected) / static_cast<double>(ranks().size());
}

void FindingContext::tellOfOthers(Finding& finding, double connectedShare) const {
  if (connectedShare >= 1 || !finding.gain) return;
  finding.evidence +=
      fmt::format(" {:.0f} % of the ranks do not communicate with {}: the gain is a mean over all ranks.",
                  100 * (1 - connectedShare), ranksText(finding));
}

std::vector<double> FindingContext::leastOfConnected(const TimeInWindow& time) const {
  using StepKey = std::pair<int, std::int64_t>;               // capture and number
  std::map<RankIndex, std::map<StepKey, TimeNs>> leastOfSets; // by the first of connected ranks
  for (const RankIndex rank : ranks()) {
    if (m_analysis.collectiveCalls(rank).empty()) continue;
    std::map<StepKey, TimeNs>& least = leastOfSets[m_connected[rank.value]];
    const int capture = m_analysis.trace().rank(rank).capture;
    for (const KeptWindow& window : m_kept.windows[rank.value]) {
      const TimeNs of = time(rank, window);
      const auto [step, isNew] = least.try_emplace({capture, window.number}, of);
      if (!isNew) step->second = std::min(step->second, of);
    }
  }
  std::vector<double> result(m_connected.size(), 0);
  for (const RankIndex rank : ranks()) {
    const std::map<StepKey, TimeNs>& least = leastOfSets[m_connected[rank.value]];
    ExactSum sum;
    for (const auto& [step, of] : least) sum += of;
    if (!least.empty()) result[rank.value] = static_cast<double>(sum) / static_cast<double>(least.size());
  }
  return result;
}

std::vector<double> FindingContext::exposedOnConnected() const {
  return leastOfConnected([&](RankIndex rank, const KeptWindow& window) {
    const LeafTimes times = m_account.of(rank).pieces.within(window.range);
    TimeNs exposed = 0;
    for (const LeafTime& part : times) {
      if (part.timeClass == TimeClass::ExposedCommunication && part.leaf != Leaf::WaitStart)
        exposed += part.time;
    }
    return exposed;
  });
}

bool FindingContext::knowsWaits() const {
  const CollectiveMatch& match = m_analysis.collectives().match;
  return std::ranges::any_of(match.instances, [&](const CollectiveInstance& instance) {
    return instance.matched() || match.group(instance).size == 1;
  });
}

LeafRule FindingContext::withoutWaits(LeafRule rule) const {
  if (knowsWaits()) return rule;
  rule.confidence = Confidence::Hint;
  rule.lowShare = 0;
  return rule;
}

void FindingContext::setGain(Finding& finding, double time, double low, double high) const {
  const double step = m_kept.stepTime;
  high = std::clamp(high, 0.0, step);
  // Names and shapes alone promise nothing.
  low = finding.confidence == Confidence::Hint ? 0 : std::clamp(low, 0.0, high);
  finding.time = std::llround(time);
  finding.gain = Gain{std::llround(low), std::llround(high)};
  if (const std::optional<Gain> replayed = m_replayed ? m_replayed(finding) : std::nullopt) {
    const TimeNs most = std::min<TimeNs>(*finding.time, std::llround(step));
    finding.gain =
        Gain{finding.confidence == Confidence::Hint ? 0 : std::clamp<TimeNs>(replayed->low, 0, most),
             std::clamp<TimeNs>(replayed->high, 0, most)};
  }
  finding.steps = static_cast<std::int64_t>(m_kept.steps);
  finding.cost = finding.gain->low * finding.steps;
}

void FindingContext::place(Finding& finding, RankIndex rank, const LeafUse& use) const {
  if (use.worst.empty()) return;
  finding.place = toJob(rank, RankRange::of(use.worst));
  if (use.worstStep != Step::kUnknownNumber) finding.step = use.worstStep;
  if (use.worstEvent.valid()) finding.event = {rank, use.worstEvent};
}

void FindingContext::addWithGain(Finding finding) {
  if (finding.gain)
    finding.severity = severityOfGain(shareOf(static_cast<double>(finding.gain->low)), finding.confidence);
  if (m_kept.areSteps && m_kept.steps < 3)
    finding.evidence += m_kept.steps == 1 ? " Based on one step only." : " Based on two steps only.";
  m_findings.push_back(std::move(finding));
}

void FindingContext::addForRanks(const LeafRule& rule, std::vector<RankCost> costs,
                                 const Describe& describe) {
  if (costs.empty()) return;
  std::ranges::stable_sort(costs, std::greater<>(), &RankCost::time);
  const auto worth =
      std::ranges::count_if(costs, [&](const RankCost& cost) { return shareOf(cost.time) >= rule.minShare; });
  if (worth == 0) return;
  const Means all = meansOf(costs);
  const bool ofAll = 2 * static_cast<std::size_t>(worth) > costs.size() && shareOf(all.time) >= rule.minShare;
  if (!ofAll) costs.resize(static_cast<std::size_t>(worth));
  const Means means = meansOf(costs);
  Finding finding;
  finding.kind = rule.kind;
  finding.confidence = rule.confidence;
  finding.leaf = rule.leaf;
  const bool oneRank = std::ranges::all_of(
      costs, [&](const RankCost& cost) { return rankNumber(cost.rank) == rankNumber(costs.front().rank); });
  if (oneRank) finding.rank = costs.front().rank;
  if (!ofAll) {
    for (const RankCost& cost : costs) finding.ranks.push_back(cost.rank);
    std::ranges::sort(finding.ranks);
  }
  const double share = ofAll ? 1 : connectedShare(finding.ranks);
  setGain(finding, means.time, share * means.low, share * means.high);
  // A replay says that others keep the job waiting meanwhile.
  if (means.high > 0 && finding.gain->high <= 0) return;
  place(finding, costs.front().rank, costs.front().use);
  describe(finding, costs);
  tellOfOthers(finding, share);
  addWithGain(std::move(finding));
}

void FindingContext::addTime(const LeafRule& rule, const Describe& describe) {
  addForRanks(rule, timesOf(rule), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.gain.reset();
    finding.cost.reset();
    if (finding.ranks.empty()) finding.time = std::llround(m_kept.timeOf(rule.leaf));
    describe(finding, part);
  });
}

const Finding* FindingContext::told(std::span<const FindingKind> kinds) const {
  for (const FindingKind kind : kinds) {
    const auto found = std::ranges::find(m_findings, kind, &Finding::kind);
    if (found != m_findings.end()) return &*found;
  }
  return nullptr;
}

std::string FindingContext::includedIn(std::span<const FindingKind> kinds, std::string_view leaf) const {
  const Finding* const found = told(kinds);
  if (found == nullptr || (!leaf.empty() && !leaf.starts_with(found->leaf))) return {};
  return fmt::format(" Included in \"{}\".", headOf(*found));
}

std::string headOf(const Finding& finding) {
  return finding.title.substr(0, finding.title.find(':'));
}

} // namespace rankscope
