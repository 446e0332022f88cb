// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about replicas and shards of the model: gradient buckets of DDP, units of FSDP.
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/parallel/bucket_times.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/fsdp_units.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <compare>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr double kMinReplicaShare = 0.02; // of the step
constexpr double kLateBucket = 0.5;       // of the backward pass
constexpr double kLargeBucket = 0.4;      // of all bytes
constexpr double kLeastBytes = 8e6;       // of gradients that are worth two buckets
constexpr double kLeastElements = 1e6;    // of a model that is worth two units
constexpr double kCopyShare = 0.05;       // of the step

bool isFloat32(std::string_view dtype) {
  return dtype == "Float" || dtype == "float" || dtype == "float32" || dtype == "c10::Float";
}

std::string bytesTextOf(double bytes) {
  return bytesText(static_cast<std::int64_t>(bytes));
}

class BucketRules {
 public:
  explicit BucketRules(FindingContext& context) : m_context(context) {
    for (const RankIndex rank : context.ranks()) addRank(rank);
  }

  void find() {
    if (m_steps == 0) return;
    findOrder();
    const auto steps = static_cast<double>(m_steps);
    const double exposed = m_exposed / steps;
    if (m_context.shareOf(exposed) < kMinReplicaShare || m_bytes / steps < kLeastBytes) return;
    if (m_count == m_steps) {
      addParallelFinding(m_context, {.kind = FindingKind::DdpOneBucket,
                                     .leaf = "comm.tail",
                                     .time = exposed,
                                     .high = exposed,
                                     .title = "One DDP bucket",
                                     .evidence = fmt::format("All {} of gradients are sent at once, when the "
                                                             "backward pass has ended.",
                                                             bytesTextOf(m_bytes / steps)),
                                     .fix = "Lower bucket_cap_mb, so that the first buckets are sent during "
                                            "the backward pass.",
                                     .within = {FindingKind::LastBucket}});
    } else {
      findSizes(exposed, steps);
    }
    findFormat(exposed);
  }

