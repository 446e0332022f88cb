// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about layers that several ranks share: tensor, context and expert parallelism.
#include "core/analysis/classify/kernel_dtype.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/expert_traffic.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/analysis/parallel/tp_layers.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace rankscope {

namespace {

constexpr double kMinShare = 0.02; // of the step
constexpr double kNormShare = 0.05;
constexpr double kUnequalLayers = 1.05; // most over mean
constexpr double kUnequalAttention = 1.1;
constexpr double kUnequalExperts = 1.2;
constexpr double kSmallMessage = 1 << 20;
constexpr double kBetweenHosts = 0.5; // of the bytes of experts

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
      : m_context(context), m_analysis(context.analysis()), m_parallel(parallel) {
    for (const RankEntry& entry : m_analysis.trace().ranks()) m_hostOf.emplace(entry.rank, entry.host);
    for (const RankIndex rank : context.ranks()) addRank(rank);
  }

  void find() {
    findTensor();
    findContext();
    findExperts();
  }

 private:
  struct Dimension {
    double exposed = 0;
    double bytes = 0;
    double calls = 0;
    double sized = 0; // calls with known bytes
  };

  void addRank(RankIndex rank) {
    std::set<std::size_t> steps;
    for (const DimensionTime& time :
         dimensionTimes(m_analysis, rank, m_parallel.dimensions.ofCall[rank.value])) {
      if (!isKeptInScope(m_analysis, rank, time.step)) continue;
      steps.insert(time.step);
      Dimension& of = m_dimensions[time.dimension];
      of.exposed += static_cast<double>(time.exposed);
      of.calls += static_cast<double>(time.calls);
      if (!time.bytesKnown) continue;
      of.bytes += static_cast<double>(time.bytes);
      of.sized += static_cast<double>(time.calls);
    }
    m_steps += static_cast<double>(steps.size());
  }

  // Nanoseconds of a step, mean over ranks.
  [[nodiscard]] double exposed(RankDimension dimension) const {
    const auto of = m_dimensions.find(dimension);
    return of == m_dimensions.end() || m_steps <= 0 ? 0 : of->second.exposed / m_steps;
  }

  // Of a group of a dimension, the most over all groups; hosts that are not known do not count.
  [[nodiscard]] std::size_t hostsOf(RankDimension dimension) const {
    std::size_t most = 0;
    for (const ParallelGroup& group : m_parallel.dimensions.groups) {
      if (group.dimension != dimension) continue;
      std::set<std::string> hosts;
      for (const std::int32_t member : group.members) {
        const auto host = m_hostOf.find(member);
        if (host != m_hostOf.end() && !host->second.empty()) hosts.insert(host->second);
      }
      most = std::max(most, hosts.size());
    }
    return most;
  }

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
    const double time = exposed(RankDimension::Tensor);
    if (m_dimensions.contains(RankDimension::Tensor)) {
      findNorms();
      findUnequalLayers();
    }
    if (m_context.shareOf(time) < kMinShare) return;
    const Dimension& of = m_dimensions.at(RankDimension::Tensor);
    if (const std::size_t hosts = hostsOf(RankDimension::Tensor); hosts > 1)
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
           .evidence =
               fmt::format("{:.0f} collectives a step have {} each, so they are latency-bound.",
                           of.calls / m_steps, bytesText(static_cast<std::int64_t>(of.bytes / of.sized))),
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
      norms += kernelTime(m_context, rank, isNorm);
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
    if (!m_dimensions.contains(RankDimension::Context)) return;
    const double time = exposed(RankDimension::Context);
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
      return kernelTime(m_context, rank,
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

  void findExperts() {
    std::map<std::size_t, double> largest; // by step of the job
    double wait = 0;
    double steps = 0;
    RankIndex fullest;
    double most = 0;
    for (const ExpertRankStep& of : expertRankSteps(m_analysis, m_parallel.uses, m_parallel.dimensions)) {
      if (!isKeptInScope(m_analysis, of.rank, of.of.step)) continue;
      double& step = largest[of.of.step];
      step = std::max(step, of.imbalance.value_or(1));
      wait += static_cast<double>(of.of.wait);
      ++steps;
      if (of.imbalance.value_or(0) > most) {
        most = *of.imbalance;
        fullest = of.rank;
      }
    }
    if (steps <= 0) return;
    wait /= steps;
    double imbalance = 0;
    for (const auto& [step, of] : largest) imbalance += of / static_cast<double>(largest.size());
    if (imbalance >= kUnequalExperts)
      addParallelFinding(
          m_context,
          {.kind = FindingKind::ExpertImbalance,
           .leaf = "wait.rank",
           .time = wait,
           .high = wait,
           .title = fmt::format("Unequal experts: {:.1f} times the mean", imbalance),
           .evidence = fmt::format("The most loaded rank of a step has {:.1f} times the mean load on "
                                   "average, at most {:.1f} times on {}; ranks wait {} in combines.",
                                   imbalance, most, m_context.rankText(fullest), m_context.timeText(wait)),
           .fix =
               "Balance the router: auxiliary loss or bias, capacity factor, expert placement, replicas of "
               "full experts."});
    findTrafficBetweenHosts();
  }

  void findTrafficBetweenHosts() {
    if (hostsOf(RankDimension::Expert) < 2) return;
    double all = 0;
    double leaving = 0;
    for (const RankIndex rank : m_context.ranks()) {
      const std::string& own = m_analysis.trace().rank(rank).host;
      const RankExperts experts =
          rankExperts(m_analysis, rank, m_parallel.uses[rank.value], m_parallel.dimensions);
      for (const ExpertCall& call : experts.calls) {
        if (!isKeptInScope(m_analysis, rank, call.step) || call.sent.size() > experts.members.size())
          continue;
        for (std::size_t to = 0; to < call.sent.size(); ++to) {
          const auto host = m_hostOf.find(experts.members[to]);
          if (own.empty() || host == m_hostOf.end() || host->second.empty()) continue;
          all += static_cast<double>(call.sent[to]);
          if (host->second != own) leaving += static_cast<double>(call.sent[to]);
        }
      }
    }
    const double time = exposed(RankDimension::Expert);
    if (all <= 0 || leaving < kBetweenHosts * all) return;
    addParallelFinding(
        m_context,
        {.kind = FindingKind::ExpertAcrossHosts,
         .leaf = "comm.transfer",
         .time = time,
         .high = time * leaving / all,
         .title = "Expert traffic between hosts",
         .evidence = fmt::format("{} of what ranks send to experts leaves their host.",
                                 percentText(100 * leaving / all)),
         .fix = "Group-limited routing, experts of a group on one host, or dispatch in two levels (DeepEP, "
                "hierarchical all-to-all)."});
  }

  FindingContext& m_context;
  const Analysis& m_analysis;
  const JobParallel& m_parallel;
  std::map<int, std::string> m_hostOf; // by rank
  std::map<RankDimension, Dimension> m_dimensions;
  double m_steps = 0; // of ranks
};

} // namespace

void findLayerFindings(FindingContext& context, const JobParallel& parallel) {
  LayerRules(context, parallel).find();
}

} // namespace rankscope
