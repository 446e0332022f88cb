// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of findings with their rules, and the fields of a finding: severity, place, what the step would
// gain and what to do. Times and gains are of one kept step: of the rank that is named, else the mean over
// the ranks. The time of a leaf adds up with that of all other leaves to the step; gains of different
// findings do not add up.
#pragma once

#include "core/analysis/findings/gain.h"
#include "core/model/clock_times.h"
#include "core/model/trace_set.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// In the order of their rules.
enum class FindingKind : std::uint8_t {
  Straggler,
  LateStraggler,
  UnevenInput,
  SlowHost,
  ExpertImbalance,
  StartSkew,
  ExposedCommunication,
  LastBucket,
  FragmentedCollectives,
  NoOverlap,
  SlowLink,
  FewChannels,
  DdpBuffersBroadcast,
  DdpBucketCopies,
  FsdpExposedGather,
  FsdpRateLimited,
  FsdpNoReshardNeeded,
  FsdpUnitsTooSmall,
  TpExposed,
  PipelineBubble,
  AllToAllWait,
  ObjectCollectives,
  BarrierInStep,
  SyncBatchNorm,
  AccumulationWithoutNoSync,
  NoTensorCores,
  UnfusedAttention,
  MisalignedGemm,
  LayoutConversions,
  Casts,
  ContiguityCopies,
  UnfusedElementwise,
  Norms,
  SmallGrids,
  Contention,
  SlowClock,
  Throttling,
  Atomics,
  Recomputation,
  ConvBias,
  MemoryBoundDecode,
  TinyKernels,
  SortTopk,
  EmptyCache,
  InterpreterLock,
  LaunchBound,
  UnfusedOptimizer,
  ZeroGrad,
  Synchronization,
  GradClipSync,
  DataLoaderStall,
  GraphBreaks,
  DeviceAllocation,
  CachingOff,
  OomRetry,
  PinningInLoop,
  SlowHostLaunch,
  Python,
  GarbageCollection,
  Descheduled,
  HostRandom,
  HostConstant,
  IndexingLoop,
  MemoryGrowth,
  Fragmentation,
  PageableCopy,
  InputCopy,
  DeviceToHostCopy,
  SmallDeviceCopies,
  NearLimit,
  MemoryExpected,
  OutOfMemory,
  RecordingEdge,
  StartupRecorded,
  EventsDropped,
  ProfilerOverhead,
  OneStep,
  LaunchQueueFull,
  UnexplainedIdle,
  OtherProcess,
  Benchmark,
  ClockDisagreement,
  CaptureQuality,
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
  ExpertTiny,
  InferenceGaps,
  DecodeBandwidthLow,
  PrefillBlocksDecode,
  NoCudaGraph,
  PaddedBatch,
  StepBurst,
  NetSocket,
  NetNoGdr,
  NetShm,
  NetNicUnused,
  NetNvlsOff,
  NetPinned,
  NetChoice,
  NetMixedVersion,
  NetInitSlow,
  NetWarning,
  NetIncomplete,
  HangHost,
  HangDevice,
  HangMismatch,
  HangNoDump,
};

inline constexpr int kFindingKindCount = static_cast<int>(FindingKind::HangNoDump) + 1;

struct Finding {
  FindingKind kind = FindingKind::CaptureQuality;
  Severity severity = Severity::Info;
  Confidence confidence = Confidence::Proven;
  RankIndex rank;                   // invalid: several or all ranks
  std::vector<RankIndex> ranks;     // ascending; those it is about when it names one or some; empty: all
  std::optional<std::int64_t> step; // where it is seen best
  JobRange place;                   // what to look at; empty when it has no place
  // Id of a leaf of the account, or of all leaves that begin with it; empty where no leaf has the time.
  std::string leaf;
  std::optional<TimeNs> time; // of the leaf, per step
  std::optional<Gain> gain;   // per step
  std::optional<TimeNs> cost; // the lower gain over all kept steps
  std::int64_t steps = 0;     // kept steps that time and gain are means of
  std::optional<std::int64_t> costBytes;
  std::string title;
  std::string evidence;
  std::string fix;
  EventRef event;      // what proves it, where one event does
  std::string subject; // the kernel or operator that stands for most of it, where one table has it
};

// Another source of a finding's gain, given its kind, leaf and ranks; nothing where it has none.
using GainSource = std::function<std::optional<Gain>(const Finding&)>;

// "straggler", "late_straggler", ...: the words of the tables.
[[nodiscard]] std::string_view findingKindText(FindingKind kind);
// Short name of what a rule checks, for the list of checks.
[[nodiscard]] std::string_view findingKindTitle(FindingKind kind);
// "R10", ...: the rule's id in tables and help.
[[nodiscard]] std::string_view findingRule(FindingKind kind);

} // namespace rankscope
