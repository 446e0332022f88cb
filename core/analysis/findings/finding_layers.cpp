// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about layers that several ranks share: tensor and context parallelism.
#include "core/analysis/classify/kernel_dtype.h"
#include "core/analysis/findings/dimension_costs.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/analysis/parallel/tp_layers.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace rankscope {

namespace {

constexpr double kMinLayerShare = 0.02; // of the step
constexpr double kNormShare = 0.05;
constexpr double kUnequalLayers = 1.05; // most over mean
constexpr double kUnequalAttention = 1.1;
constexpr double kSmallMessage = 1 << 20;

bool isNorm(std::string_view kernel) {
  return kernel.find("layer_norm") != std::string_view::npos ||
         kernel.find("LayerNorm") != std::string_view::npos ||
         kernel.find("rms_norm") != std::string_view::npos ||
         kernel.find("RMSNorm") != std::string_view::npos || kernel.find("RmsNorm") != std::string_view::npos;
}

struct Spread {
  RankIndex rank; // of the most
  double most = 0;
  double mean = 0;
};

class LayerRules {
 public:
  LayerRules(FindingContext& context, const JobParallel& parallel)
      : m_context(context), m_analysis(context.analysis()), m_parallel(parallel), m_costs(context, parallel) {
  }

  void find() {
    findTensor();
    findContext();
  }

 private:
  [[nodiscard]] std::optional<RankIndex> recordingOf(std::int32_t member) const {
    for (const RankIndex rank : m_context.ranks()) {
      if (m_analysis.trace().rank(rank).rank == member) return rank;
    }
    return std::nullopt;
  }

  // The group of a dimension whose ranks differ most in a time; nothing if no group was recorded whole.
  template <class TimeOf>
  [[nodiscard]] std::optional<Spread> widest(RankDimension dimension, TimeOf&& timeOf) const {
    std::optional<Spread> result;
    for (const ParallelGroup& group : m_parallel.dimensions.groups) {
      if (group.dimension != dimension || group.members.size() < 2) continue;
      Spread of;
      double sum = 0;
      bool whole = true;
      for (const std::int32_t member : group.members) {
        const std::optional<RankIndex> rank = recordingOf(member);
        const double time = rank ? timeOf(*rank) : 0;
        whole &= time > 0;
        sum += time;
        if (rank && time > of.most) {
          of.most = time;
          of.rank = *rank;
        }
      }
      if (!whole) continue;
      of.mean = sum / static_cast<double>(group.members.size());
      if (!result || of.most - of.mean > result->most - result->mean) result = of;
    }
    return result;
  }

  void findTensor() {
    const double time = m_costs.exposed(RankDimension::Tensor);
    const DimensionCosts::Sums* const sums = m_costs.of(RankDimension::Tensor);
    if (sums != nullptr) {
      findNorms();
      findUnequalLayers();
    }
    if (sums == nullptr || m_context.shareOf(time) < kMinLayerShare) return;
    const DimensionCosts::Sums& of = *sums;
    if (const std::size_t hosts = m_costs.hostsOf(RankDimension::Tensor); hosts > 1)
      addParallelFinding(
          m_context, {.kind = FindingKind::TpAcrossHosts,
                      .leaf = "comm.transfer",
                      .time = time,
                      .high = time,
                      .title = "Tensor parallelism across hosts",
                      .evidence = fmt::format(
                          "A tensor-parallel group has ranks on {} hosts; its collectives are exposed "
                          "for {}.",
                          hosts, m_context.timeText(time)),
                      .fix = "Keep tensor-parallel groups within one host, where NVLink connects all GPUs."});
    if (of.sized > 0 && of.bytes / of.sized < kSmallMessage)
      addParallelFinding(
          m_context,
          {.kind = FindingKind::TpSmallMessages,
           .leaf = "comm.transfer",
           .time = time,
           .high = time,
           .title = "Small tensor-parallel messages",
           .evidence = fmt::format("Collectives have {} each, {} per step: they are latency-bound.",
                                   bytesText(static_cast<std::int64_t>(of.bytes / of.sized)),
                                   countedText(std::llround(of.calls / m_costs.steps()), "call")),
           .fix =
               "One-shot or custom all-reduce kernels (symmetric memory), larger batches, or fewer ranks."});
  }

