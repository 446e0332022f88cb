// SPDX-License-Identifier: GPL-3.0-or-later
// Registry of the exported tables. Window, CSV and JSON have the same rows. Every table with a rank has the
// capture next to it. Rows are sorted by rank, then by the largest time; times are relative to the job's
// first event. The result does not depend on the number of threads. core/report may include both analysis and
// export.
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
  bool nccl = false;                          // NCCL logs alone; without them it has no rows
  bool memoryRoles = false;                   // what memory is used for
  bool parallel = false;                      // how the job is divided
};

// All tables in the order of a report.
[[nodiscard]] std::span<const TableSpec> tableSpecs();
// Null if there is no table with this name.
[[nodiscard]] const TableSpec* tableSpec(std::string_view name);
// Computes only the inputs of the table on up to threadCount threads. Optional: without it, `make` computes
// them on one thread.
void prepareTable(const JobReport& report, const TableSpec& spec, unsigned threadCount);

[[nodiscard]] ResultTable filesTable(const Analysis& analysis);
[[nodiscard]] ResultTable ranksTable(const Analysis& analysis);
[[nodiscard]] ResultTable kernelsTable(const Analysis& analysis);
// kernelsTable without rank and capture: one row per name and kind over all recordings, by total. A pass over
// device events.
[[nodiscard]] ResultTable kernelTotalsTable(const Analysis& analysis);

} // namespace rankscope
