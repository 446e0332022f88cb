// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/finding_checks.h"

#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/efficiency/iteration_search.h"
#include "core/analysis/findings/beside_findings.h"
#include "core/analysis/job/analysis.h"
#include "core/analysis/job/recording_advice.h"
#include "core/analysis/job/step_notes.h"
#include "core/model/side_files.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <initializer_list>
#include <system_error>
#include <utility>

namespace rankscope {

namespace {

// What the recordings that are asked about hold.
struct Recorded {
  std::size_t ranks = 0;
  std::size_t maxSteps = 0;
  bool devices = false;
  bool occupancy = false;
  bool tensorCoreDevices = false; // or devices that nothing is known of
  bool collectives = false;
  bool memory = false;
  bool reserved = false;
  bool operators = false;
  bool iterations = false; // of inference
  bool backward = false;
};

// What the events of a rank hold of it.
struct RankEvents {
  bool devices = false;
  bool occupancy = false;
  bool memory = false;
  bool iterations = false;
};

bool hasOccupancy(const RankTrace& trace) {
  return std::ranges::any_of(std::span(trace.deviceDetails.begin(), trace.deviceDetails.end()),
                             [](const DeviceDetail& d) { return d.blocksPerSm >= 0 || d.occupancyPct >= 0; });
}

RankEvents eventsOf(const Analysis& analysis, RankIndex rank) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  return {trace.deviceBegin<trace.deviceEnd, hasOccupancy(trace), trace.memory.size()> 0,
          !hostIterations(analysis, rank).empty()};
}

} // namespace

template <class Archive, Described<RankEvents> T> void describe(Archive& archive, T& of) {
  auto& [devices, occupancy, memory, iterations] = of;
  archive(devices, occupancy, memory, iterations);
}

