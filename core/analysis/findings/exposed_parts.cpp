// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/exposed_parts.h"

#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/hardware/device_peaks.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

constexpr double kRoomyMemory = 0.6;
constexpr double kSyncedNorms = 10; // collectives of norms in a step
// So much of the gathers' time is exposed where they are not prefetched.
constexpr double kMostlyExposed = 0.5;

const CollectiveInstance* instanceOf(const FindingContext& context, RankIndex rank, EventIndex event) {
  return event.valid() ? context.analysis().collectives().match.instanceAt(rank, event) : nullptr;
}

bool isTransfer(const TimePieces::Piece& piece) {
  return piece.leaf == Leaf::CommTransfer || piece.leaf == Leaf::CommTail;
}

// When the host launched it; nothing where that was not recorded.
std::optional<TimeNs> launchOf(const RankTrace& trace, EventIndex event) {
  if (!event.valid() || !trace.isDeviceEvent(event)) return std::nullopt;
  const EventIndex launch = trace.deviceDetail(event).launch;
  return launch.valid() ? std::optional(trace.events.begin[launch]) : std::nullopt;
}

// A test of an exposed transfer: of its rank, operation and group, and of its launch.
using Test = std::function<bool(RankIndex, const CollectiveInstance&, const TimePieces::Piece&)>;

ChooseOf choosing(const FindingContext& context, Test test) {
  return [&context, test = std::move(test)](RankIndex rank) -> ChoosePiece {
    return [&context, rank, test](TimeRange, const TimePieces::Piece& piece) {
      if (!isTransfer(piece)) return false;
      const CollectiveInstance* const instance = instanceOf(context, rank, piece.event);
      return instance != nullptr && test(rank, *instance, piece);
    };
  };
}

// Of the time of gathers what nothing runs beside, 0 to 1.
double exposedShareOfGathers(const FindingContext& context) {
  ExactSum exposed, all;
  for (const RankIndex rank : context.ranks()) {
    for (const CollectiveStatistics& s : context.analysis().collectiveStatistics(rank)) {
      if (s.operation != CollectiveOperation::AllGather) continue;
      all += s.total;
      exposed += s.exposed;
    }
  }
  return all > 0 ? static_cast<double>(exposed) / static_cast<double>(all) : 0;
}

void addGathers(const FindingContext& context, std::vector<ExposedPart>& parts) {
  if (!usesFsdp(context) || exposedShareOfGathers(context) <= kMostlyExposed) return;
  ExposedPart part;
  part.kind = FindingKind::FsdpExposedGather;
  part.minShare = 0.02;
  part.title = "Exposed FSDP all-gather";
  part.evidence =
      "Units are gathered when their layer is about to run, not while the layer before runs; the first "
      "gather is not counted.";
  part.fix =
      "FSDP1: forward_prefetch=True, backward_prefetch=BackwardPrefetch.BACKWARD_PRE; FSDP2: "
      "set_modules_to_forward_prefetch and set_modules_to_backward_prefetch. Does not help where the host "
      "launches late.";
  part.choose =
      choosing(context, [](RankIndex, const CollectiveInstance& instance, const TimePieces::Piece& piece) {
        return instance.operation == CollectiveOperation::AllGather && piece.leaf != Leaf::CommTail;
      });
  parts.push_back(std::move(part));
}

// Gathers in a step by unit, of FSDP2's annotations "FSDP::all_gather (unit)"; the most of any unit.
double gathersPerUnit(const FindingContext& context, RankIndex rank) {
  const RankTrace& trace = context.traceOf(rank);
  const StringTable& names = context.analysis().trace().names();
  std::map<NameId, std::int64_t> counts;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Thread && track.kind != TrackKind::Annotations) continue;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      const NameId name = trace.events.name[event];
      if (!name.valid() || !names[name].starts_with("FSDP::all_gather (")) continue;
      if (context.windowAt(rank, trace.events.begin[event])) ++counts[name];
    }
  }
  double most = 0;
  for (const auto& [name, count] : counts) most = std::max(most, context.perStep(rank, count));
  return most;
}

