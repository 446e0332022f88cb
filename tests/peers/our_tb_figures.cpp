// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/our_tb_figures.h"

#include "core/analysis/classify/tensor_cores.h"
#include "tests/peers/oracle_table.h"
#include "tests/peers/peer_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace rankscope::peers {

namespace {

// A name that is computation in one call and communication in another stands in two of our rows.
struct KernelRow {
  double calls = 0, total = 0, max = 0, min = 0;
  std::optional<double> blocks, occupancy;
};

// As the plugin names a step: its number, or its place where it is not known.
std::string stepName(const StepWindows& windows, std::size_t s) {
  return std::to_string(windows.steps[s].number);
}

} // namespace

void addOurSteps(const Analysis& analysis, RankIndex rank, TimeNs zero, const std::string& worker,
                 Figures& to) {
  constexpr std::array<std::string_view, kStepCategoryCount> kColumns{
      "kernel_us",  "memcpy_us",     "memset_us",   "communication_us",
      "runtime_us", "dataloader_us", "cpu_exec_us", "other_us"};
  const StepWindows& windows = analysis.stepWindows(rank);
  const std::vector<StepBreakdown>& breakdown = analysis.stepBreakdown(rank);
  RowNames names;
  for (std::size_t s = 0; s < windows.steps.size(); ++s) {
    const std::string row = names.next(worker + "," + stepName(windows, s));
    to[{row, "begin_us"}] = microsecondsOf(windows.steps[s].range.begin - zero);
    to[{row, "total_us"}] = microsecondsOf(windows.steps[s].range.length());
    for (std::size_t c = 0; c < kColumns.size(); ++c)
      to[{row, std::string(kColumns[c])}] = microsecondsOf(breakdown[s].categories[c]);
  }
}

void addOurGpu(const Analysis& analysis, RankIndex rank, const std::string& worker, Figures& to) {
  // The tool has no kept steps: from the first begin to the last end.
  const StepWindows& windows = analysis.stepWindows(rank);
  const TimeRange measured = windows.areSteps() ? windows.hull() : analysis.activity(rank).span;
  for (const DeviceMetrics& m : gpuMetrics(*analysis.trace().rank(rank).trace, measured).devices) {
    const std::string row = fmt::format("{},{}", worker, m.device);
    to[{row, "utilization"}] = m.utilizationPct / 100;
    if (m.smEfficiencyPct) to[{row, "sm_efficiency"}] = *m.smEfficiencyPct / 100;
    if (m.occupancyPct) to[{row, "occupancy"}] = *m.occupancyPct;
  }
}

void addOurKernels(const Analysis& analysis, RankIndex rank, const std::string& worker, Figures& to) {
  std::map<NameId, KernelRow> rows;
  bool anyBlocks = false, anyOccupancy = false;
  for (const KernelStatistics& k : analysis.kernels(rank)) {
    if (k.deviceClass == DeviceClass::Memory) continue;
    const auto [place, isNew] = rows.try_emplace(k.name);
    KernelRow& row = place->second;
    row.calls += static_cast<double>(k.calls);
    row.total += microsecondsOf(k.total);
    row.max = isNew ? microsecondsOf(k.max) : std::max(row.max, microsecondsOf(k.max));
    row.min = isNew ? microsecondsOf(k.min) : std::min(row.min, microsecondsOf(k.min));
    if (isNew) row.blocks = k.blocksPerSm;
    if (isNew) row.occupancy = k.occupancyPct;
    anyBlocks |= k.blocksPerSm.value_or(0) > 0;
    anyOccupancy |= k.occupancyPct.has_value();
  }
  for (const auto& [id, k] : rows) {
    const std::string_view name = analysis.trace().names()[id];
    const std::string row = fmt::format("{},{}", worker, name);
    to[{row, "Tensor Cores Used"}] = std::string(usesTensorCores(name) ? "Yes" : "No");
    to[{row, "Calls"}] = k.calls;
    to[{row, "Total Duration (us)"}] = k.total;
    to[{row, "Mean Duration (us)"}] = k.total / k.calls;
    to[{row, "Max Duration (us)"}] = k.max;
    to[{row, "Min Duration (us)"}] = k.min;
    if (k.blocks && anyBlocks) to[{row, "Mean Blocks Per SM"}] = *k.blocks;
    if (k.occupancy && anyOccupancy) to[{row, "Mean Est. Achieved Occupancy (%)"}] = *k.occupancy;
  }
}

void addOurOperators(const Analysis& analysis, RankIndex rank, const std::string& worker, Figures& to) {
  for (const OperatorStatistics& op : analysis.operators(rank).operators) {
    const std::string row = fmt::format("{},{}", worker, analysis.trace().names()[op.name]);
    to[{row, "calls"}] = static_cast<double>(op.calls);
    to[{row, "device_self_us"}] = microsecondsOf(op.deviceSelf);
    to[{row, "device_total_us"}] = microsecondsOf(op.deviceTotal);
    to[{row, "host_self_us"}] = microsecondsOf(op.hostSelf);
    to[{row, "host_total_us"}] = microsecondsOf(op.hostTotal);
    to[{row, "tc_self_ratio"}] = op.tensorCoreSelfPct().value_or(0) / 100;
    to[{row, "tc_total_ratio"}] = op.tensorCoreTotalPct().value_or(0) / 100;
  }
}