namespace {

Recorded recordedBy(const Analysis& analysis) {
  Recorded all;
  all.ranks = countRanks(analysis).ranks;
  for (const RankIndex rank : analysis.ranks()) {
    const RankTrace& trace = *analysis.trace().rank(rank).trace;
    const StepWindows& steps = analysis.stepWindows(rank);
    if (steps.areSteps()) all.maxSteps = std::max(all.maxSteps, steps.steps.size());
    const auto events = rankAnswer<RankEvents>(analysis.trace(), rank, "what was recorded",
                                               [&] { return eventsOf(analysis, rank); });
    all.devices |= events.devices;
    all.occupancy |= events.occupancy;
    all.tensorCoreDevices |= std::ranges::any_of(
        trace.metadata.devices, [](const DeviceProperties& d) { return d.computeMajor > 0; });
    all.collectives |= !analysis.collectiveCalls(rank).empty();
    all.memory |= events.memory;
    for (const DeviceMemory& device : analysis.memory(rank).devices) all.reserved |= device.reservedIsKnown;
    all.operators |= !analysis.operators(rank).operators.empty();
    all.iterations |= events.iterations;
    all.backward = all.backward || !analysis.wholePhases(rank).backward.empty();
  }
  return all;
}

// Kinds that logs of NCCL, memory snapshots and Flight Recorder dumps tell of, without a trace.
bool needsNoTrace(FindingKind kind) {
  return kind >= FindingKind::NetSocket || kind == FindingKind::FewChannels ||
         kind == FindingKind::OutOfMemory;
}

constexpr std::string_view kNoLog =
    "No log of NCCL was found: record with NCCL_DEBUG=INFO NCCL_DEBUG_FILE=nccl.%h.%p.log.";

constexpr std::string_view kNoDump =
    "No Flight Recorder dump was opened: run with TORCH_FR_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1.";
constexpr std::string_view kNoSnapshot =
    "No memory snapshot was opened: torch.cuda.memory._record_memory_history() and _dump_snapshot().";

// What only files beside traces tell of.
void addMissingSideFiles(const SideFiles& side, std::vector<UncheckedKinds>& unchecked) {
  using enum FindingKind;
  if (!hasDumps(side))
    unchecked.push_back({std::string(kNoDump), {HangHost, HangDevice, HangMismatch, HangNoDump}});
  if (!hasSnapshots(side)) unchecked.push_back({std::string(kNoSnapshot), {OutOfMemory}});
}

// Whether a version of NCCL, as "2.20.5+cuda12.4", logs settings without being asked to.
bool logsSettings(std::string_view version) {
  int major = 0, minor = 0;
  const auto after = std::from_chars(version.data(), version.data() + version.size(), major);
  if (after.ec != std::errc() || after.ptr == version.data() + version.size() || *after.ptr != '.')
    return false;
  std::from_chars(after.ptr + 1, version.data() + version.size(), minor);
  return major > 2 || (major == 2 && minor >= 17);
}

// What the logs cannot tell because lines of a kind are in none of them.
void addMissingLines(const JobNetwork& network, std::vector<UncheckedKinds>& unchecked) {
  using enum FindingKind;
  const NcclLog& log = network.log();
  const std::vector<NetCommunicator>& communicators = network.topology.communicators;
  const auto unless = [&](bool there, std::string_view reason, std::initializer_list<FindingKind> kinds) {
    if (there) return;
    UncheckedKinds part{std::string(reason), {}};
    for (const FindingKind kind : kinds) {
      const bool known = std::ranges::any_of(unchecked, [kind](const UncheckedKinds& other) {
        return std::ranges::find(other.kinds, kind) != other.kinds.end();
      });
      if (!known) part.kinds.push_back(kind);
    }
    if (!part.kinds.empty()) unchecked.push_back(std::move(part));
  };
  const auto anyProcess = [&](auto&& has) { return std::ranges::any_of(log.processes, has); };
  const bool settings = anyProcess([](const NcclProcess& process) { return !process.environment.empty(); });
  const bool links =
      std::ranges::any_of(communicators, [](const NetCommunicator& of) { return !of.links.empty(); });
  unless(links || !network.topology.unassigned.empty(),
         "The logs of NCCL have no link: NCCL_DEBUG_SUBSYS leaves links out, or the job did not communicate.",
         {NetSocket, NetNoGdr, NetShm, NetNicUnused});
  unless(settings ||
             std::ranges::any_of(communicators,
                                 [](const NetCommunicator& of) { return of.collChannels.has_value(); }),
         "The logs of NCCL do not tell numbers of channels: record with NCCL_DEBUG_SUBSYS=INIT,ENV.",
         {FewChannels});
  unless(settings || anyProcess([](const NcclProcess& process) { return process.multicast.has_value(); }),
         "The logs of NCCL do not tell whether NVLink SHARP is available: record with "
         "NCCL_DEBUG_SUBSYS=INIT,ENV,NVLS.",
         {NetNvlsOff});
  // From 2.17 on, settings are logged by default: where there is none, none is set.
  unless(settings || anyProcess([](const NcclProcess& process) { return logsSettings(process.version); }),
         "The logs of NCCL have no settings: record with NCCL_DEBUG_SUBSYS=INIT,ENV.", {NetPinned});
  unless(!log.choices.empty(),
         "The logs of NCCL do not tell algorithms: record with NCCL_DEBUG_SUBSYS=INIT,TUNING, NCCL 2.21 or "
         "later.",
         {NetChoice});
  unless(anyProcess([](const NcclProcess& process) { return !process.version.empty(); }),
         "The logs of NCCL do not tell versions.", {NetMixedVersion});
  unless(std::ranges::any_of(communicators,
                             [](const NetCommunicator& of) { return of.initSeconds.has_value(); }),
         "The logs of NCCL do not tell how long initialization took: NCCL 2.22 or later does.",
         {NetInitSlow});
  unless(!log.instances.empty(),
         "The logs of NCCL have no communicator: record with INIT in NCCL_DEBUG_SUBSYS.", {NetIncomplete});
}

// "Folded stacks have no device activity: ..." where options of a profiler would not help.
std::string missingFrom(const TraceSet& trace, std::string_view what, std::string_view record,
                        std::string otherwise) {
  if (!areFoldedStacks(trace)) return otherwise;
  std::string reason = "Folded stacks have no ";
  reason += what;
  reason += ": record with ";
  reason += record;
  return reason + ".";
}

std::vector<UncheckedKinds> withoutTraces(const SideFiles& side, bool ncclLog) {
  UncheckedKinds traces{
      "No trace was opened: only logs, memory snapshots and Flight Recorder dumps were checked.", {}};
  UncheckedKinds logs{std::string(kNoLog), {}};
  for (int kind = 0; kind < kFindingKindCount; ++kind) {
    const auto of = static_cast<FindingKind>(kind);
    if (!needsNoTrace(of)) traces.kinds.push_back(of);
    if (!ncclLog && needsNoTrace(of) && of != FindingKind::OutOfMemory && of < FindingKind::HangHost)
      logs.kinds.push_back(of);
  }
  std::vector<UncheckedKinds> unchecked;
  unchecked.push_back(std::move(traces));
  if (!logs.kinds.empty()) unchecked.push_back(std::move(logs));
  addMissingSideFiles(side, unchecked);
  return unchecked;
}

} // namespace

