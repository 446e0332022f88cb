// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about kernels that the tree of causes has no leaf for: bias that batch norm takes away again,
// sorting in the step, a clock that drops over the recording; and copies that only reorder elements, which
// are a part of the unfused kernels.
#include "core/analysis/account/kernel_excess.h"
#include "core/analysis/classify/name_traits.h"
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/kernels/kernel_kind.h"
#include "core/base/statistics.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr double kMinCopies = 0.03; // of the compute time
constexpr double kMinSorting = 0.05;
constexpr double kMinBias = 0.01; // of the step
constexpr TimeNs kLongKernel = 50'000;
constexpr std::size_t kStepsOfTrend = 6;
constexpr std::size_t kCallsOfTrend = 3;
constexpr double kDrop = 1.04;

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

double shareOfCompute(const FindingContext& context, double share) {
  const double compute = context.kept().classTimes[static_cast<std::size_t>(TimeClass::Compute)];
  return std::max(0.01, share * context.shareOf(compute));
}

struct KernelSum {
  ExactSum time;
  ExactSum critical; // of it, with later work queued behind
  std::int64_t kernels = 0;
  EventIndex longest;
  TimeRange range; // of the longest
  NameId name;     // of the longest
};

} // namespace

template <class Archive, Described<KernelSum> T> void describe(Archive& archive, T& sum) {
  auto& [time, critical, kernels, longest, range, name] = sum;
  archive(time, critical, kernels, longest, range, name);
}

namespace {

void addKernel(const RankTrace& trace, EventIndex kernel, KernelSum& sum) {
  const TimeNs duration = trace.events.duration[kernel];
  sum.time += duration;
  ++sum.kernels;
  if (isCritical(trace, kernel)) sum.critical += duration;
  if (sum.longest.valid() && duration <= sum.range.length()) return;
  sum.longest = kernel;
  sum.range = trace.events.range(kernel);
  sum.name = trace.events.name[kernel];
}

// The kernels of the rank's kept steps for which the test holds.
KernelSum kernelsWhere(const FindingContext& context, RankIndex rank,
                       const std::function<bool(EventIndex)>& test) {
  const RankTrace& trace = context.traceOf(rank);
  KernelSum sum;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    if (trace.events.kind[event] == EventKind::Kernel && context.windowAt(rank, trace.events.begin[event]) &&
        test(event))
      addKernel(trace, event, sum);
  }
  return sum;
}

// share: of the kernels' time that could go.
RankCost costOf(const FindingContext& context, RankIndex rank, const KernelSum& sum, double share) {
  RankCost cost;
  cost.rank = rank;
  cost.time = context.perStep(rank, sum.time);
  cost.high = share * cost.time;
  cost.low = share * context.perStep(rank, sum.critical);
  cost.use.time = sum.time;
  cost.use.count = sum.kernels;
  cost.use.addWorst(sum.range, sum.longest, Step::kUnknownNumber);
  cost.use.name = sum.name;
  return cost;
}

std::string kernelsText(const FindingContext& context, const std::vector<RankCost>& part) {
  return fmt::format("{} on {}", countedText(part.front().use.count, "kernel"),
                     context.rankText(part.front().rank));
}

void nameSubject(const FindingContext& context, Finding& finding, const std::vector<RankCost>& part) {
  if (part.front().use.name.valid())
    finding.subject = context.analysis().trace().names()[part.front().use.name];
}

// --- copies for contiguity

std::uint8_t isReordering(std::string_view name) {
  return name == "aten::contiguous" || name == "aten::clone" || name == "aten::repeat_interleave" ? 1 : 0;
}

// Whether the kernel was launched within such an operator.
class Reordering {
 public:
  Reordering(const FindingContext& context, RankIndex rank)
      : m_trace(context.traceOf(rank)), m_tree(context.analysis().operatorTree(rank)),
        m_is(context.analysis().trace().names(), &isReordering) {}

  [[nodiscard]] bool operator()(EventIndex kernel) {
    EventIndex op = m_tree.owners[kernel.value - m_trace.deviceBegin.value];
    for (int level = 0; op.valid() && level < kLevels; ++level, op = m_tree.enclosingOf(op))
      if (m_is[m_trace.events.name[op]] != 0) return true;
    return false;
  }

 private:
  static constexpr int kLevels = 4;
  const RankTrace& m_trace;
  const OperatorTree& m_tree;
  NameMemory<std::uint8_t (*)(std::string_view)> m_is;
};

