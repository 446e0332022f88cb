// SPDX-License-Identifier: GPL-3.0-or-later
// Identifies kernels that do the same work and can be compared: same name, grid and block. Columns do not
// contain grid and block; blocks per SM and occupancy stand for them, which is valid on one device model.
// Plain data; the same on all ranks of a job.
#pragma once

#include "core/model/rank_trace.h"

#include <bit>
#include <cstdint>
#include <functional>

namespace rankscope {

struct KernelKind {
  NameId name;
  std::uint32_t blocks = 0; // bits of DeviceDetail::blocksPerSm
  std::uint32_t occupancy = 0;

  // Whether the recording has blocks per SM.
  [[nodiscard]] bool known() const { return std::bit_cast<float>(blocks) > 0; }
  bool operator==(const KernelKind&) const = default;
};

[[nodiscard]] inline KernelKind kernelKind(const RankTrace& trace, EventIndex event) {
  const DeviceDetail& detail = trace.deviceDetail(event);
  return {trace.events.name[event], std::bit_cast<std::uint32_t>(detail.blocksPerSm),
          std::bit_cast<std::uint32_t>(detail.occupancyPct)};
}

} // namespace rankscope

template <> struct std::hash<rankscope::KernelKind> {
  std::size_t operator()(const rankscope::KernelKind& kind) const noexcept {
    std::uint64_t mixed = (std::uint64_t{kind.name.value} << 32) ^ kind.blocks;
    mixed = (mixed ^ (std::uint64_t{kind.occupancy} << 16)) * 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>(mixed ^ (mixed >> 29));
  }
};
