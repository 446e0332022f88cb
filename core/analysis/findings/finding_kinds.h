// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of findings, and the fields of one: severity, place, cost and what to
// do, and the words of all kinds. A finding has a cost that was measured, in time or in bytes. Costs are of
// one rank: of the one that is named, else of the mean rank, over all steps of the recording.
#pragma once

#include "core/model/clock_times.h"
#include "core/model/trace_set.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

enum class Severity : std::uint8_t { Info, Warning, Critical };

// From which share of the step time on a cost is worth a finding, and how bad it is: for the rules, and for
// everybody who colors a figure by the same measure.
struct Shares {
  double info = 0.03;
  double warning = 0.08;
  double critical = 0.2;
};

// Shares of 1; a threshold of 2 is never reached.
inline constexpr Shares kIdleShares{0.04, 0.1, 0.25};
inline constexpr Shares kExposedShares{0.08, 0.15, 0.3};
inline constexpr Shares kVarianceShares{0.1, 0.2, 2};
inline constexpr Shares kUnusedGpuShares{0.3, 0.5, 2};

// How bad a share is; nothing when it is not worth a finding.
[[nodiscard]] constexpr std::optional<Severity> severityOf(double share, const Shares& shares) {
  if (share < shares.info) return std::nullopt;
  return share >= shares.critical  ? Severity::Critical
         : share >= shares.warning ? Severity::Warning
                                   : Severity::Info;
}

enum class FindingKind : std::uint8_t {
  Straggler,
  LateStraggler,
  ExposedCommunication,
  NoOverlap,
  LowOverlapRank,
  DataLoaderStall,
  IdleAfterBackward,
  Synchronization,
  LaunchBound,
  GpuIdle,
  AllRanksIdle,
  HostToDeviceCopy,
  CpuCopy,
  CommunicationDominates,
  NoTensorCores,
  LowOccupancy,
  FewBlocks,
  Fragmentation,
  MemoryGrowth,
  MemorySpike,
  DeviceAllocation,
  FrameworkOverhead,
  StepVariance,
  LowGpuUtilization,
  ClockDisagreement,
  CaptureQuality,
};

inline constexpr int kFindingKindCount = static_cast<int>(FindingKind::CaptureQuality) + 1;

struct Finding {
  FindingKind kind = FindingKind::CaptureQuality;
  Severity severity = Severity::Info;
  RankIndex rank;                   // invalid: all ranks
  std::optional<std::int64_t> step; // where it is seen best
  JobRange place;                   // what to look at; empty when it has no place
  std::optional<TimeNs> cost;
  std::optional<std::int64_t> costBytes;
  std::string title;
  std::string evidence;
  std::string fix;
  EventRef event;      // what proves it, where one event does
  std::string subject; // the kernel or operator that stands for most of it, where one table has it
};

// "info", "warning", "critical"; nothing for another word.
[[nodiscard]] std::string_view severityText(Severity severity);
[[nodiscard]] std::optional<Severity> severityOf(std::string_view text);
// "straggler", "late_straggler", ...: the words of the tables.
[[nodiscard]] std::string_view findingKindText(FindingKind kind);
// Short name of what a rule checks, for the list of checks.
[[nodiscard]] std::string_view findingKindTitle(FindingKind kind);

} // namespace rankscope