// The peak of what was reserved, or else allocated, as a share of the device; nothing where it is not known.
std::optional<double> memoryPeakShare(const FindingContext& context, RankIndex rank) {
  const RankTrace& trace = context.traceOf(rank);
  if (trace.devices.empty()) return std::nullopt;
  const DeviceProperties* const properties = propertiesOf(trace, trace.devices.front());
  if (properties == nullptr || properties->totalMemoryBytes == 0) return std::nullopt;
  std::int64_t peak = -1;
  for (const MemoryEvent& memory : trace.memory)
    if (memory.deviceType > 0) peak = std::max({peak, memory.totalReserved, memory.totalAllocated});
  if (peak <= 0) return std::nullopt;
  return static_cast<double>(peak) / static_cast<double>(properties->totalMemoryBytes);
}

void addSecondGathers(const FindingContext& context, std::vector<ExposedPart>& parts) {
  if (context.ranks().empty() || !usesFsdp(context)) return;
  const RankIndex first = context.ranks().front();
  const auto gathers =
      context.ofRank<double>(first, "gathers of a unit", [&] { return gathersPerUnit(context, first); });
  if (gathers < 1.5) return;
  const auto peak = context.ofRank<std::optional<double>>(first, "peak of memory",
                                                          [&] { return memoryPeakShare(context, first); });
  if (peak && *peak >= kRoomyMemory) return;
  ExposedPart part;
  part.kind = FindingKind::FsdpNoReshardNeeded;
  part.confidence = peak ? Confidence::Proven : Confidence::Hint;
  part.title = "FSDP gathers units twice";
  part.evidence = "Units are gathered again in backward";
  part.evidence += peak ? fmt::format(", although memory is used up to {:.0f} % of the device.", 100 * *peak)
                        : std::string("; how much memory is free was not recorded.");
  part.fix =
      "fully_shard(..., reshard_after_forward=False), FSDP1: ShardingStrategy.SHARD_GRAD_OP, where memory "
      "allows.";
  part.choose = choosing(context, [&context](RankIndex rank, const CollectiveInstance& instance,
                                             const TimePieces::Piece& piece) {
    const std::optional<TimeNs> launch = launchOf(context.traceOf(rank), piece.event);
    return instance.operation == CollectiveOperation::AllGather && launch &&
           context.analysis().wholePhases(rank).backward.contains(*launch);
  });
  parts.push_back(std::move(part));
}

void addTensorParallel(const FindingContext& context, std::vector<ExposedPart>& parts) {
  const CollectiveMatch& match = context.analysis().collectives().match;
  const bool any = std::ranges::any_of(
      match.groups, [](const JobGroup& group) { return group.dimension == ParallelDimension::Tensor; });
  if (!any) return;
  ExposedPart part;
  part.kind = FindingKind::TpExposed;
  part.minShare = 0.05;
  part.title = "Exposed tensor-parallel communication";
  part.evidence = "Layers wait for collectives of their tensor-parallel group, before and after.";
  part.fix =
      "Keep the group within one host's NVLink; sequence parallelism, asynchronous tensor parallelism, or a "
      "smaller tensor-parallel degree.";
  part.choose =
      choosing(context, [&match](RankIndex, const CollectiveInstance& instance, const TimePieces::Piece&) {
        return match.group(instance).dimension == ParallelDimension::Tensor;
      });
  parts.push_back(std::move(part));
}

void addSyncedNorms(const FindingContext& context, std::vector<ExposedPart>& parts) {
  const auto isOfNorm = [&context](RankIndex rank, EventIndex event) {
    const std::optional<TimeNs> launch = launchOf(context.traceOf(rank), event);
    return launch && context.spans(rank).of(NamedCall::SyncBatchNorm).contains(*launch);
  };
  double calls = 0;
  for (const RankIndex rank : context.ranks()) {
    const auto count = context.ofRank<std::int64_t>(rank, "collectives of norms", [&] {
      std::int64_t found = 0;
      if (context.spans(rank).of(NamedCall::SyncBatchNorm).empty()) return found;
      for (const CollectiveCall& call : context.analysis().collectiveCalls(rank)) {
        if (context.windowAt(rank, call.range.begin.ns()) && isOfNorm(rank, call.event)) ++found;
      }
      return found;
    });
    calls = std::max(calls, context.perStep(rank, count));
  }
  if (calls < kSyncedNorms) return;
  ExposedPart part;
  part.kind = FindingKind::SyncBatchNorm;
  part.title = "SyncBatchNorm communication";
  part.evidence = fmt::format("{} small collectives per step exchange statistics, one or more for each norm.",
                              groupedText(std::llround(calls)));
  part.fix = "GroupNorm, or BatchNorm with a larger local batch; or synchronize only within a host: "
             "SyncBatchNorm.convert_sync_batchnorm(model, process_group=...).";
  part.choose =
      choosing(context, [isOfNorm](RankIndex rank, const CollectiveInstance&,
                                   const TimePieces::Piece& piece) { return isOfNorm(rank, piece.event); });
  parts.push_back(std::move(part));
}

