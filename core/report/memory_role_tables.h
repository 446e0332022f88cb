// SPDX-License-Identifier: GPL-3.0-or-later
// Roles of memory by rank and device, and measured beside expected memory: as tables and as sentences.
#pragma once

#include "core/analysis/memory/expected_memory.h"
#include "core/analysis/memory/trace_roles.h"
#include "core/base/strong_index.h"
#include "core/export/result_table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

class JobReport;
struct DeviceReplay;
struct EfficiencySettings;
struct SnapshotResults;

// A role of a device, with what is estimated told apart from what was recorded.
struct RoleRow {
  MemoryRole role = MemoryRole::Unknown;
  RoleConfidence confidence = RoleConfidence::Low;
  std::int64_t atPeak = 0;
  std::int64_t largest = 0;
  std::int64_t mean = 0;
  std::int64_t end = 0;
  std::int64_t atTime = 0; // at the time that was asked for
};

// Those with memory, largest at the peak first. time: of which the level is wanted too.
[[nodiscard]] std::vector<RoleRow> roleRows(const DeviceRoles& device, std::optional<TimeNs> time = {});

// "At the peak of 52.3 GB, activations take 61 %: 31.9 GB.": what consumes the most memory.
[[nodiscard]] std::string largestRoleSentence(const DeviceRoles& device);
// What the rules cannot tell: gradients within what was allocated before, no addresses.
[[nodiscard]] std::vector<std::string> roleNotes(const DeviceRoles& device);

// The device with the most memory, GPUs before the host; null without one.
[[nodiscard]] const DeviceRoles* mainDevice(const MemoryRoles& roles);

// Of the main device of a rank; empty without roles.
[[nodiscard]] std::optional<ExpectedMemory> expectedOf(const JobReport& report, RankIndex rank,
                                                       const EfficiencySettings& settings);

// The same of a device of a memory snapshot: what its blocks are for. Parameters are as large as gradients
// where they were there before the recording.
[[nodiscard]] ExpectedMemory expectedOf(const SnapshotResults& result, const DeviceReplay& replay,
                                        const EfficiencySettings& settings);

[[nodiscard]] ResultTable memoryRolesTable(const JobReport& report);
[[nodiscard]] ResultTable memoryExpectedTable(const JobReport& report);

} // namespace rankscope
