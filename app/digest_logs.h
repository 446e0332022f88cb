// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of NCCL that lie on several hosts, read by the first process as if they lay on its own.
#pragma once

#include "app/digest_plan.h"
#include "app/digest_team.h"
#include "core/model/nccl_records.h"

#include <memory>
#include <span>

namespace rankscope {

// Each process sends the text of its logs, in parts of at most 16 MiB, in this order. logs: the same at all
// processes. At the first process what they say; null at the others, and without logs.
[[nodiscard]] std::shared_ptr<const NcclRecords> readLogs(std::span<const DigestFile> logs, DigestTeam& team);

} // namespace rankscope
