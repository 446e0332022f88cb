// SPDX-License-Identifier: GPL-3.0-or-later
// What NCCL and nccl-tests wrote beside a job, as compressed bytes of its digest. Pure functions,
// thread-safe.
#pragma once

#include "core/model/nccl_records.h"

#include <memory>
#include <string>
#include <string_view>

namespace rankscope {

// Empty without records.
[[nodiscard]] std::string packedNccl(const NcclRecords& records);

// Null if the bytes are something else: every index and number is checked.
[[nodiscard]] std::shared_ptr<const NcclRecords> unpackedNccl(std::string_view bytes);

} // namespace rankscope
