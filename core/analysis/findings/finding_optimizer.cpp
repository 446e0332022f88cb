// SPDX-License-Identifier: GPL-3.0-or-later
// The optimizer that updates one parameter after the other: the idle time of its launches, its small kernels
// and the gaps between them are one finding, because one option ends them all.
#include "core/analysis/account/kernel_excess.h"
#include "core/analysis/classify/name_traits.h"
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_names.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/findings/leaf_parts.h"
#include "core/analysis/findings/small_gaps.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr std::string_view kIdle = "host.dispatch.optimizer";
constexpr double kMinOptimizerShare = 0.01;
constexpr double kManyLaunches = 200;

// Of all kept steps of a rank.
struct OptimizerKernels {
  ExactSum low; // what a fused optimizer saves at least
  TimeNs gaps = 0;
};

// Nanoseconds of a kept step.
struct OptimizerTime {
  double launches = 0;
  double idle = 0;
  double kernels = 0; // beyond what their bytes take
  double gaps = 0;
  NameId kernel; // with most of it
};

} // namespace

template <class Archive, Described<OptimizerKernels> T> void describe(Archive& archive, T& of) {
  auto& [low, gaps] = of;
  archive(low, gaps);
}

namespace {

std::int64_t optimizerLaunches(const FindingContext& context, RankIndex rank) {
  const RankTrace& trace = context.traceOf(rank);
  const IntervalSet& optimizer = context.analysis().wholePhases(rank).optimizer;
  const IntervalSet& zeros = context.spans(rank).of(NamedCall::ZeroGrad);
  std::int64_t count = 0;
  for (const EventIndex device : trace.byLaunch) {
    const TimeNs begin = trace.events.begin[trace.deviceDetail(device).launch];
    if (optimizer.contains(begin) && !zeros.contains(begin) && context.windowAt(rank, begin)) ++count;
  }
  return count;
}

OptimizerKernels optimizerKernels(const FindingContext& context, RankIndex rank) {
  OptimizerKernels of;
  const KernelExcesses& excesses = context.account().of(rank).excesses;
  for (const KeptWindow& window : context.kept().windows[rank.value])
    of.low += gainOf(excesses, Leaf::ComputeOptimizer, window.range).low;
  of.gaps = gapsBetweenExcesses(context, rank, Leaf::ComputeOptimizer).totalLength();
  return of;
}

class OptimizerTimes {
 public:
  explicit OptimizerTimes(FindingContext& context, bool isForeach) : m_context(context) {
    for (const RankIndex rank : context.ranks()) {
      if (!context.hasDevices(rank) || context.kept().windows[rank.value].empty()) continue;
      addKernels(rank);
    }
    if (!isForeach) addIdle();
  }

  [[nodiscard]] std::vector<RankCost> costs() const {
    std::vector<RankCost> costs;
    costs.reserve(m_costs.size());
    for (const auto& [rank, cost] : m_costs) costs.push_back(cost);
    return costs;
  }
  [[nodiscard]] const OptimizerTime& of(RankIndex rank) const { return m_times.at(rank); }
  // Whether launches take more than kernels, over all ranks.
  [[nodiscard]] bool isIdle() const {
    double idle = 0, kernels = 0;
    for (const auto& [rank, of] : m_times) {
      idle += of.idle;
      kernels += of.kernels + of.gaps;
    }
    return idle > kernels;
  }

 private:
  void addKernels(RankIndex rank) {
    OptimizerTime& of = m_times[rank];
    RankCost& cost = m_costs[rank];
    cost.rank = rank;
    cost.use = m_context.uses(rank)[static_cast<std::size_t>(Leaf::ComputeOptimizer)];
    of.kernels = m_context.perStep(rank, cost.use.time);
    of.kernel = cost.use.name;
    const auto kernels = m_context.ofRank<OptimizerKernels>(
        rank, "kernels of the optimizer", [&] { return optimizerKernels(m_context, rank); });
    cost.low = m_context.perStep(rank, kernels.low);
    of.gaps = m_context.perStep(rank, kernels.gaps);
    // A gap goes with its kernel.
    if (of.kernels > 0) cost.low += of.gaps * std::min(1.0, cost.low / of.kernels);
    cost.time = of.kernels + of.gaps;
    cost.high = cost.time;
  }