 private:
  void addRank(RankIndex rank) {
    const Analysis& analysis = m_context.analysis();
    const std::vector<BucketTime> times = bucketTimes(analysis, rank);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const BucketTime& of = times[i];
      if (!isKeptInScope(analysis, rank, of.bucket.step)) continue;
      const bool last = i + 1 == times.size() || times[i + 1].bucket.step != of.bucket.step;
      const auto bytes = static_cast<double>(of.bucket.bytes.value_or(0));
      ++m_count;
      m_exposed += static_cast<double>(of.exposed);
      m_bytes += bytes;
      const NameId dtype = analysis.collectiveCalls(rank)[of.bucket.call].dtype;
      if (dtype.valid() && isFloat32(analysis.trace().names()[dtype])) m_floatBytes += bytes;
      if (of.bucket.index == 0 && of.ready && of.backward > 0) {
        m_ready += static_cast<double>(*of.ready);
        m_backward += static_cast<double>(of.backward);
      }
      addElements(rank, of.bucket);
      if (!last) continue;
      ++m_steps;
      m_lastExposed += static_cast<double>(of.exposed);
      m_lastBytes += bytes;
    }
  }

  // Of one group in one step of the job: the sizes of a rank's buckets.
  struct Key {
    int capture = 0;
    std::uint32_t group = 0;
    std::int64_t step = 0;

    auto operator<=>(const Key&) const = default;
  };

  void addElements(RankIndex rank, const DdpBucket& bucket) {
    const Analysis& analysis = m_context.analysis();
    const CollectiveMatch& match = analysis.collectives().match;
    const InstanceIndex instance = match.instanceOfCall[rank.value][bucket.call];
    if (!instance.valid()) return;
    const std::int64_t number = analysis.wholeStepWindows(rank).steps[bucket.step].number;
    m_sizes[{analysis.trace().rank(rank).capture, match.instance(instance).group.value, number}][rank]
        .push_back(bucket.elements);
  }

  // All ranks of a group have to send buckets of the same sizes.
  void findOrder() {
    std::int64_t different = 0;
    std::string first;
    for (auto& [key, ranks] : m_sizes) {
      // gloo runs them on several threads, in any order.
      for (auto& [rank, sizes] : ranks) std::ranges::sort(sizes);
      const auto& [rank, sizes] = *ranks.begin();
      for (const auto& [other, others] : ranks) {
        if (others.size() != sizes.size()) continue; // the recording cut the step
        for (std::size_t i = 0; i < sizes.size(); ++i) {
          if (others[i] == sizes[i]) continue;
          ++different;
          if (first.empty())
            first = fmt::format("{} sends {} elements where {} sends {}", m_context.rankText(rank),
                                countText(sizes[i]), m_context.rankText(other), countText(others[i]));
        }
      }
    }
    if (different == 0) return;
    Finding of;
    of.kind = FindingKind::DdpOrderDiffers;
    of.severity = Severity::Warning;
    of.title = "DDP buckets differ between ranks";
    of.evidence = fmt::format("{} of {} buckets have other sizes on another rank: {}.", countText(different),
                              countText(m_count), first);
    of.fix = "Build the same model in the same order on all ranks: the same parameters must have gradients, "
             "and DDP must be constructed with the same options.";
    m_context.add(std::move(of));
  }

  void findSizes(double exposed, double steps) {
    if (m_lastBytes > kLargeBucket * m_bytes && m_context.shareOf(m_lastExposed / steps) >= kMinReplicaShare)
      addParallelFinding(m_context,
                         {.kind = FindingKind::DdpBucketsTooLarge,
                          .leaf = "comm.tail",
                          .time = m_lastExposed / steps,
                          .high = m_lastExposed / steps,
                          .title = "Large last DDP bucket",
                          .evidence = fmt::format(
                              "The last bucket has {} of the gradients ({}) and cannot overlap "
                              "with anything.",
                              percentText(100 * m_lastBytes / m_bytes), bytesTextOf(m_lastBytes / steps)),
                          .fix = "Lower bucket_cap_mb.",
                          .within = {FindingKind::LastBucket}});
    if (m_backward > 0 && m_ready > kLateBucket * m_backward)
      addParallelFinding(m_context,
                         {.kind = FindingKind::DdpLateFirstBucket,
                          .leaf = "comm.transfer",
                          .time = exposed,
                          .high = exposed,
                          .title = "Late first DDP bucket",
                          .evidence = fmt::format(
                              "The first bucket is ready after {} of the backward pass: until then nothing "
                              "can be sent.",
                              percentText(100 * m_ready / m_backward)),
                          .fix = "A large output layer fills it late: lower bucket_cap_mb, and do without "
                                 "find_unused_parameters=True."});
  }

  void findFormat(double exposed) {
    if (m_floatBytes < 0.9 * m_bytes || m_bytes <= 0 || !computesIn16Bits(m_context)) return;
    addParallelFinding(
        m_context,
        {.kind = FindingKind::DdpFp32Gradients,
         .leaf = "comm.transfer",
         .time = exposed,
         .high = exposed / 2,
         .title = "32-bit gradients in DDP",
         .evidence = "GEMMs are in 16 bits, gradients are sent in 32 bits: half the bytes would do.",
         .fix =
             "model.register_comm_hook(None, default_hooks.bf16_compress_hook), if training stays stable."});
  }

  FindingContext& m_context;
  std::int64_t m_steps = 0; // of ranks
  std::int64_t m_count = 0; // buckets
  double m_exposed = 0, m_lastExposed = 0;
  double m_bytes = 0, m_floatBytes = 0, m_lastBytes = 0;
  double m_ready = 0, m_backward = 0;
  std::map<Key, std::map<RankIndex, std::vector<std::int64_t>>> m_sizes;
};

class UnitRules {
 public:
  UnitRules(FindingContext& context, const JobParallel& parallel) : m_context(context) {
    for (const RankIndex rank : context.ranks()) addRank(rank, parallel);
  }

