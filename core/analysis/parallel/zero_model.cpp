// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/zero_model.h"

#include "core/analysis/memory/expected_memory.h"
#include "core/analysis/parallel/ddp_buckets.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/fsdp_units.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace rankscope {

namespace {

constexpr double kEqual = 0.05; // of what the stage needs
constexpr double kTwoGathers = 2.05;

std::int64_t groupSizeOf(const Analysis& analysis, RankIndex rank, std::size_t call) {
  const CollectiveMatch& match = analysis.collectives().match;
  const InstanceIndex instance = match.instanceOfCall[rank.value][call];
  const std::int64_t known = instance.valid() ? match.group(match.instance(instance)).size : -1;
  return known > 0 ? known : analysis.trace().worldSize().value_or(-1);
}

// Sums over the steps of all ranks.
class VolumeCounter {
 public:
  VolumeCounter(const Analysis& analysis, const JobParallel& parallel)
      : m_analysis(analysis), m_parallel(parallel) {}

  [[nodiscard]] std::optional<ZeroModel> model() {
    for (const RankIndex rank : m_analysis.ranks()) addShards(rank);
    const bool sharded = !m_steps.empty();
    if (!sharded) {
      for (const RankIndex rank : m_analysis.ranks()) addBuckets(rank);
    }
    if (m_steps.empty() || m_elements <= 0 || m_ranks < 2) return std::nullopt;
    const auto steps = static_cast<double>(m_steps.size());
    ZeroModel model;
    model.parameters = m_elements / steps;
    model.ranks = m_ranks;
    model.inUse = schemeInUse(sharded);
    model.measuredElements = m_sent / steps;
    if (m_bytesKnown) model.measuredBytes = m_bytes / steps;
    if (m_units > 0) model.gathersPerUnit = m_gathers / m_units;
    model.replicatedToo = m_replicated > 0;
    for (std::size_t s = 0; s < kZeroSchemeCount; ++s) {
      const auto scheme = static_cast<ZeroScheme>(s);
      ZeroStageCost& of = model.stages[s];
      of.stateBytes = zeroBytes(model.parameters, static_cast<int>(s),
                                static_cast<int>(std::min<std::int64_t>(m_ranks, 1 << 20)));
      of.elements = model.parameters * zeroVolume(scheme, m_ranks);
      of.factor = zeroVolume(scheme, m_ranks) / zeroVolume(ZeroScheme::Replicas, m_ranks);
    }
    return model;
  }

 private:
  [[nodiscard]] ZeroScheme schemeInUse(bool sharded) const {
    if (!sharded) return m_gathersAfter > 0 ? ZeroScheme::Stage1 : ZeroScheme::Replicas;
    switch (m_stage) {
    case ZeroStage::OptimizerStates:
      return ZeroScheme::Stage1;
    case ZeroStage::Gradients:
      return ZeroScheme::Stage2;
    default:
      return ZeroScheme::Stage3;
    }
  }

  // A rank sends (N − 1)/N of the elements so many times.
  void addSent(RankIndex rank, std::size_t call, double elements, double times) {
    const std::int64_t n = groupSizeOf(m_analysis, rank, call);
    if (n < 2) return;
    const double sent = times * elements * static_cast<double>(n - 1) / static_cast<double>(n);
    m_sent += sent;
    const NameId dtype = m_analysis.collectiveCalls(rank)[call].dtype;
    const auto width = dtype.valid() ? bytesOfDtype(m_analysis.trace().names()[dtype]) : std::nullopt;
    m_bytesKnown &= width.has_value();
    m_bytes += sent * static_cast<double>(width.value_or(0));
  }

  void addShards(RankIndex rank) {
    const std::vector<RankDimension>& dimensions = m_parallel.dimensions.ofCall[rank.value];
    const FsdpUnits units = fsdpUnits(m_analysis, rank, m_parallel.uses[rank.value], dimensions);
    for (const FsdpUnit& unit : units.units) {
      if (!isKeptInScope(m_analysis, rank, unit.step)) continue;
      m_steps.emplace(rank, unit.step);
      m_elements += static_cast<double>(std::max(unit.elements, unit.reduced));
      m_gathers += static_cast<double>(unit.gathers);
      ++m_units;
    }
    for (const FsdpCall& call : units.calls) {
      if (!isKeptInScope(m_analysis, rank, call.step)) continue;
      const FsdpUnit& unit = units.units[call.unit];
      addSent(rank, call.call, static_cast<double>(call.gather ? unit.elements : unit.reduced), 1);
      m_ranks = std::max(m_ranks, groupSizeOf(m_analysis, rank, call.call));
    }
    if (units.empty()) return;
    m_stage = std::max(m_stage, zeroStageOf(units));
    addReplicated(rank, dimensions);
  }

