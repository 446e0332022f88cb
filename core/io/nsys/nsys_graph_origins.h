// SPDX-License-Identifier: GPL-3.0-or-later
// Where a node of a CUDA graph came from: the call that created the node, or the node that it was cloned
// from, while the graph was captured, and the NVTX ranges around that call. Only if the capture is in the
// recording. O(rows of the node and range tables) a question.
#pragma once

#include "core/io/nsys/nsys_export.h"
#include "core/io/nsys/nsys_joins.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

struct GraphNodeOrigin {
  std::int64_t node = 0;           // the first node, of which others are clones
  std::string call;                // "cudaLaunchKernel"; empty if its row is not recorded
  std::vector<std::string> ranges; // innermost first
};

// node: graphNodeId of a device event of this process (any global id of it). Empty if the file does not say.
[[nodiscard]] std::optional<GraphNodeOrigin> originOfGraphNode(const SqliteFile& file, NsysStrings& strings,
                                                               std::int64_t process, std::int64_t node);

// Replaces the node ids in the device records of a process: with the id of the innermost operator around the
// capture of the node (core/model/captured_in.h), or 0. shift: of times in the file. O(n log n) where there
// are nodes, else O(n).
void linkCapturingOperators(const SqliteFile& file, std::int64_t process, TimeNs shift,
                            std::span<const NsysProcessPart> parts);

} // namespace rankscope
