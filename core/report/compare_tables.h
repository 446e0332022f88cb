// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a comparison: the same rows for the tab, the command line and files. Times are of a kept
// step, delta is B less A, an empty cell is what a side does not have. Whole nanoseconds add up: leaves to
// classes, classes to the step, contributions to the difference of the class compute.
#pragma once

#include "core/analysis/compare/comparison.h"
#include "core/export/result_table.h"

#include <span>
#include <string_view>
#include <vector>

namespace rankscope {

struct CompareTableSpec {
  std::string_view name; // "compare_classes"
  std::string_view by;   // the word of --by; empty: none
  ResultTable (*make)(const Comparison&);
};

// All of them, in the order in which a report lists them.
[[nodiscard]] std::span<const CompareTableSpec> compareTableSpecs();
[[nodiscard]] const CompareTableSpec* compareTableSpec(std::string_view name);

[[nodiscard]] ResultTable compareSummaryTable(const Comparison& comparison);
[[nodiscard]] ResultTable compareClassesTable(const Comparison& comparison);
[[nodiscard]] ResultTable compareStepsTable(const Comparison& comparison);
// figure, value; the row `verdict` has its word.
[[nodiscard]] ResultTable compareStatisticsTable(const Comparison& comparison);
[[nodiscard]] ResultTable compareModulesTable(const Comparison& comparison);
[[nodiscard]] ResultTable compareOperatorsTable(const Comparison& comparison);
[[nodiscard]] ResultTable compareKernelsTable(const Comparison& comparison);
[[nodiscard]] ResultTable compareCollectivesTable(const Comparison& comparison);
[[nodiscard]] ResultTable compareRanksTable(const Comparison& comparison);
[[nodiscard]] ResultTable compareFindingsTable(const Comparison& comparison);

// Whole numbers next to the values that add up to `total`: the largest remainders are rounded away.
[[nodiscard]] std::vector<TimeNs> wholeParts(std::span<const double> values, TimeNs total);

// The classes' and leaves' times in whole nanoseconds, by place in Comparison::classes.
struct WholeClasses {
  TimeNs stepA = 0;
  TimeNs stepB = 0;
  std::vector<TimeNs> a;
  std::vector<TimeNs> b;
};
[[nodiscard]] WholeClasses wholeClasses(const Comparison& comparison);

} // namespace rankscope
