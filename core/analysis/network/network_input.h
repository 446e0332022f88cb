// SPDX-License-Identifier: GPL-3.0-or-later
// What the network of a job is computed from besides its traces.
#pragma once

#include "core/analysis/hardware/fabrics.h"
#include "core/model/nccl_records.h"

#include <functional>
#include <memory>
#include <vector>

namespace rankscope {

// Fabrics that the user named, instead of those that are recognized.
struct FabricSettings {
  std::vector<FabricChoice> chosen;
};

struct NetworkInput {
  // Reads the NCCL logs and tables of the job when they are first asked for; null, or returns null, if there
  // are none.
  std::function<std::shared_ptr<const NcclRecords>()> records;
  FabricSettings fabrics;
};

} // namespace rankscope
