// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of a memory snapshot added up by what allocated them or what they are for, at a moment and since
// an earlier one. Pure; O(blocks).
#pragma once

#include "core/report/side_results.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

enum class BlockGrouping : std::uint8_t {
  Line, // first line of the user's own code
  Stack,
  Role,
  Annotation, // innermost record_function in which it was allocated
  Region,     // of torch.compile
  Pool,       // pool and stream
};
inline constexpr std::size_t kBlockGroupings = 6;

struct BlockGroup {
  std::string name;
  std::int64_t bytes = 0;  // requested, of the blocks alive at `to`
  std::int64_t blocks = 0; // alive at `to`
  std::int64_t growth = 0; // bytes more than at `from`
};

// Those with bytes or growth; most bytes first, then by name.
[[nodiscard]] std::vector<BlockGroup> blockGroups(const SnapshotResults& result, const DeviceReplay& replay,
                                                  BlockGrouping grouping, std::int32_t from, std::int32_t to);

} // namespace rankscope