struct ReorderedSum {
  KernelSum kernels;
  ExactSum high; // of their excess
  ExactSum low;
};

ReorderedSum reorderedSum(const FindingContext& context, RankIndex rank) {
  Reordering reorders(context, rank);
  ReorderedSum sum;
  for (const KernelExcess& excess : context.account().of(rank).excesses) {
    if (excess.leaf != Leaf::ComputeUnfused || !context.windowAt(rank, excess.owned.begin) ||
        !reorders(excess.kernel))
      continue;
    addKernel(context.traceOf(rank), excess.kernel, sum.kernels);
    sum.high += excess.high;
    sum.low += excess.low;
  }
  return sum;
}

} // namespace

template <class Archive, Described<ReorderedSum> T> void describe(Archive& archive, T& sum) {
  auto& [kernels, high, low] = sum;
  archive(kernels, high, low);
}

namespace {

constexpr std::array kUnfused{FindingKind::UnfusedElementwise};

void findReordering(FindingContext& context) {
  const LeafRule rule{FindingKind::ContiguityCopies, leafText(Leaf::ComputeUnfused),
                      shareOfCompute(context, kMinCopies), Confidence::Likely};
  std::vector<RankCost> costs;
  for (const RankIndex rank : context.ranks()) {
    if (!context.hasDevices(rank) || context.kept().windows[rank.value].empty()) continue;
    const auto found = context.ofRank<ReorderedSum>(rank, "kernels that reorder",
                                                    [&] { return reorderedSum(context, rank); });
    RankCost cost = costOf(context, rank, found.kernels, 1);
    cost.time = context.perStep(rank, found.high);
    cost.high = cost.time;
    cost.low = context.perStep(rank, found.low);
    costs.push_back(cost);
  }
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title = fmt::format("Copies for contiguity: {}", context.gainText(finding));
    finding.evidence = fmt::format("Kernels of clone and contiguous only reorder elements: {}.{}",
                                   kernelsText(context, part), context.includedIn(kUnfused));
    finding.fix =
        "Order permute and reshape so that views suffice; scaled_dot_product_attention takes strided "
        "tensors; enable_gqa=True instead of repeat_interleave of KV heads; torch.compile.";
    nameSubject(context, finding, part);
  });
}

// --- bias before batch norm

// Names by what this rule asks of operators.
enum BiasName : std::uint8_t { kNoneOfThese, kConvolution, kAdd, kBatchNorm };

std::uint8_t biasNameOf(std::string_view name) {
  if (name == "aten::conv2d" || name == "aten::conv1d" || name == "aten::conv3d") return kConvolution;
  if (name == "aten::add_") return kAdd;
  return name == "aten::batch_norm" ? kBatchNorm : kNoneOfThese;
}

// Whether the kernel adds the bias of a convolution whose result goes to a batch norm next.
class BiasOfNorm {
 public:
  BiasOfNorm(const FindingContext& context, RankIndex rank)
      : m_trace(context.traceOf(rank)), m_tree(context.analysis().operatorTree(rank)),
        m_is(context.analysis().trace().names(), &biasNameOf) {
    for (const Track& track : m_trace.tracks) {
      if (track.kind != TrackKind::Thread) continue;
      for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value)
        if (m_is[m_trace.events.name[event]] == kBatchNorm) m_norms.push_back(m_trace.events.begin[event]);
    }
    std::ranges::sort(m_norms);
  }

  [[nodiscard]] bool any() const { return !m_norms.empty(); }
  [[nodiscard]] bool operator()(EventIndex kernel) {
    EventIndex op = m_tree.owners[kernel.value - m_trace.deviceBegin.value];
    if (!op.valid() || m_is[m_trace.events.name[op]] != kAdd) return false;
    while (op.valid() && m_is[m_trace.events.name[op]] != kConvolution) op = m_tree.enclosingOf(op);
    if (!op.valid()) return false;
    const TimeNs end = m_trace.events.range(op).end;
    const auto next = std::ranges::lower_bound(m_norms, end);
    return next != m_norms.end() && *next - end <= kNextOperator;
  }

 private:
  static constexpr TimeNs kNextOperator = 200'000;
  const RankTrace& m_trace;
  const OperatorTree& m_tree;
  NameMemory<std::uint8_t (*)(std::string_view)> m_is;
  std::vector<TimeNs> m_norms;
};