std::vector<UncheckedKinds> uncheckedKinds(const Analysis& analysis, bool ncclLog) {
  using enum FindingKind;
  const TraceSet& trace = analysis.trace();
  constexpr std::string_view kTorch = "torch.profiler";
  std::vector<UncheckedKinds> unchecked;
  std::bitset<kFindingKindCount> reported;
  const Recorded has = recordedBy(analysis);
  if (has.ranks == 0) return withoutTraces(analysis.trace().side(), ncclLog);
  const auto unless = [&](bool possible, const std::string& reason,
                          std::initializer_list<FindingKind> kinds) {
    if (possible) return;
    UncheckedKinds part{reason, {}};
    for (const FindingKind kind : kinds) {
      const auto at = static_cast<std::size_t>(kind);
      if (!reported[at]) part.kinds.push_back(kind);
      reported.set(at);
    }
    if (!part.kinds.empty()) unchecked.push_back(std::move(part));
  };
  unless(has.ranks > 1, "Only one rank was opened: put the files of all ranks into one folder.",
         {Straggler, LateStraggler, UnevenInput, SlowHost, StartSkew, SlowLink, AllToAllWait, SlowClock,
          ExpertImbalance, PipelineBubble, PipelineFewMicrobatches, PipelineImbalance, PipelineSchedule,
          TpAcrossHosts, TpImbalance, CpImbalance, DdpOrderDiffers, ExpertAcrossHosts, ClockDisagreement});
  unless(has.devices,
         missingFrom(trace, "device activity", kTorch,
                     "No device activity was recorded: the job ran on the CPU, or record with " +
                         optionFor(Recordable::Device, trace) + "."),
         {ExposedCommunication,
          LastBucket,
          FragmentedCollectives,
          NoOverlap,
          DdpBuffersBroadcast,
          DdpBucketCopies,
          ObjectCollectives,
          NoTensorCores,
          UnfusedAttention,
          MisalignedGemm,
          LayoutConversions,
          Casts,
          UnfusedElementwise,
          Norms,
          SmallGrids,
          Contention,
          Atomics,
          Recomputation,
          TinyKernels,
          LaunchBound,
          UnfusedOptimizer,
          Synchronization,
          GraphBreaks,
          DeviceAllocation,
          Python,
          GarbageCollection,
          Descheduled,
          PageableCopy,
          InputCopy,
          DeviceToHostCopy,
          SmallDeviceCopies,
          RecordingEdge,
          StartupRecorded,
          UnexplainedIdle,
          FsdpExposedGather,
          FsdpRateLimited,
          FsdpNoReshardNeeded,
          FsdpUnitsTooSmall,
          TpExposed,
          BarrierInStep,
          SyncBatchNorm,
          AccumulationWithoutNoSync,
          ContiguityCopies,
          Throttling,
          ConvBias,
          SortTopk,
          EmptyCache,
          InterpreterLock,
          ZeroGrad,
          GradClipSync,
          CachingOff,
          OomRetry,
          PinningInLoop,
          SlowHostLaunch,
          HostRandom,
          HostConstant,
          IndexingLoop,
          EventsDropped,
          ProfilerOverhead,
          LaunchQueueFull,
          OtherProcess,
          StepBurst,
          DdpFp32Gradients,
          FsdpReduceFp32,
          FsdpCopyOverhead,
          TpNoSequenceParallel,
          TpImbalance,
          CpImbalance,
          PipelineP2pExposed});
  unless(has.collectives || ncclLog, "No collective was recorded.",
         {FewChannels, NetSocket, NetNoGdr, NetShm, NetNicUnused, NetNvlsOff, NetPinned, NetChoice,
          NetMixedVersion, NetInitSlow, NetWarning, NetIncomplete});
  unless(has.collectives, "No collective was recorded.",
         {Straggler,
          LateStraggler,
          StartSkew,
          ExposedCommunication,
          LastBucket,
          FragmentedCollectives,
          NoOverlap,
          SlowLink,
          AllToAllWait,
          DdpBuffersBroadcast,
          DdpBucketCopies,
          ObjectCollectives,
          Contention,
          ClockDisagreement,
          UnevenInput,
          SlowHost,
          FsdpExposedGather,
          FsdpRateLimited,
          FsdpNoReshardNeeded,
          FsdpUnitsTooSmall,
          TpExposed,
          BarrierInStep,
          SyncBatchNorm,
          AccumulationWithoutNoSync,
          ExpertImbalance,
          PipelineBubble,
          DdpLateFirstBucket,
          DdpBucketsTooLarge,
          DdpOneBucket,
          DdpFp32Gradients,
          DdpOrderDiffers,
          FsdpOneUnit,
          FsdpRegather,
          FsdpReduceFp32,
          FsdpCopyOverhead,
          TpAcrossHosts,
          TpNoSequenceParallel,
          TpImbalance,
          TpSmallMessages,
          CpExposed,
          CpImbalance,
          PipelineFewMicrobatches,
          PipelineImbalance,
          PipelineP2pExposed,
          PipelineSchedule,
          ExpertAcrossHosts,
          ExpertTiny});
  unless(has.memory,
         missingFrom(trace, "memory events", "torch.profiler and profile_memory=True",
                     "No memory events were recorded: record with " + optionFor(Recordable::Memory, trace) +
                         "."),
         {Fragmentation, MemoryGrowth, NearLimit, MemoryExpected});
  unless(has.reserved, "Reserved memory was not recorded.", {Fragmentation, NearLimit});
  unless(has.maxSteps > 0,
         missingFrom(trace, "steps", kTorch, "No steps were recorded: " + stepAdvice(trace) + "."),
         {Straggler, LateStraggler, UnevenInput, SlowHost, Throttling, MemoryGrowth, OneStep});
  unless(has.maxSteps >= 2, "Only one step was recorded: record more of them.", {Straggler});
  unless(has.maxSteps >= 4, "Fewer than 4 steps were recorded: record more of them.",
         {LateStraggler, SlowHost, Throttling, MemoryGrowth});
  unless(has.occupancy, "Blocks per SM were not recorded.", {SmallGrids});
  unless(has.tensorCoreDevices, "Device properties were not recorded.", {NoTensorCores, MisalignedGemm});
  unless(
      has.operators,
      missingFrom(trace, "operators", kTorch,
                  "No operators were recorded: record with " + optionFor(Recordable::Operators, trace) + "."),
      {NoTensorCores, UnfusedAttention, Casts, ContiguityCopies, UnfusedElementwise, Norms, Atomics,
       Recomputation, ConvBias, CachingOff, ZeroGrad, HostRandom, HostConstant, IndexingLoop});
  // A training has none.
  unless(
      has.iterations || has.backward,
      missingFrom(
          trace, "iterations of inference", kTorch,
          "No iterations of inference were recorded: labels of a serving engine, or calls of the model, "
          "recorded with " +
              optionFor(Recordable::Stacks, trace) + "."),
      {MemoryBoundDecode, InferenceGaps, DecodeBandwidthLow, PrefillBlocksDecode, NoCudaGraph, PaddedBatch});
  // Without collectives there are no links.
  unless(ncclLog || !has.collectives, std::string(kNoLog),
         {FewChannels, NetSocket, NetNoGdr, NetShm, NetNicUnused, NetNvlsOff, NetPinned, NetChoice,
          NetMixedVersion, NetInitSlow, NetWarning, NetIncomplete});
  addMissingSideFiles(trace.side(), unchecked);
  // Adjacent parts may have the same reason.
  for (std::size_t i = 1; i < unchecked.size();) {
    if (unchecked[i].reason != unchecked[i - 1].reason) {
      ++i;
      continue;
    }
    unchecked[i - 1].kinds.insert(unchecked[i - 1].kinds.end(), unchecked[i].kinds.begin(),
                                  unchecked[i].kinds.end());
    unchecked.erase(unchecked.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return unchecked;
}

std::vector<UncheckedKinds> uncheckedKinds(const Analysis& analysis, const JobNetwork& network) {
  const NcclLog& log = network.log();
  std::vector<UncheckedKinds> unchecked = uncheckedKinds(analysis, !log.empty());
  if (!log.empty()) addMissingLines(network, unchecked);
  return unchecked;
}

} // namespace rankscope
