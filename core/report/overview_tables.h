// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of the overview that are no promised ones: findings by what they cost a step, and the devices that
// the job ran on. Pure functions of an Analysis and its findings.
#pragma once

#include "core/export/result_table.h"
#include "core/report/job_report.h"

#include <string>
#include <vector>

namespace rankscope {

// id (of the `findings` table), severity, finding, where, gain_low_us, gain_high_us (of a step), share_pct
// (of the lower gain, of the step), cost_bytes, fix: the findings with a gain or bytes in the order of the
// findings.
[[nodiscard]] ResultTable costsTable(const JobReport& report);

// A row per recording and device that was used there: rank, capture, host, device, name, memory_bytes,
// multiprocessors, compute_capability, utilization_pct, sm_efficiency_pct, occupancy_pct,
// peak_reserved_bytes.
[[nodiscard]] ResultTable devicesTable(const Analysis& analysis);

// The same for many of them, identical ones in one row: ranks, devices (of the row), host (empty: of
// several), name, memory_bytes, multiprocessors, compute_capability, utilization_pct, sm_efficiency_pct,
// occupancy_pct (means), peak_reserved_bytes (the largest). Those whose utilization stands out, and those of
// stragglers, have rows of their own, which come first.
[[nodiscard]] ResultTable deviceGroupsTable(const Analysis& analysis);

// The used devices of all ranks that are the same model.
struct DeviceModel {
  std::string name; // empty: not recorded
  std::uint64_t totalMemoryBytes = 0;
  int computeMajor = 0;
  int computeMinor = 0;
  int multiprocessors = 0;
  std::size_t count = 0; // devices, each rank's by themselves
};

struct JobDevices {
  std::vector<DeviceModel> models; // the most frequent first
  std::size_t hosts = 0;           // 0: not recorded
};

[[nodiscard]] JobDevices jobDevices(const Analysis& analysis);

// "512 × NVIDIA H100 80GB HBM3 on 64 nodes"; empty without devices.
[[nodiscard]] std::string jobDevicesText(const JobDevices& devices);

} // namespace rankscope
