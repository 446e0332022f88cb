// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/memory/oom_advice.h"

#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kMostRoles = 3;

bool hasExpandableSegments(const MemorySnapshot& snapshot) {
  return std::ranges::any_of(snapshot.settings, [](const auto& setting) {
    return setting.first == "expandable_segments" && setting.second == "True";
  });
}

using RoleSum = std::pair<MemoryRole, std::int64_t>;

// Largest first.
std::vector<RoleSum> rolesAt(const DeviceReplay& replay, std::int32_t entry) {
  std::array<ExactSum, kMemoryRoleCount> sums;
  for (const BlockLife& life : replay.lives) {
    if (life.aliveAt(entry)) sums[static_cast<std::size_t>(life.role)] += life.bytes;
  }
  std::vector<RoleSum> roles;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::int64_t bytes = sums[i];
    if (bytes > 0) roles.emplace_back(static_cast<MemoryRole>(i), bytes);
  }
  std::ranges::stable_sort(roles, std::greater(), &RoleSum::second);
  return roles;
}

std::string_view adviceForRole(MemoryRole role) {
  switch (role) {
  case MemoryRole::Activation:
    return "Activation checkpointing, fused attention, a smaller microbatch or sequence parallelism make "
           "activations smaller.";
  case MemoryRole::OptimizerState:
    return "ZeRO-1 or FSDP divides optimizer state over ranks; an 8-bit optimizer keeps a quarter.";
  case MemoryRole::Gradient:
    return "gradient_as_bucket_view=True of DDP saves a copy of the gradients; ZeRO-2 or FSDP divides them.";
  case MemoryRole::Parameter:
    return "FSDP (ZeRO-3) divides parameters over ranks; bf16 halves them.";
  case MemoryRole::FsdpBuffer:
    return "Wrap smaller parts of the model with FSDP, and prefetch fewer.";
  default:
    return "Reduce what is largest: activation checkpointing or a smaller batch for activations; sharding "
           "(FSDP, ZeRO) for parameters, gradients and optimizer state.";
  }
}

std::string adviceIfFull(const DeviceReplay& replay, std::int32_t entry) {
  const std::vector<RoleSum> roles = rolesAt(replay, entry);
  if (roles.empty()) return std::string(adviceForRole(MemoryRole::Unknown));
  std::vector<std::string> largest;
  for (std::size_t i = 0; i < std::min(kMostRoles, roles.size()); ++i)
    largest.push_back(fmt::format("{} {}", memoryRoleText(roles[i].first), bytesText(roles[i].second)));
  return fmt::format("Largest then: {}. {}", fmt::join(largest, ", "), adviceForRole(roles.front().first));
}

} // namespace

std::string oomAdvice(const DeviceReplay& replay) {
  const OomReport& oom = replay.ooms.back();
  switch (oom.cause) {
  case OomCause::OtherPool:
    if (const std::string_view pool = replay.snapshot->stacks.text(oom.holePool);
        !pool.empty() && pool != kDefaultPool)
      return fmt::format(
          "Only CUDA graphs or a torch.cuda.MemPool may allocate in private pool ({}): capture fewer graphs, "
          "let them share a pool (pool= of torch.cuda.graph), or delete the MemPool.",
          pool);
    if (oom.stream == oom.holeStream)
      return "Blocks up to 1 MiB have segments of their own, and max_split_size_mb keeps large ones whole: "
             "empty_cache() returns segments that are empty.";
    return "Allocate on the stream that frees, or call record_stream less often.";
  case OomCause::Retry:
    return "Look for other processes on the device, for private pools of this one (CUDA graphs, "
           "torch.cuda.MemPool), and for a limit by set_per_process_memory_fraction.";
  case OomCause::Fragmentation:
    if (hasExpandableSegments(*replay.snapshot))
      return "Segments are expandable already: use fewer different shapes, and keep what lives long out of "
             "the steps.";
    return "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; use fewer different shapes; or limit "
           "max_split_size_mb.";
  case OomCause::Full:
    break;
  }
  return adviceIfFull(replay, oom.entry);
}

} // namespace rankscope
