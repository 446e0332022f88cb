// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/finding_kinds.h"

#include <array>

namespace rankscope {

namespace {

struct KindWords {
  std::string_view text;
  std::string_view title;
};

constexpr std::array<KindWords, kFindingKindCount> kWords{{
    {"straggler", "a rank that makes the others wait"},
    {"late_straggler", "a rank that became slow part-way"},
    {"exposed_communication", "communication that no computation hides"},
    {"no_overlap", "no overlap of communication and computation on any rank"},
    {"low_overlap_rank", "a rank that overlaps less than the others"},
    {"dataloader_stall", "waiting for the DataLoader"},
    {"idle_after_backward", "an idle GPU between backward and optimizer"},
    {"synchronization", "CPU-GPU synchronisation"},
    {"launch_bound", "kernels too small for the host to keep up"},
    {"gpu_idle", "a GPU that waits for its host"},
    {"all_ranks_idle", "all GPUs idle at once"},
    {"host_to_device_copy", "long or pageable copies to the device"},
    {"cpu_copy", "copies on the CPU"},
    {"communication_dominates", "more communication than computation"},
    {"no_tensor_cores", "matrix products without tensor cores"},
    {"low_occupancy", "kernels with low occupancy"},
    {"few_blocks", "kernels with fewer blocks than SMs"},
    {"fragmentation", "reserved memory that is not allocated"},
    {"memory_growth", "memory that grows step by step"},
    {"memory_spike", "short peaks of memory"},
    {"device_allocation", "device allocations within the steps"},
    {"framework_overhead", "time outside of operators (Python)"},
    {"step_variance", "steps of different length"},
    {"low_gpu_utilization", "low GPU utilization"},
    {"clock_disagreement", "clocks that do not agree"},
    {"capture_quality", "doubts about the recording"},
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
