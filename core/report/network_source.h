// SPDX-License-Identifier: GPL-3.0-or-later
// Where the analysis of a job's network gets its NCCL logs and tables from: the paths that the job was opened
// with. They are read when they are first asked for, once for all reports that share the input. Thread-safe.
#pragma once

#include "core/analysis/network/network_input.h"

#include <functional>
#include <string>
#include <vector>

namespace rankscope {

// mayRead: whether a file that was found may be read; null: all.
[[nodiscard]] NetworkInput networkInputOf(std::vector<std::string> paths, FabricSettings fabrics = {},
                                          std::function<bool(const std::string&)> mayRead = {});

} // namespace rankscope