  // HSDP: shards of gradients are summed over the replicas.
  void addReplicated(RankIndex rank, const std::vector<RankDimension>& dimensions) {
    const std::vector<CollectiveCall>& calls = m_analysis.collectiveCalls(rank);
    const StepWindows& steps = m_analysis.wholeStepWindows(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const bool sums = dimensions[i] == RankDimension::Data && calls[i].inElements > 0 &&
                        m_parallel.uses[rank.value][i].operation == CollectiveOperation::AllReduce;
      if (!sums || !isKeptInScope(m_analysis, rank, stepOfTime(steps, calls[i].range.begin.ns()))) continue;
      addSent(rank, i, static_cast<double>(calls[i].inElements), 2);
      ++m_replicated;
    }
  }

  void addBuckets(RankIndex rank) {
    const std::vector<RankDimension>& dimensions = m_parallel.dimensions.ofCall[rank.value];
    for (const DdpBucket& bucket : ddpBuckets(m_analysis, rank)) {
      if (!isKeptInScope(m_analysis, rank, bucket.step)) continue;
      m_steps.emplace(rank, bucket.step);
      m_elements += static_cast<double>(bucket.elements);
      addSent(rank, bucket.call, static_cast<double>(bucket.elements), 2);
      m_ranks = std::max(m_ranks, groupSizeOf(m_analysis, rank, bucket.call));
    }
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      const CallUse& use = m_parallel.uses[rank.value][i];
      m_gathersAfter += use.phase == Phase::Optimizer && dimensions[i] == RankDimension::Data &&
                                use.operation == CollectiveOperation::AllGather
                            ? 1
                            : 0;
    }
  }

  const Analysis& m_analysis;
  const JobParallel& m_parallel;
  std::set<std::pair<RankIndex, std::size_t>> m_steps;
  std::int64_t m_ranks = 0;
  ZeroStage m_stage = ZeroStage::Unknown;
  double m_elements = 0;
  double m_sent = 0, m_bytes = 0;
  double m_gathers = 0, m_units = 0;
  std::int64_t m_gathersAfter = 0; // of parameters, in the optimizer
  std::int64_t m_replicated = 0;
  bool m_bytesKnown = true;
};

} // namespace

std::string_view zeroSchemeId(ZeroScheme scheme) {
  constexpr std::array<std::string_view, kZeroSchemeCount> kIds{"ddp", "zero1", "zero2", "zero3"};
  return kIds[static_cast<std::size_t>(scheme)];
}

double zeroVolume(ZeroScheme scheme, std::int64_t ranks) {
  if (ranks < 2) return 0;
  const double times = scheme == ZeroScheme::Stage3 ? 3 : 2;
  return times * static_cast<double>(ranks - 1) / static_cast<double>(ranks);
}

std::optional<ZeroModel> zeroModel(const Analysis& analysis, const JobParallel& parallel) {
  return VolumeCounter(analysis, parallel).model();
}

std::string zeroNote(const ZeroModel& model) {
  const double ratio = model.ratio();
  if (ratio >= 1 - kEqual && ratio <= 1 + kEqual) return {};
  if (ratio > 1 && model.gathersPerUnit > kTwoGathers)
    return fmt::format(
        "Units are gathered {:.1f} times a step, as with checkpointing or several forward passes.",
        model.gathersPerUnit);
  if (ratio > 1 && model.replicatedToo) return "Gradients are also summed over replicas (hybrid sharding).";
  if (ratio > 1) return "Padding, or more than the states of the model is sent.";
  return "Less than the stage needs: some gradients are not reduced in every step, or calls are missing.";
}

} // namespace rankscope
