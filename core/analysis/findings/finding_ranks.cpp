// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about sets of ranks that the others wait for: those with more input, those of a slow host.
#include "core/analysis/classify/name_traits.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/operators/operator_shapes.h"
#include "core/base/statistics.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr double kMinRankShare = 0.02;
constexpr double kMinRankShareOnHost = 0.1; // ranks share cores
constexpr double kMinVariation = 0.05;
constexpr double kMinCorrelation = 0.7;
constexpr std::size_t kMinHosts = 3;
constexpr std::size_t kMinSteps = 4;
constexpr double kMinSlowSteps = 0.6;
constexpr double kMinSlowRanks = 0.8;
constexpr double kMinDeviations = 3;

// A step of connected ranks: their step times excluding communication.
struct StepTimes {
  std::map<RankIndex, double> own;
};
struct StepKey {
  RankIndex first; // of connected ranks
  int capture = 1;
  std::int64_t number = 0;

  auto operator<=>(const StepKey&) const = default;
};

std::map<StepKey, StepTimes> ownTimes(const FindingContext& context) {
  std::map<StepKey, StepTimes> steps;
  const Analysis& analysis = context.analysis();
  for (const RankIndex rank : context.ranks()) {
    for (const RankStep& step : analysis.stragglers().ranks[rank.value].steps)
      if (step.kept)
        steps[{context.firstConnected(rank), analysis.trace().rank(rank).capture, step.number}].own[rank] =
            static_cast<double>(step.own);
  }
  return steps;
}

double minShareOf(const FindingContext& context) {
  return context.hasDevices() ? kMinRankShare : kMinRankShareOnHost;
}

// --- uneven input

std::uint8_t isProduct(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames{"aten::mm",     "aten::addmm",    "aten::bmm",
                                                          "aten::matmul", "aten::linear",   "aten::conv2d",
                                                          "aten::conv1d", "aten::embedding"};
  return std::ranges::find(kNames, name) != kNames.end() ? 1 : 0;
}

struct StepInput {
  std::int64_t step = 0;
  double elements = 0;
};

} // namespace

template <class Archive, Described<StepInput> T> void describe(Archive& archive, T& of) {
  auto& [step, elements] = of;
  archive(step, elements);
}

namespace {

// Elements of the first product's input by step; none where shapes were not recorded.
std::vector<StepInput> inputElements(const FindingContext& context, RankIndex rank) {
  const RankEntry& entry = context.analysis().trace().rank(rank);
  const RankTrace& trace = *entry.trace;
  NameMemory isWanted(context.analysis().trace().names(), &isProduct);
  const auto& windows = context.kept().windows[rank.value];
  std::vector<EventIndex> firsts(windows.size());
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Thread) continue;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      if (trace.events.kind[event] != EventKind::CpuOp || isWanted[trace.events.name[event]] == 0) continue;
      const TimeNs begin = trace.events.begin[event];
      const auto at = context.windowAt(rank, begin);
      if (at && (!firsts[*at].valid() || begin < trace.events.begin[firsts[*at]])) firsts[*at] = event;
    }
  }
  std::vector<EventIndex> operators;
  std::ranges::copy_if(firsts, std::back_inserter(operators), [](EventIndex op) { return op.valid(); });
  const OperatorShapes shapes(entry, std::move(operators));
  std::map<std::int64_t, double> elements;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto* const of = firsts[i].valid() ? shapes.of(firsts[i]) : nullptr;
    if (of == nullptr) continue;
    // The larger of the first two: an embedding has its weight first, which all ranks share.
    for (std::size_t argument = 0; argument < std::min<std::size_t>(2, of->size()); ++argument) {
      const auto count = elementsOf((*of)[argument]);
      if (count) elements[windows[i].number] += static_cast<double>(*count);
    }
  }
  std::vector<StepInput> list;
  list.reserve(elements.size());
  for (const auto& [step, count] : elements) list.push_back({step, count});
  return list;
}

