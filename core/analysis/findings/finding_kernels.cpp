// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about what the devices run: GEMM without tensor cores, kernels that do not fill the
// device, copies from the host.
#include "core/analysis/classify/tensor_cores.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace rankscope {

namespace {

constexpr Shares kTensorCoreShares{0.03, 0.1, 0.3};
constexpr Shares kFillShares{0.15, 0.4, 2};
constexpr Shares kPageableShares{0.02, 0.05, 0.2};
constexpr Shares kPinnedShares{0.06, 0.12, 0.3};
// Tensor cores do at least twice the work in a time; half of it could be saved, cautiously.
constexpr double kTensorCoreGain = 0.5;
constexpr double kTensorCoresUnused = 0.05;
constexpr double kLowOccupancyPct = 25;
constexpr int kFirstWithTensorCores = 7; // Volta

bool hasTensorCores(const RankTrace& trace) {
  return std::ranges::any_of(trace.metadata.devices, [&](const DeviceProperties& device) {
    const bool used = std::ranges::find(trace.devices, device.id) != trace.devices.end();
    return used && device.computeMajor >= kFirstWithTensorCores;
  });
}

void findNoTensorCores(FindingContext& context) {
  const Analysis& analysis = context.analysis();
  std::vector<RankCost> costs;
  NameId worstName;
  TimeNs worstTime = 0;
  ExactSum total;
  for (const RankIndex rank : context.ranks()) {
    if (!hasTensorCores(*analysis.trace().rank(rank).trace)) continue;
    ExactSum eligible, used;
    for (const OperatorStatistics& op : analysis.operators(rank).operators) {
      if (!isTensorCoreEligible(analysis.trace().names()[op.name])) continue;
      eligible += op.deviceSelf;
      used += op.tensorCoreSelf;
      if (op.deviceSelf - op.tensorCoreSelf <= worstTime) continue;
      worstTime = op.deviceSelf - op.tensorCoreSelf;
      worstName = op.name;
    }
    if (static_cast<double>(used) > kTensorCoresUnused * static_cast<double>(eligible)) continue;
    total += eligible;
    RankCost cost;
    cost.rank = rank;
    cost.cost = truncated(kTensorCoreGain * static_cast<double>(eligible - used));
    cost.place = context.toJob(rank, RankRange::of(analysis.activity(rank).span));
    costs.push_back(cost);
  }
  const auto deviceTime = [&](const std::vector<RankCost>& part) {
    return part.size() == 1 ? 2 * part.front().cost : total / static_cast<TimeNs>(part.size());
  };
  context.addForRanks(
      FindingKind::NoTensorCores, std::move(costs), kTensorCoreShares,
      [&](Finding& finding, const std::vector<RankCost>& part) {
        finding.title =
            fmt::format("No tensor cores: {} of GEMM and convolution", durationText(deviceTime(part)));
        if (worstName.valid()) finding.subject = analysis.trace().names()[worstName];
        finding.evidence = fmt::format(
            "{} of device time per rank in operators that can use tensor cores{}; the cost assumes a speedup "
            "of 2.",
            durationText(deviceTime(part)),
            worstName.valid() ? fmt::format(", mostly {}", analysis.trace().names()[worstName]) : "");
        finding.fix = "Train in bf16 or fp16 (torch.autocast), or allow TF32 "
                      "(torch.set_float32_matmul_precision('high')); keep dimensions multiples of 8.";
      });
}

// Sums, over the compute kernels of a rank, of `lost` of each name.
template <class Lost>
std::vector<RankCost> kernelCosts(FindingContext& context, NameId& worstName, Lost lost) {
  const Analysis& analysis = context.analysis();
  std::vector<RankCost> costs;
  TimeNs worst = 0;
  for (const RankIndex rank : context.ranks()) {
    RankCost cost;
    cost.rank = rank;
    cost.place = context.toJob(rank, RankRange::of(analysis.activity(rank).span));
    for (const KernelStatistics& kernel : analysis.kernels(rank)) {
      if (kernel.deviceClass != DeviceClass::Compute) continue;
      const auto time = truncated(lost(kernel) * static_cast<double>(kernel.total));
      cost.cost += time;
      if (time <= worst) continue;
      worst = time;
      worstName = kernel.name;
    }
    costs.push_back(cost);
  }
  return costs;
}

void findUnfilledDevices(FindingContext& context) {
  const Analysis& analysis = context.analysis();
  const StringTable& names = analysis.trace().names();
  NameId worst;
  auto fewBlocks = kernelCosts(context, worst, [](const KernelStatistics& kernel) {
    return kernel.blocksPerSm && *kernel.blocksPerSm < 1 ? 1 - *kernel.blocksPerSm : 0.0;
  });
  context.addForRanks(
      FindingKind::FewBlocks, std::move(fewBlocks), kFillShares,
      [&](Finding& finding, const std::vector<RankCost>&) {
        finding.title = fmt::format("Few blocks: {} lost to idle SMs", durationText(*finding.cost));
        finding.subject = names[worst];
        finding.evidence =
            fmt::format("Kernel time weighted by the share of SMs without a block: {}; mostly {}.",
                        durationText(*finding.cost), names[worst]);
        finding.fix = "Launch more blocks per kernel: larger batches or fused work (torch.compile, foreach "
                      "and fused optimizers, batched GEMM).";
      });
  NameId idle;
  auto lowOccupancy = kernelCosts(context, idle, [&](const KernelStatistics& kernel) {
    // The profiler writes 0 for unknown; kernels on tensor cores need few warps.
    const bool counts = kernel.occupancyPct && *kernel.occupancyPct > 0 &&
                        *kernel.occupancyPct < kLowOccupancyPct && kernel.blocksPerSm.value_or(1) >= 1 &&
                        !usesTensorCores(names[kernel.name]);
    return counts ? 1 - *kernel.occupancyPct / kLowOccupancyPct : 0.0;
  });
  context.addForRanks(FindingKind::LowOccupancy, std::move(lowOccupancy), kFillShares,
                      [&](Finding& finding, const std::vector<RankCost>&) {
                        finding.title = fmt::format("Low occupancy: {} lost", durationText(*finding.cost));
                        finding.subject = names[idle];
                        finding.evidence =
                            fmt::format("Compared with {:.0f} % occupancy, {} is lost; mostly {}.",
                                        kLowOccupancyPct, durationText(*finding.cost), names[idle]);
                        finding.fix =
                            "In custom kernels, use fewer registers, less shared memory or larger blocks; "
                            "torch.compile may choose better launch parameters.";
                      });
}

void findHostToDeviceCopies(FindingContext& context) {
  const Analysis& analysis = context.analysis();
  const StringTable& names = analysis.trace().names();
  std::vector<RankCost> pinned, pageable;
  for (const RankIndex rank : context.ranks()) {
    const RankTrace& trace = *analysis.trace().rank(rank).trace;
    const IntervalSet& compute = analysis.activity(rank).compute;
    const TimeRange window = analysis.window(rank).ns();
    RankCost cost;
    cost.rank = rank;
    for (EventIndex e = trace.deviceBegin; e < trace.deviceEnd; ++e.value) {
      if (trace.events.kind[e] != EventKind::Copy) continue;
      const std::string_view name = names[trace.events.name[e]];
      const TimeRange range = trace.events.range(e);
      if (name.find("HtoD") == std::string_view::npos && name.find("HostToDevice") == std::string_view::npos)
        continue;
      if (!window.contains(range.begin)) continue;
      ++cost.count;
      cost.marked += name.find("Pageable") != std::string_view::npos ? 1 : 0;
      cost.bytes += std::max<std::int64_t>(0, trace.deviceDetail(e).bytes);
      if (!cost.addInstance(range.length() - compute.coveredWithin(range))) continue;
      cost.place = context.toJob(rank, RankRange::of(range));
      cost.event = {rank, e};
    }
    (cost.marked > 0 ? pageable : pinned).push_back(cost);
  }
  const auto describe = [](Finding& finding, const std::vector<RankCost>& part) {
    const std::int64_t calls = sumOf(part, &RankCost::count);
    const std::int64_t marked = sumOf(part, &RankCost::marked);
    finding.title = fmt::format("Exposed host-to-device memcpy: {}", durationText(*finding.cost));
    finding.evidence = fmt::format("{}, {} in total; {} from pageable memory.",
                                   calls == 1 ? "1 copy" : groupedText(calls) + " copies",
                                   bytesText(sumOf(part, &RankCost::bytes)), marked);
    finding.fix =
        marked > 0
            ? "Pin the memory (DataLoader(pin_memory=True), tensor.pin_memory()) and copy with "
              "non_blocking=True, one batch ahead on a separate stream."
            : "Copy with non_blocking=True, one batch ahead on a separate stream, and copy only what the "
              "step needs.";
  };
  context.addForRanks(FindingKind::HostToDeviceCopy, std::move(pageable), kPageableShares, describe);
  context.addForRanks(FindingKind::HostToDeviceCopy, std::move(pinned), kPinnedShares, describe);
}

void findLowUtilization(FindingContext& context) {
  const Analysis& analysis = context.analysis();
  constexpr double kLowPct = 50;
  std::vector<RankCost> costs;
  const auto utilization = [&](RankIndex rank) { return *analysis.gpuMetrics(rank).utilizationPct; };
  for (const RankIndex rank : context.ranks()) {
    const GpuMetrics& metrics = analysis.gpuMetrics(rank);
    if (!metrics.utilizationPct) continue;
    RankCost cost;
    cost.rank = rank;
    cost.cost =
        truncated((1 - *metrics.utilizationPct / 100) * static_cast<double>(metrics.measured.length()));
    cost.place = context.toJob(rank, RankRange::of(metrics.measured));
    costs.push_back(cost);
  }
  const std::size_t known = costs.size();
  const auto meanOf = [&](const std::vector<RankCost>& part) {
    double sum = 0;
    for (const RankCost& cost : part) sum += utilization(cost.rank);
    return sum / static_cast<double>(part.size());
  };
  const auto describe = [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title = fmt::format("Low GPU utilization: {:.0f} %", meanOf(part));
    if (part.size() > 1 && part.size() < known)
      finding.title += fmt::format(" on {} of {} {}", part.size(), known,
                                   countRanks(analysis).severalCaptures() ? "captures" : "ranks");
    finding.evidence = fmt::format(
        "No kernel runs for {} per rank over the steps; see the findings on idle time for the causes.",
        durationText(*finding.cost));
    finding.fix = "Fix the most expensive cause of idle time first; then use larger batches.";
  };
  // If the mean is low, all ranks are reported with the figure of the overview; otherwise only the low ranks.
  if (known > 0 && meanOf(costs) >= kLowPct)
    std::erase_if(costs, [&](const RankCost& cost) { return utilization(cost.rank) >= kLowPct; });
  if (costs.size() < 2) {
    context.addForRanks(FindingKind::LowGpuUtilization, std::move(costs), kUnusedGpuShares, describe);
    return;
  }
  // One finding, also where captures of different lengths lose very different times.
  Finding finding;
  finding.kind = FindingKind::LowGpuUtilization;
  ExactSum total;
  for (const RankCost& cost : costs) total += cost.cost;
  finding.cost = total / static_cast<TimeNs>(costs.size());
  finding.place =
      std::ranges::max_element(costs, {}, [](const RankCost& c) { return TimeNs(c.cost); })->place;
  describe(finding, costs);
  context.add(std::move(finding), kUnusedGpuShares);
}

} // namespace

void findKernelFindings(FindingContext& context) {
  if (!context.hasDevices()) return;
  findNoTensorCores(context);
  findUnfilledDevices(context);
  findHostToDeviceCopies(context);
  findLowUtilization(context);
}

} // namespace rankscope