  void find() {
    if (m_steps.empty()) return;
    const auto steps = static_cast<double>(m_steps.size());
    const double gathers = m_gatherExposed / steps;
    if (m_units == static_cast<std::int64_t>(m_steps.size()) && m_elements / steps >= kLeastElements)
      addParallelFinding(
          m_context,
          {.kind = FindingKind::FsdpOneUnit,
           .leaf = "comm.transfer",
           .time = gathers,
           .high = gathers,
           .title = "One FSDP unit",
           .evidence = fmt::format("All {} parameters are gathered at once: nothing overlaps, and all are in "
                                   "memory at the same time.",
                                   countText(static_cast<std::int64_t>(m_elements / steps))),
           .fix = "Shard each block: fully_shard on every layer, then on the model; auto_wrap_policy of "
                  "FSDP1."});
    if (m_gathers > m_needed)
      addParallelFinding(
          m_context,
          {.kind = FindingKind::FsdpRegather,
           .leaf = "comm.transfer",
           .time = gathers,
           .high = gathers * (1 - m_needed / m_gathers),
           .title = "Repeated FSDP gathers",
           .evidence = fmt::format("Units are gathered {:.1f} times for each reduction of their gradients; "
                                   "forward and backward need two.",
                                   2 * m_gathers / m_needed),
           .fix =
               "Checkpointing and several forward passes gather again: reshard_after_forward=False for the "
               "units concerned, where memory allows."});
    findFormat(m_reduceExposed / steps);
    const double copies = m_copies / steps;
    if (m_context.shareOf(copies) >= kCopyShare)
      addParallelFinding(
          m_context, {.kind = FindingKind::FsdpCopyOverhead,
                      .leaf = "compute",
                      .time = copies,
                      .high = copies,
                      .title = "Copies around FSDP collectives",
                      .evidence = fmt::format("Copies into and out of the buffers of AllGather and "
                                              "ReduceScatter take {}.",
                                              m_context.timeText(copies)),
                      .fix = "Fewer and larger parameters per unit; reshard_after_forward=False saves the "
                             "second copy, where memory allows."});
  }

 private:
  void addRank(RankIndex rank, const JobParallel& parallel) {
    const Analysis& analysis = m_context.analysis();
    const FsdpUnits units =
        fsdpUnits(analysis, rank, parallel.uses[rank.value], parallel.dimensions.ofCall[rank.value]);
    for (const FsdpUnit& unit : units.units) {
      if (!isKeptInScope(analysis, rank, unit.step)) continue;
      m_steps.emplace(rank, unit.step);
      ++m_units;
      m_elements += static_cast<double>(unit.elements);
      m_gatherExposed += static_cast<double>(unit.exposed);
      m_gathers += static_cast<double>(unit.gathers);
      // With accumulation every reduction has its own passes.
      m_needed += 2 * static_cast<double>(std::max<std::int64_t>(unit.reduces, 1));
      if (m_context.hasDevices(rank))
        m_copies += static_cast<double>(unit.copyIn) + static_cast<double>(unit.copyOut);
      m_reduced += static_cast<double>(unit.reduced);
      if (unit.dtype.valid() && isFloat32(analysis.trace().names()[unit.dtype]))
        m_floatReduced += static_cast<double>(unit.reduced);
    }
    for (const FsdpCall& call : units.calls) {
      if (!call.gather && isKeptInScope(analysis, rank, call.step))
        m_reduceExposed += static_cast<double>(call.exposed);
    }
  }

  void findFormat(double exposed) {
    if (m_reduced <= 0 || m_floatReduced < 0.9 * m_reduced ||
        m_context.shareOf(exposed / 2) < kMinReplicaShare || !computesIn16Bits(m_context))
      return;
    addParallelFinding(
        m_context,
        {.kind = FindingKind::FsdpReduceFp32,
         .leaf = "comm.transfer",
         .time = exposed,
         .high = exposed / 2,
         .title = "32-bit gradients in FSDP",
         .evidence = "GEMMs are in 16 bits, gradients are reduced in 32 bits: half the bytes would do.",
         .fix =
             "MixedPrecisionPolicy(reduce_dtype=torch.bfloat16), FSDP1: MixedPrecision(reduce_dtype=...), if "
             "training stays stable."});
  }

  FindingContext& m_context;
  std::set<std::pair<RankIndex, std::size_t>> m_steps;
  std::int64_t m_units = 0;
  double m_elements = 0;
  double m_gatherExposed = 0, m_reduceExposed = 0;
  double m_gathers = 0, m_needed = 0;
  double m_copies = 0;
  double m_reduced = 0, m_floatReduced = 0;
};

} // namespace

void findReplicaFindings(FindingContext& context, const JobParallel& parallel) {
  BucketRules(context).find();
  UnitRules(context, parallel).find();
}

} // namespace rankscope