struct Unevenness {
  double variation = 0; // of the elements over the ranks, mean over the steps
  double correlation = 0;
  double excess = 0; // longest less mean step time excluding communication, nanoseconds a step
  RankIndex most;
};

double meanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

Unevenness unevennessOf(const FindingContext& context) {
  std::map<RankIndex, std::map<std::int64_t, double>> elements;
  for (const RankIndex rank : context.ranks()) {
    const auto listed = context.ofRank<std::vector<StepInput>>(rank, "input of the first product",
                                                               [&] { return inputElements(context, rank); });
    for (const StepInput& of : listed) elements[rank].emplace(of.step, of.elements);
  }
  Unevenness all;
  double xx = 0, yy = 0, xy = 0;
  std::size_t steps = 0;
  std::map<RankIndex, double> sums;
  for (const auto& [key, step] : ownTimes(context)) {
    std::vector<double> inputs, owns;
    std::vector<RankIndex> members;
    for (const auto& [rank, own] : step.own) {
      const auto found = elements[rank].find(key.number);
      if (found == elements[rank].end()) continue;
      inputs.push_back(found->second);
      owns.push_back(own);
      members.push_back(rank);
    }
    const double input = meanOf(inputs);
    const double own = meanOf(owns);
    if (members.size() < 2 || input <= 0 || own <= 0) continue;
    double square = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const double x = inputs[i] / input - 1;
      const double y = owns[i] / own - 1;
      square += x * x;
      xx += x * x;
      yy += y * y;
      xy += x * y;
      sums[members[i]] += owns[i];
    }
    all.variation += std::sqrt(square / static_cast<double>(members.size()));
    all.excess += *std::ranges::max_element(owns) - own;
    ++steps;
  }
  if (steps == 0) return all;
  all.variation /= static_cast<double>(steps);
  all.excess /= static_cast<double>(steps);
  all.correlation = xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
  const auto most = std::ranges::max_element(sums, {}, [](const auto& of) { return of.second; });
  if (most != sums.end()) all.most = most->first;
  return all;
}

void findUnevenInput(FindingContext& context) {
  if (countRanks(context.analysis()).ranks < 2 || !context.kept().areSteps) return;
  const double exposed = longestExposed(context);
  if (context.shareOf(exposed) < minShareOf(context)) return;
  const Unevenness uneven = unevennessOf(context);
  if (uneven.variation <= kMinVariation || uneven.correlation < kMinCorrelation) return;
  const double high = std::min(uneven.excess, exposed);
  if (context.shareOf(high) < minShareOf(context)) return;
  Finding finding;
  finding.kind = FindingKind::UnevenInput;
  finding.confidence = Confidence::Likely;
  finding.leaf = leafText(Leaf::WaitRank);
  // What the sizes explain of the differences.
  context.setGain(finding, exposed, uneven.correlation * uneven.correlation * high, high);
  finding.title = fmt::format("Uneven input: {}", context.gainText(finding));
  finding.evidence =
      fmt::format("Input sizes of the ranks vary by {:.0f} % within a step, and step times excluding "
                  "communication follow them "
                  "(correlation {:.2f}). Most work: {}. The gain is that of equal work on all ranks.",
                  100 * uneven.variation, uneven.correlation, context.rankText(uneven.most));
  finding.fix =
      "Bucket samples by length, pack sequences, or balance what the sampler gives each rank: same number "
      "of tokens, not of samples.";
  context.addWithGain(std::move(finding));
}

// --- slow hosts

struct RankSet {
  std::string name;
  std::vector<RankIndex> ranks; // ascending
};

