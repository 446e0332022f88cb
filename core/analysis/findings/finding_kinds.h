// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of findings, and what one says: how bad it is, where it is seen, what it costs and what to
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
// What a rule looks for, in a few words: for saying what was checked when nothing was found.
[[nodiscard]] std::string_view findingKindTitle(FindingKind kind);

} // namespace rankscope
