// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/finding_kinds.h"

#include <array>

namespace rankscope {

namespace {

struct KindTexts {
  std::string_view text;
  std::string_view title;
};

constexpr std::array<KindTexts, kFindingKindCount> kWords{{
    {"straggler", "stragglers"},
    {"late_straggler", "late stragglers"},
    {"exposed_communication", "exposed communication"},
    {"no_overlap", "no communication/compute overlap"},
    {"low_overlap_rank", "ranks with low overlap"},
    {"dataloader_stall", "DataLoader stalls"},
    {"idle_after_backward", "GPU idle between backward and optimizer"},
    {"synchronization", "CPU-GPU synchronization"},
    {"launch_bound", "launch-bound kernels"},
    {"gpu_idle", "GPU idle, waiting for host"},
    {"all_ranks_idle", "all GPUs idle"},
    {"host_to_device_copy", "exposed or pageable host-to-device memcpy"},
    {"cpu_copy", "CPU copies"},
    {"communication_dominates", "more communication than compute"},
    {"no_tensor_cores", "GEMM without tensor cores"},
    {"low_occupancy", "low-occupancy kernels"},
    {"few_blocks", "kernels with fewer blocks than SMs"},
    {"fragmentation", "memory fragmentation"},
    {"memory_growth", "memory growth per step"},
    {"memory_spike", "memory spikes"},
    {"device_allocation", "device allocations in steps"},
    {"framework_overhead", "framework overhead (Python)"},
    {"step_variance", "step time variance"},
    {"low_gpu_utilization", "low GPU utilization"},
    {"clock_disagreement", "clock disagreement"},
    {"capture_quality", "recording quality"},
}};

} // namespace

std::string_view severityText(Severity severity) {
  switch (severity) {
  case Severity::Info:
    return "info";
  case Severity::Warning:
    return "warning";
  case Severity::Critical:
    return "critical";
  }
  return {};
}

std::optional<Severity> severityOf(std::string_view text) {
  for (const Severity severity : {Severity::Info, Severity::Warning, Severity::Critical}) {
    if (severityText(severity) == text) return severity;
  }
  return std::nullopt;
}

std::string_view findingKindText(FindingKind kind) {
  return kWords[static_cast<std::size_t>(kind)].text;
}

std::string_view findingKindTitle(FindingKind kind) {
  return kWords[static_cast<std::size_t>(kind)].title;
}

} // namespace rankscope