// Hosts, and the ranks of the same place on each host.
std::vector<RankSet> setsOf(const FindingContext& context) {
  std::map<std::string, std::vector<RankIndex>> hosts;
  for (const RankIndex rank : context.ranks()) {
    const std::string& host = context.analysis().trace().rank(rank).host;
    if (!host.empty()) hosts[host].push_back(rank);
  }
  std::vector<RankSet> sets;
  if (hosts.size() < kMinHosts) return sets;
  std::map<std::size_t, std::vector<RankIndex>> places;
  for (const auto& [host, ranks] : hosts) {
    if (ranks.size() < 2) return {};
    sets.push_back({"host " + host, ranks});
    for (std::size_t place = 0; place < ranks.size(); ++place) places[place].push_back(ranks[place]);
  }
  for (auto& [place, ranks] : places)
    sets.push_back({fmt::format("local rank {} of each host", place), std::move(ranks)});
  return sets;
}

// By how much the slowest of the set is behind the slowest outside, in each step.
struct Margins {
  std::vector<double> all;
  std::size_t slow = 0; // steps in which most of the set are slower than all others
};

Margins marginsOf(const std::map<StepKey, StepTimes>& steps, const RankSet& set) {
  Margins margins;
  for (const auto& [key, step] : steps) {
    double inside = 0, outside = 0;
    std::size_t members = 0, slower = 0;
    const auto isMember = [&](RankIndex rank) { return std::ranges::binary_search(set.ranks, rank); };
    for (const auto& [rank, own] : step.own)
      (isMember(rank) ? inside : outside) = std::max(isMember(rank) ? inside : outside, own);
    for (const auto& [rank, own] : step.own) {
      if (!isMember(rank)) continue;
      ++members;
      if (own > outside) ++slower;
    }
    if (members == 0 || outside <= 0) continue;
    margins.all.push_back(inside - outside);
    if (static_cast<double>(slower) >= kMinSlowRanks * static_cast<double>(members)) ++margins.slow;
  }
  return margins;
}

void findSlowHosts(FindingContext& context) {
  const std::map<StepKey, StepTimes> steps = ownTimes(context);
  for (const RankSet& set : setsOf(context)) {
    const Margins margins = marginsOf(steps, set);
    if (margins.all.size() < kMinSteps ||
        static_cast<double>(margins.slow) < kMinSlowSteps * static_cast<double>(margins.all.size()))
      continue;
    const double middle = median(margins.all);
    std::vector<double> deviations;
    deviations.reserve(margins.all.size());
    for (const double margin : margins.all) deviations.push_back(std::abs(margin - middle));
    if (context.shareOf(middle) < minShareOf(context) ||
        middle < kMinDeviations * median(std::move(deviations)))
      continue;
    const double mean = meanOf(margins.all);
    const double exposed = longestExposed(context);
    const double share = context.connectedShare(set.ranks);
    Finding finding;
    finding.kind = FindingKind::SlowHost;
    finding.confidence = Confidence::Likely;
    finding.leaf = leafText(Leaf::WaitRank);
    finding.ranks = set.ranks;
    context.setGain(finding, exposed, share * std::min({middle, mean, exposed}),
                    share * std::min(std::max(middle, mean), exposed));
    finding.title = fmt::format("Slow ranks: {}, {}", set.name, context.gainText(finding));
    finding.evidence = fmt::format("In {} of {} kept steps nearly all of these {} ranks take longer than "
                                   "every other rank, communication left "
                                   "out. Gain: if these ranks were as fast as the slowest other rank.",
                                   margins.slow, margins.all.size(), set.ranks.size());
    context.tellOfOthers(finding, share);
    finding.fix =
        "Look at what they share: clocks and power of the host's GPUs (nvidia-smi -q -d PERFORMANCE,CLOCK), "
        "CPU load, PCIe and NUMA placement, neighbors on the host, or the switch.";
    context.addWithGain(std::move(finding));
  }
}

} // namespace

void findUnevenRanks(FindingContext& context) {
  if (countRanks(context.analysis()).ranks < 2) return;
  findUnevenInput(context);
  findSlowHosts(context);
}

} // namespace rankscope
