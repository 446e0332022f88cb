// SPDX-License-Identifier: GPL-3.0-or-later
// The tables that the project promises by name, made from an analyzed job: the same rows for a panel, a CSV
// and a JSON file. Every table with a rank has the capture after it. Rows are sorted by rank, then by the
// largest time; points of time begin at the job's first event. Same input, same rows, whatever the number of
// threads. core/report stands to the right of analysis and export and may include both.
#pragma once

#include "core/export/result_table.h"
#include "core/report/job_report.h"

#include <span>
#include <string_view>

namespace rankscope {

struct TableSpec {
  std::string_view name;
  ResultTable (*make)(const JobReport&); // never null
  // What it is made from, for prepareTable:
  void (*ofRank)(const Analysis&, RankIndex); // of each rank; null: nothing
  bool clocks = false;                        // points of time, or what ranks do together
  bool everything = false;                    // all of the above and more
  bool account = false;                       // what the steps were spent on
  bool flops = false;                         // what operators computed
  bool whatIf = false;                        // the graph of the job
};

// All promised tables in the order in which a report lists them.
[[nodiscard]] std::span<const TableSpec> tableSpecs();
// Null for a name that is no table.
[[nodiscard]] const TableSpec* tableSpec(std::string_view name);
// Computes what the table is made from, and nothing else, on up to threadCount threads. The table is the same
// without it, made on one.
void prepareTable(const JobReport& report, const TableSpec& spec, unsigned threadCount);

[[nodiscard]] ResultTable filesTable(const Analysis& analysis);
[[nodiscard]] ResultTable ranksTable(const Analysis& analysis);
[[nodiscard]] ResultTable kernelsTable(const Analysis& analysis);
// The same without rank and capture: one row per name and kind over all recordings, by total. Costs a pass
// over the device events.
[[nodiscard]] ResultTable kernelTotalsTable(const Analysis& analysis);

} // namespace rankscope