void findConvolutionBias(FindingContext& context) {
  const LeafRule rule{FindingKind::ConvBias, {}, kMinBias, Confidence::Proven};
  std::vector<RankCost> costs;
  for (const RankIndex rank : context.ranks()) {
    if (!context.hasDevices(rank) || context.kept().windows[rank.value].empty()) continue;
    const auto sum = context.ofRank<std::optional<KernelSum>>(rank, "bias before batch norm", [&] {
      BiasOfNorm isBias(context, rank);
      return isBias.any() ? std::optional(kernelsWhere(context, rank, std::ref(isBias))) : std::nullopt;
    });
    if (sum) costs.push_back(costOf(context, rank, *sum, 1));
  }
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title = fmt::format("Convolution bias before batch norm: {}", context.gainText(finding));
    finding.evidence =
        fmt::format("Batch norm subtracts what the bias adds: {}.", kernelsText(context, part));
    finding.fix = "torch.nn.Conv2d(..., bias=False) where a batch norm follows.";
    nameSubject(context, finding, part);
  });
}

// --- sorting

std::uint8_t isSorting(std::string_view name) {
  return has(name, "RadixSort") || has(name, "radix_sort") || has(name, "radixSort") || has(name, "topk") ||
                 has(name, "TopK") || has(name, "gatherTopK") || has(name, "DeviceUnique") ||
                 has(name, "bitonicSort")
             ? 1
             : 0;
}

void findSorting(FindingContext& context) {
  const LeafRule rule{FindingKind::SortTopk, {}, shareOfCompute(context, kMinSorting), Confidence::Hint};
  std::vector<RankCost> costs;
  for (const RankIndex rank : context.ranks()) {
    if (!context.hasDevices(rank) || context.kept().windows[rank.value].empty()) continue;
    const auto sum = context.ofRank<KernelSum>(rank, "kernels that sort", [&] {
      NameMemory sorts(context.analysis().trace().names(), &isSorting);
      const RankTrace& trace = context.traceOf(rank);
      return kernelsWhere(context, rank,
                          [&](EventIndex event) { return sorts[trace.events.name[event]] != 0; });
    });
    RankCost cost = costOf(context, rank, sum, 0.5);
    cost.low = 0;
    costs.push_back(cost);
  }
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title = fmt::format("Sorting in steps: {}", context.gainText(finding));
    finding.evidence =
        fmt::format("Sort, top-k or unique: {}. The gain assumes that half of it can be avoided.",
                    kernelsText(context, part));
    finding.fix =
        "Sort once in the DataLoader, or reuse the order: indices of embeddings, sampling and expert routing "
        "often need none in the step.";
    nameSubject(context, finding, part);
  });
}

// --- a clock that drops

// How long kernels of a step take against the same kernels in all steps; by kept step.
std::vector<double> paceOfSteps(const FindingContext& context, RankIndex rank) {
  const RankTrace& trace = context.traceOf(rank);
  const IntervalSet& communication = context.analysis().wholeActivity(rank).communication;
  const std::size_t steps = context.kept().windows[rank.value].size();
  std::unordered_map<KernelKind, std::vector<std::vector<TimeNs>>> kinds;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    if (trace.events.kind[event] != EventKind::Kernel || trace.events.duration[event] < kLongKernel) continue;
    const KernelKind kind = kernelKind(trace, event);
    const auto step = context.windowAt(rank, trace.events.begin[event]);
    if (!kind.known() || !step || communication.coveredWithin(trace.events.range(event)) > 0) continue;
    auto& of = kinds[kind];
    of.resize(steps);
    of[*step].push_back(trace.events.duration[event]);
  }
  std::vector<double> pace(steps, 0), weights(steps, 0);
  for (auto& [kind, bySteps] : kinds) {
    if (std::ranges::any_of(bySteps, [](const auto& of) { return of.size() < kCallsOfTrend; })) continue;
    std::vector<double> medians;
    medians.reserve(steps);
    for (auto& of : bySteps) medians.push_back(median(std::move(of)));
    const double middle = median(medians);
    for (std::size_t step = 0; step < steps; ++step) {
      pace[step] += medians[step];
      weights[step] += middle;
    }
  }
  if (std::ranges::any_of(weights, [](double weight) { return weight <= 0; })) return {};
  for (std::size_t step = 0; step < steps; ++step) pace[step] /= weights[step];
  return pace;
}

