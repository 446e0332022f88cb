// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the tables of a job as files to a folder, with a summary.json that lists them. Window and command
// line write the same bytes. Each file is written completely or not at all. Cost: making the tables.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/report/accepted_findings.h"
#include "core/report/job_part.h"
#include "core/report/tables.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

enum class TableFormat : std::uint8_t { Csv, Json };

[[nodiscard]] std::string formattedTable(const ResultTable& table, TableFormat format);

// Creates the folder and its parents if needed. Returns the error, or empty.
[[nodiscard]] std::optional<Error> makeFolder(const std::string& folder);

// The table as files and standard output have it: findings that are accepted are marked.
[[nodiscard]] ResultTable markedTable(const JobReport& report, const TableSpec& spec,
                                      std::span<const AcceptedFinding> accepted);

// Names of the written files in the order of specs, summary.json last; or the first error. Can be cancelled
// between tables, which gives an Error as well. part: what the report is of. REQUIRES: the folder exists.
[[nodiscard]] Result<std::vector<std::string>>
writeReport(const JobReport& report, const std::string& folder, std::span<const TableSpec* const> specs,
            TableFormat format, std::span<const AcceptedFinding> accepted = {}, const JobPart& part = {},
            const Progress* progress = nullptr);

// The tables of a whole report: all, without those of NCCL logs where there are none.
[[nodiscard]] std::vector<const TableSpec*> reportTables(const JobReport& report);

} // namespace rankscope