  // Without sequence parallelism every rank of the group computes the same norms.
  void findNorms() {
    bool scatters = false;
    double norms = 0;
    double ranks = 0;
    for (const RankIndex rank : m_context.ranks()) {
      if (!m_context.hasDevices(rank)) continue;
      const std::vector<RankDimension>& dimensions = m_parallel.dimensions.ofCall[rank.value];
      for (std::size_t i = 0; i < dimensions.size(); ++i)
        scatters |= dimensions[i] == RankDimension::Tensor &&
                    m_parallel.uses[rank.value][i].operation == CollectiveOperation::ReduceScatter;
      norms += kernelTime(m_context, rank, "norms", isNorm);
      ++ranks;
    }
    const auto degree = static_cast<double>(m_parallel.layout.degrees[LayoutAxis::Tensor]);
    if (scatters || ranks <= 0 || degree < 2 || m_context.shareOf(norms / ranks) < kNormShare) return;
    addParallelFinding(
        m_context,
        {.kind = FindingKind::TpNoSequenceParallel,
         .leaf = "compute",
         .time = norms / ranks,
         .high = norms / ranks * (1 - 1 / degree),
         .title = "Norms repeated on tensor-parallel ranks",
         .evidence = fmt::format("Norms take {} on each of {:.0f} ranks, which all compute the same.",
                                 m_context.timeText(norms / ranks), degree),
         .fix =
             "Sequence parallelism: SequenceParallel() for norms of parallelize_module, --sequence-parallel "
             "of Megatron-LM."});
  }

  void findUnequalLayers() {
    std::map<RankIndex, double> computed;
    for (const RankIndex rank : m_context.ranks()) {
      if (!m_context.hasDevices(rank)) continue;
      double sum = 0;
      std::set<std::size_t> steps;
      for (const TpLayerCall& call : tpLayers(m_analysis, rank, m_parallel.uses[rank.value],
                                              m_parallel.dimensions.ofCall[rank.value])) {
        if (!call.layer || !isKeptInScope(m_analysis, rank, call.step)) continue;
        steps.insert(call.step);
        sum += static_cast<double>(call.computeBefore);
      }
      if (!steps.empty()) computed[rank] = sum / static_cast<double>(steps.size());
    }
    const auto worst = widest(RankDimension::Tensor, [&](RankIndex rank) {
      const auto of = computed.find(rank);
      return of == computed.end() ? 0.0 : of->second;
    });
    if (!worst || worst->most < kUnequalLayers * worst->mean) return;
    addParallelFinding(
        m_context,
        {.kind = FindingKind::TpImbalance,
         .leaf = "wait.rank",
         .time = worst->most - worst->mean,
         .high = worst->most - worst->mean,
         .title = fmt::format("Unequal tensor-parallel ranks: {}", m_context.rankText(worst->rank)),
         .evidence = fmt::format("It computes for {} in the layers of its group; the mean is {}.",
                                 m_context.timeText(worst->most), m_context.timeText(worst->mean)),
         .fix = "Split heads and hidden sizes evenly; if they are, look at the clocks and the power limit of "
                "this GPU.",
         .rank = worst->rank});
  }

  void findContext() {
    if (m_costs.of(RankDimension::Context) == nullptr) return;
    const double time = m_costs.exposed(RankDimension::Context);
    addParallelFinding(
        m_context,
        {.kind = FindingKind::CpExposed,
         .leaf = "comm.transfer",
         .time = time,
         .high = time,
         .title = "Exposed context-parallel communication",
         .evidence =
             fmt::format("Attention waits {} for keys and values of other ranks.", m_context.timeText(time)),
         .fix =
             "Overlap the next round with attention (ring attention), all-to-all within a host, or a smaller "
             "context-parallel degree."});
    const auto worst = widest(RankDimension::Context, [&](RankIndex rank) {
      return kernelTime(m_context, rank, "attention",
                        [](std::string_view name) { return kernelDtype(name).fusedAttention; });
    });
    if (!worst || worst->most < kUnequalAttention * worst->mean) return;
    addParallelFinding(
        m_context,
        {.kind = FindingKind::CpImbalance,
         .leaf = "wait.rank",
         .time = worst->most - worst->mean,
         .high = worst->most - worst->mean,
         .title = fmt::format("Unequal attention: {} takes {:.2f} times the mean",
                              m_context.rankText(worst->rank), worst->most / worst->mean),
         .evidence = fmt::format("Attention takes {} on it, the mean of its group is {}.",
                                 m_context.timeText(worst->most), m_context.timeText(worst->mean)),
         .fix =
             "Causal attention has more work for later tokens: give each rank a part of both ends (zigzag, "
             "load balancing of context_parallel).",
         .rank = worst->rank});
  }

  FindingContext& m_context;
  const Analysis& m_analysis;
  const JobParallel& m_parallel;
  DimensionCosts m_costs;
};

} // namespace

void findLayerFindings(FindingContext& context, const JobParallel& parallel) {
  LayerRules(context, parallel).find();
}

} // namespace rankscope