// A rise must be so many times the usual change of the rank from one step to the next; less is chance, as of
// inputs that differ in size.
constexpr double kTimesNoise = 3;

// Of what is usual on all ranks, more: among many, chance finds one more easily. That a normal error exceeds
// z falls as exp(-z^2 / 2), so this is as rare in all of them together as 3 times is in one.
double timesNoise(std::size_t ranks) {
  return std::sqrt(kTimesNoise * kTimesNoise + 2 * std::log(static_cast<double>(ranks)));
}

std::vector<double> changesOf(const std::vector<double>& pace) {
  std::vector<double> changes;
  for (std::size_t i = 1; i < pace.size(); ++i) changes.push_back(pace[i] - pace[i - 1]);
  return changes;
}

// The median distance from a value.
double spreadAround(std::vector<double> values, double center) {
  for (double& value : values) value = std::abs(value - center);
  return median(std::move(values));
}

// The last third over the first, where it rises by this much or more, and the steps in between go the same
// way; 1 without a trend.
double dropOf(const std::vector<double>& pace, double minRise) {
  const std::size_t third = pace.size() / 3;
  const auto mean = [&](std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += pace[i];
    return sum / static_cast<double>(to - from);
  };
  const double first = mean(0, third);
  const double middle = mean(third, pace.size() - third);
  const double last = mean(pace.size() - third, pace.size());
  const bool rises = first > 0 && first <= middle && middle <= last && last - first >= minRise;
  return rises ? last / first : 1;
}

void findThrottling(FindingContext& context) {
  const LeafRule rule{FindingKind::Throttling, {}, 0.01, Confidence::Likely};
  std::vector<RankCost> costs;
  std::map<RankIndex, std::vector<double>> paces;
  // Of all ranks, without the trend of each: five of one rank are no measure of chance.
  std::vector<double> changes;
  for (const RankIndex rank : context.ranks()) {
    // A rank that became slow has a finding of its own.
    if (!context.hasDevices(rank) || context.isStraggler(rank) ||
        context.kept().windows[rank.value].size() < kStepsOfTrend)
      continue;
    const auto pace = context.ofRank<std::vector<double>>(rank, "pace of kernels by step",
                                                          [&] { return paceOfSteps(context, rank); });
    if (pace.size() < kStepsOfTrend) continue;
    const std::vector<double> ofRank = changesOf(pace);
    const double trend = median(ofRank);
    for (const double change : ofRank) changes.push_back(change - trend);
    paces.emplace(rank, pace);
  }
  if (paces.empty()) return;
  const double minRise = timesNoise(paces.size()) * spreadAround(std::move(changes), 0);
  std::map<RankIndex, double> drops;
  for (const auto& of : paces) {
    const RankIndex rank = of.first;
    const std::vector<double>& pace = of.second;
    const double drop = dropOf(pace, std::max(minRise, kTimesNoise * spreadAround(changesOf(pace), 0)));
    if (drop < kDrop) continue;
    drops[rank] = drop;
    double excess = 0;
    for (const double step : pace)
      excess += std::max(0.0, 1 - pace.front() / step) / static_cast<double>(pace.size());
    const auto all = context.ofRank<KernelSum>(
        rank, "all kernels", [&] { return kernelsWhere(context, rank, [](EventIndex) { return true; }); });
    RankCost cost = costOf(context, rank, all, excess);
    cost.time = cost.high;
    cost.use.name = {};
    costs.push_back(cost);
  }
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    const RankIndex rank = part.front().rank;
    finding.title = fmt::format("GPU slows down over time: {}, {}", context.ranksText(finding),
                                context.gainText(finding));
    finding.evidence =
        fmt::format("The same kernels take {:.0f} % longer in the last third of the steps than in the "
                    "first on {}, also without communication beside them.",
                    100 * (drops[rank] - 1), context.rankText(rank));
    finding.fix =
        "nvidia-smi -q -d PERFORMANCE,CLOCK,TEMPERATURE while the job runs: cooling, power cap; lock clocks "
        "(nvidia-smi -lgc) for comparable measurements.";
  });
}

} // namespace

void findKernelFindings(FindingContext& context) {
  findReordering(context);
  findConvolutionBias(context);
  findSorting(context);
  findThrottling(context);
}

} // namespace rankscope
