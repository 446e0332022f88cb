// SPDX-License-Identifier: GPL-3.0-or-later
// Joins the ranges of NCCL's domain to the kernels that their calls launched, and gives these kernels what
// the payloads say: operation, bytes, communicator. A kernel launched at the end of a group has all
// operations of the group. Communicators that were made within the capture also say which rank the process
// has.
#pragma once

#include "core/io/nsys/nsys_joins.h"
#include "core/io/nsys/nsys_payload.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace rankscope {

struct NcclRank {
  std::optional<std::int64_t> rank; // in the largest communicator that was made
  std::int64_t worldSize = 0;
  std::uint64_t communicator = 0;              // its id
  std::map<std::uint64_t, std::int64_t> sizes; // of all communicators, by id
};

// Adds collectives to the slices. REQUIRES: the process's pending events are complete.
NcclRank joinNccl(std::span<const NsysProcessPart> parts, const PayloadSchemas& schemas);

} // namespace rankscope