void addOurMemory(const Analysis& analysis, RankIndex rank, const std::string& worker, Figures& to) {
  const MemoryProfile& memory = analysis.memory(rank);
  const auto kilobytes = [](std::int64_t bytes) { return static_cast<double>(bytes) / 1024; };
  for (const OperatorMemory& m : memory.operators) {
    if (m.sizeIncrease == 0 && m.selfSizeIncrease == 0 && m.allocations == 0) continue;
    const std::string row = fmt::format("{},{},{}", worker, memory.devices[m.device].device.name(),
                                        analysis.trace().names()[m.name]);
    to[{row, "Calls"}] = static_cast<double>(m.calls);
    to[{row, "Size Increase (KB)"}] = kilobytes(m.sizeIncrease);
    to[{row, "Self Size Increase (KB)"}] = kilobytes(m.selfSizeIncrease);
    to[{row, "Allocation Count"}] = static_cast<double>(m.allocations);
    to[{row, "Self Allocation Count"}] = static_cast<double>(m.selfAllocations);
    to[{row, "Allocation Size (KB)"}] = kilobytes(m.allocationBytes);
    to[{row, "Self Allocation Size (KB)"}] = kilobytes(m.selfAllocationBytes);
  }
}

void addOurOverlap(const Analysis& analysis, RankIndex rank, const std::string& worker, Figures& to) {
  constexpr std::array<std::string_view, 4> kColumns{"Computation", "Overlapping", "Communication", "Other"};
  const StepWindows& windows = analysis.stepWindows(rank);
  const std::vector<StepBreakdown>& breakdown = analysis.stepBreakdown(rank);
  std::array<double, 4> sums{};
  for (std::size_t s = 0; s < windows.steps.size(); ++s) {
    const StepBreakdown& b = breakdown[s];
    const std::array<TimeNs, 4> bars{b.compute - b.overlap, b.overlap, b.exposedCommunication,
                                     windows.steps[s].range.length() - b.compute - b.exposedCommunication};
    for (std::size_t i = 0; i < bars.size(); ++i) {
      to[{stepName(windows, s) + "," + worker, std::string(kColumns[i])}] = microsecondsOf(bars[i]);
      sums[i] += microsecondsOf(bars[i]);
    }
  }
  const double count = std::max<double>(1, static_cast<double>(windows.steps.size()));
  for (std::size_t i = 0; i < sums.size(); ++i)
    to[{"all," + worker, std::string(kColumns[i])}] = std::trunc(sums[i] / count);
}

void addOurWaits(const Analysis& analysis, RankIndex rank, const std::string& worker, Figures& to) {
  for (const RankStep& step : analysis.stragglers().ranks[rank.value].steps)
    to[{fmt::format("{},{}", step.number, worker), "Synchronizing Time"}] = microsecondsOf(step.waited);
}

void addOurCollectives(const Analysis& analysis, RankIndex rank, const std::string& worker, Figures& to) {
  constexpr std::array<std::pair<CollectiveOperation, std::string_view>, 5> kNames{
      std::pair{CollectiveOperation::Broadcast, "broadcast"},
      std::pair{CollectiveOperation::Reduce, "reduce"},
      std::pair{CollectiveOperation::AllReduce, "all_reduce"},
      std::pair{CollectiveOperation::AllGather, "all_gather"},
      std::pair{CollectiveOperation::ReduceScatter, "reduce_scatter"}};
  const bool onDevice = !analysis.trace().rank(rank).trace->devices.empty();
  for (const auto& [operation, name] : kNames) {
    double calls = 0, bytes = 0, total = 0;
    bool bytesKnown = false;
    for (const CollectiveStatistics& c : analysis.collectiveStatistics(rank)) {
      if (c.operation != operation) continue;
      calls += static_cast<double>(c.calls);
      bytesKnown |= c.bytes.has_value();
      bytes += static_cast<double>(c.bytes.value_or(0));
      total += microsecondsOf(c.total);
    }
    if (calls == 0) continue;
    const std::string row = fmt::format("{},{}:{}", worker, onDevice ? "nccl" : "gloo", name);
    to[{row, "Calls"}] = calls;
    if (bytesKnown) to[{row, "Total Size (bytes)"}] = bytes;
    if (bytesKnown) to[{row, "Avg Size (bytes)"}] = std::round(bytes / calls);
    to[{row, "Total Latency (us)"}] = total;
    to[{row, "Avg Latency (us)"}] = std::round(total / calls);
  }
}

} // namespace rankscope::peers
