// SPDX-License-Identifier: GPL-3.0-or-later
// Flight Recorder dumps as a table and as sentences: how far each rank is in each group, and who makes the
// job hang.
#pragma once

#include "core/export/result_table.h"
#include "core/report/side_results.h"

#include <cstddef>
#include <string>
#include <vector>

namespace rankscope {

class JobReport;

[[nodiscard]] ResultTable flightRecorderTable(const JobReport& report);
// REQUIRES: results.hang.
[[nodiscard]] ResultTable flightRecorderTable(const SideResults& results);

// "0-3, 8": ranks as text. REQUIRES: sorted.
[[nodiscard]] std::string rankListText(const std::vector<int>& ranks);

// "all_reduce", "send 0→3", "recv 3←0": the ranks of transfers are places in their group.
[[nodiscard]] std::string flightCallName(const FlightRecord& record, const FlightEntry& entry);

// "collective not called", for people.
[[nodiscard]] std::string_view hangVerdictTitle(HangVerdict verdict);

// Ranks of which no whole dump is there, each sorted. Only those that left none may have died before.
struct MissingDumps {
  std::vector<int> none;
  std::vector<int> damaged; // there, and cannot be read
  std::vector<int> cut;     // read in part
  std::vector<int> unclear; // whole, but not saying which of its counts are of which group
};
// Of all ranks. REQUIRES: results.hang.
[[nodiscard]] MissingDumps missingDumps(const SideResults& results);

// A rank whose dump cannot be read is unknown, not one without a dump.
[[nodiscard]] HangVerdict shownVerdict(const SideResults& results, const HangMember& member);

// What happened, in a sentence per problem; one sentence if nothing can be said. REQUIRES: results.hang.
[[nodiscard]] std::vector<std::string> hangSentences(const SideResults& results);
// What to do next, by what was found. REQUIRES: results.hang.
[[nodiscard]] std::vector<std::string> hangAdvice(const SideResults& results);

// For people: sentences, culprits, who waits for whom, stacks. dumpsOfOtherJobs: that were found and are not
// in the results. REQUIRES: results.hang.
[[nodiscard]] std::string hangText(const SideResults& results, std::size_t dumpsOfOtherJobs = 0);
// The same and the table as JSON.
[[nodiscard]] std::string hangJson(const SideResults& results, std::size_t dumpsOfOtherJobs = 0);

} // namespace rankscope
