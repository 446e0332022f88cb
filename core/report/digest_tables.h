// SPDX-License-Identifier: GPL-3.0-or-later
// What of a job can be asked when some of its ranks are digests, and why the rest cannot. Pure functions.
#pragma once

#include "core/report/tables.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Why a table needs the events of the ranks; empty if a digest is enough.
[[nodiscard]] std::string_view neededForTable(std::string_view table);
// Whether it needs those of all ranks, also for some of them: it replays the whole job.
[[nodiscard]] bool needsAllRanks(std::string_view table);

// Whether it reads single events, of which a digest has what was asked when it was made
// (core/report/rank_questions.h).
[[nodiscard]] bool isAnswered(std::string_view table);

// The same for a job: empty if its ranks are no digests, or the events that it takes were read.
[[nodiscard]] std::string whyAbsent(const JobReport& report, const TableSpec& spec);

// The tables of which digests have only the largest rows, or a coarser curve: "gaps: only the longest 500 of
// each of 3 ranks".
[[nodiscard]] std::vector<std::string> shortenedTables(const JobReport& report,
                                                       std::span<const TableSpec* const> specs);

} // namespace rankscope