  // What zero_grad launches has a rule of its own.
  void addIdle() {
    const LeafRule rule{FindingKind::UnfusedOptimizer, kIdle, kMinOptimizerShare, Confidence::Proven,
                        kFasterHost};
    const std::vector<RankCost> parts = partOfCosts(
        m_context, m_context.costsOf(rule), rule, "without zero_grad", [&](RankIndex rank) -> ChoosePiece {
          const RankTrace& trace = m_context.traceOf(rank);
          const IntervalSet& zeros = m_context.spans(rank).of(NamedCall::ZeroGrad);
          return [&trace, &zeros](TimeRange, const TimePieces::Piece& piece) {
            return !piece.event.valid() || !zeros.contains(trace.events.begin[piece.event]);
          };
        });
    for (const RankCost& part : parts) {
      if (part.time <= 0 || !m_times.contains(part.rank)) continue;
      OptimizerTime& of = m_times[part.rank];
      const auto launches = m_context.ofRank<std::int64_t>(
          part.rank, "launches of the optimizer", [&] { return optimizerLaunches(m_context, part.rank); });
      of.launches = m_context.perStep(part.rank, launches);
      if (of.launches < kManyLaunches) continue;
      of.idle = part.time;
      RankCost& cost = m_costs[part.rank];
      if (of.idle > of.kernels) cost.use = part.use;
      cost.time += part.time;
      cost.high += part.high;
      cost.low += part.low;
    }
  }

  FindingContext& m_context;
  std::map<RankIndex, OptimizerTime> m_times;
  std::map<RankIndex, RankCost> m_costs;
};

std::string partsText(const FindingContext& context, const OptimizerTime& of) {
  std::vector<std::string> parts;
  if (context.shareOf(of.idle) > 0.001)
    parts.push_back(fmt::format("{} of idle time before launches", context.timeText(of.idle)));
  if (context.shareOf(of.kernels) > 0.001)
    parts.push_back(
        fmt::format("{} of kernel time beyond what their bytes need", context.timeText(of.kernels)));
  if (context.shareOf(of.gaps) > 0.001)
    parts.push_back(fmt::format("{} of gaps between these kernels", context.timeText(of.gaps)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The first by text of the first rank that names one.
std::string optimizerOf(const FindingContext& context) {
  const TraceSet& job = context.analysis().trace();
  for (std::size_t r = 0; r < job.ranks().size(); ++r) {
    auto name = rankAnswer<std::string>(job, RankIndex(r), "optimizer", [&] {
      std::set<std::string> found;
      NameMemory isStep(job.names(), [](std::string_view text) -> std::uint8_t {
        return optimizerName(text).empty() ? 0 : 1;
      });
      for (const NameId of : job.rank(RankIndex(r)).trace->events.name.span())
        if (of.valid() && isStep[of] != 0) found.insert(optimizerName(job.names()[of]));
      return found.empty() ? std::string() : *found.begin();
    });
    if (!name.empty()) return name;
  }
  return "AdamW";
}

} // namespace

void findOptimizerFindings(FindingContext& context, bool isForeach) {
  const OptimizerTimes times(context, isForeach);
  const LeafRule rule{FindingKind::UnfusedOptimizer,
                      times.isIdle() ? kIdle : leafText(Leaf::ComputeOptimizer), kMinOptimizerShare,
                      times.isIdle() ? Confidence::Proven : Confidence::Likely};
  context.addForRanks(rule, times.costs(), [&](Finding& finding, const std::vector<RankCost>& part) {
    const RankIndex rank = part.front().rank;
    const OptimizerTime& of = times.of(rank);
    const StringTable& names = context.analysis().trace().names();
    const auto launches = std::llround(of.launches);
    finding.title = fmt::format("Unfused optimizer: {}", context.gainText(finding));
    finding.evidence = fmt::format("The optimizer loops over parameters{} on {}: {}.",
                                   launches == 0   ? ""
                                   : launches == 1 ? ", 1 launch per step"
                                                   : ", " + groupedText(launches) + " launches per step",
                                   context.rankText(rank), partsText(context, of));
    constexpr std::array kDispatch{FindingKind::LaunchBound};
    if (const Finding* const dispatch = context.told(kDispatch);
        dispatch != nullptr && of.idle > 0 && kIdle.starts_with(dispatch->leaf))
      finding.evidence += fmt::format(" The idle time is included in \"{}\".", headOf(*dispatch));
    if (of.kernel.valid()) finding.subject = names[of.kernel];
    finding.fix = optimizerFix(optimizerOf(context));
  });
}

} // namespace rankscope
