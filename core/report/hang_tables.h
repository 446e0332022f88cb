// SPDX-License-Identifier: GPL-3.0-or-later
// Flight Recorder dumps as a table and as sentences: how far each rank is in each group, and who makes the
// job hang.
#pragma once

#include "core/export/result_table.h"
#include "core/report/side_results.h"

#include <string>
#include <vector>

namespace rankscope {

class JobReport;

[[nodiscard]] ResultTable flightRecorderTable(const JobReport& report);
// REQUIRES: results.hang.
[[nodiscard]] ResultTable flightRecorderTable(const SideResults& results);

// "0-3, 8": ranks as text. REQUIRES: sorted.
[[nodiscard]] std::string rankListText(const std::vector<int>& ranks);

// "collective not called", for people.
[[nodiscard]] std::string_view hangVerdictTitle(HangVerdict verdict);

// What happened, in a sentence per problem; one sentence if nothing can be said. REQUIRES: results.hang.
[[nodiscard]] std::vector<std::string> hangSentences(const SideResults& results);
// What to do next, by what was found.
[[nodiscard]] std::vector<std::string> hangAdvice(const HangAnalysis& hang);

// For people: sentences, culprits, who waits for whom, stacks. REQUIRES: results.hang.
[[nodiscard]] std::string hangText(const SideResults& results);
// The same and the table as JSON.
[[nodiscard]] std::string hangJson(const SideResults& results);

} // namespace rankscope