// Where the host was before the last of several forward passes of a step with an optimizer: from the first
// backward pass on. Steps as the host marked them: the windows of steps overlap where it runs ahead.
IntervalSet earlierPasses(const FindingContext& context, RankIndex rank) {
  const HostPhases& phases = context.analysis().wholePhases(rank);
  std::vector<TimeRange> early;
  for (const Step& step : context.analysis().steps(rank)) {
    if (phases.optimizer.coveredWithin(step.range) == 0) continue;
    const TimeRange backward = phases.backward.hullWithin(step.range);
    TimeNs last = backward.begin;
    const IntervalSet forwards = phases.forward.clippedTo(step.range);
    for (const TimeRange& forward : forwards.ranges()) {
      if (forward.begin > backward.begin && forward.end < backward.end) last = std::max(last, forward.begin);
    }
    if (last > backward.begin) early.push_back({backward.begin, last});
  }
  return IntervalSet(std::move(early));
}

void addAccumulation(const FindingContext& context, std::vector<ExposedPart>& parts) {
  const auto early = std::make_shared<std::map<RankIndex, IntervalSet>>();
  bool any = false;
  for (const RankIndex rank : context.ranks()) {
    const IntervalSet& passes = (*early)[rank] = earlierPasses(context, rank);
    any |= context.ofRank<bool>(rank, "several backward passes", [&] { return !passes.empty(); });
  }
  if (!any) return;
  ExposedPart part;
  part.kind = FindingKind::AccumulationWithoutNoSync;
  part.title = "Gradients reduced more than once per step";
  part.evidence =
      "Several backward passes belong to one optimizer step, and each of them reduces the gradients.";
  part.fix = "with model.no_sync(): around all but the last backward pass of a step (FSDP2: "
             "set_requires_gradient_sync(False)).";
  part.choose = choosing(context, [&context, early](RankIndex rank, const CollectiveInstance& instance,
                                                    const TimePieces::Piece& piece) {
    if (instance.operation != CollectiveOperation::AllReduce &&
        instance.operation != CollectiveOperation::ReduceScatter)
      return false;
    const std::optional<TimeNs> launch = launchOf(context.traceOf(rank), piece.event);
    return launch && context.analysis().wholePhases(rank).backward.contains(*launch) &&
           early->at(rank).contains(*launch);
  });
  parts.push_back(std::move(part));
}

} // namespace

bool usesFsdp(const FindingContext& context) {
  return jobHasName(context.analysis().trace(), "FSDP", [](std::string_view name) {
    return name.starts_with("FSDP::") || name.find("FullyShardedDataParallel.") != std::string_view::npos;
  });
}

bool shardsEmbeddings(const FindingContext& context) {
  return jobHasName(context.analysis().trace(), "embedding tables", [](std::string_view name) {
    return name.find("embedding_bag") != std::string_view::npos ||
           name.find("fbgemm") != std::string_view::npos ||
           name.find("EmbeddingBag") != std::string_view::npos;
  });
}

std::vector<ExposedPart> exposedParts(const FindingContext& context) {
  std::vector<ExposedPart> parts;
  addAccumulation(context, parts);
  addSyncedNorms(context, parts);
  addTensorParallel(context, parts);
  addGathers(context, parts);
  addSecondGathers(context, parts);
  return parts;
}

} // namespace rankscope
