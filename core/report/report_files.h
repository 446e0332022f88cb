// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a job as files in a folder, with a summary.json that lists them: the same bytes whichever
// program asks. Each file is replaced whole or not at all. Cost: making the tables.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/report/tables.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

enum class TableFormat : std::uint8_t { Csv, Json };

[[nodiscard]] std::string formattedTable(const ResultTable& table, TableFormat format);

// The folder with those above it, where it is not there yet; or why not.
[[nodiscard]] std::optional<Error> makeFolder(const std::string& folder);

// The names of what was written, in the order of specs, summary.json last; or the first that could not be.
// REQUIRES: the folder is there. Cancelled between tables; then the Error reports it.
[[nodiscard]] Result<std::vector<std::string>> writeReport(const JobReport& report, const std::string& folder,
                                                           std::span<const TableSpec* const> specs,
                                                           TableFormat format,
                                                           const Progress* progress = nullptr);

} // namespace rankscope
