// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of the overview that are not exported: findings by cost per step, and devices of the job. Pure
// functions of an Analysis and its findings.
#pragma once

#include "core/export/result_table.h"
#include "core/report/accepted_findings.h"
#include "core/report/job_report.h"

#include <span>
#include <string>
#include <vector>

namespace rankscope {

// Columns: id (of the `findings` table), severity, finding, where, gain_low_us, gain_high_us (per step),
// share_pct (lower gain, of the step), cost_bytes, accepted (the note, or "yes" without one), fix. Findings
// with a gain or bytes, in the order of findings.
[[nodiscard]] ResultTable costsTable(const JobReport& report, std::span<const AcceptedFinding> accepted = {});

// One row per rank and used device: rank, host, device, name, memory_bytes, multiprocessors,
// compute_capability, utilization_pct, sm_efficiency_pct, occupancy_pct (means over the captures),
// peak_reserved_bytes (maximum).
[[nodiscard]] ResultTable devicesTable(const Analysis& analysis);

// devicesTable with identical devices merged: ranks, devices (in the row), host (empty: several), name,
// memory_bytes, multiprocessors, compute_capability, utilization_pct, sm_efficiency_pct, occupancy_pct
// (means), peak_reserved_bytes (maximum). Devices with outlying utilization and those of stragglers have
// separate rows, which come first.
[[nodiscard]] ResultTable deviceGroupsTable(const Analysis& analysis);

// Devices of the same model, over all ranks.
struct DeviceModel {
  std::string name; // empty if not recorded
  std::uint64_t totalMemoryBytes = 0;
  int computeMajor = 0;
  int computeMinor = 0;
  int multiprocessors = 0;
  std::size_t count = 0; // number of devices, counted separately for each rank
};

struct JobDevices {
  std::vector<DeviceModel> models; // most frequent first
  std::size_t hosts = 0;           // 0 if not recorded
};

[[nodiscard]] JobDevices jobDevices(const Analysis& analysis);

// "512 × NVIDIA H100 80GB HBM3 on 64 nodes"; empty without devices.
[[nodiscard]] std::string jobDevicesText(const JobDevices& devices);

} // namespace rankscope
