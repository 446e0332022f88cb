// SPDX-License-Identifier: GPL-3.0-or-later
// What NCCL and nccl-tests wrote beside a job. Immutable after reading.
#pragma once

#include "core/model/nccl_log.h"
#include "core/model/nccl_tests.h"

#include <string>
#include <vector>

namespace rankscope {

struct NcclRecords {
  NcclLog log;
  std::vector<NcclTestTable> tables;
  std::vector<std::string> paths; // of all files read, logs and tables

  [[nodiscard]] bool empty() const { return log.empty() && tables.empty(); }
};

} // namespace rankscope
