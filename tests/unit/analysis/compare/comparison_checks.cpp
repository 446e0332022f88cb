// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/analysis/compare/comparison_checks.h"

#include "core/report/compare_tables.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string_view>

namespace rankscope::test {

namespace {

// Whether a column is a difference, and not of what cannot be exchanged.
bool isDifference(const std::string& name) {
  return name.starts_with("delta_") || name == "delta" || name == "contribution_us";
}

// The sum of a column of a table; empty cells count as nothing.
double sumOf(const ResultTable& table, std::size_t column) {
  double sum = 0;
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    const Cell cell = table.at(row, column);
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) sum += static_cast<double>(*whole);
    if (const auto* number = std::get_if<double>(&cell)) sum += *number;
  }
  return sum;
}

void expectCollectives(const Comparison& comparison) {
  for (const auto value :
       {&SideCollective::calls, &SideCollective::wait, &SideCollective::transfer, &SideCollective::exposed}) {
    double rowsA = 0;
    double rowsB = 0;
    for (const ComparedCollective& row : comparison.rows.collectives) {
      rowsA += row.ofA(value);
      rowsB += row.ofB(value);
    }
    double ofA = 0;
    double ofB = 0;
    for (const SideCollective& row : comparison.a.collectives) ofA += row.*value;
    for (const SideCollective& row : comparison.b.collectives) ofB += row.*value;
    EXPECT_NEAR(rowsA, ofA, 1e-6 * std::max(1.0, ofA));
    EXPECT_NEAR(rowsB, ofB, 1e-6 * std::max(1.0, ofB));
  }
}

} // namespace

void expectIdentities(const Comparison& comparison) {
  const WholeClasses whole = wholeClasses(comparison);
  TimeNs classesA = 0;
  TimeNs classesB = 0;
  TimeNs leavesA = 0;
  for (std::size_t i = 0; i < comparison.classes.size(); ++i) {
    const ComparedClass& row = comparison.classes[i];
    (row.leaf ? leavesA : classesA) += whole.a[i];
    if (!row.leaf) classesB += whole.b[i];
  }
  EXPECT_EQ(classesA, whole.stepA);
  EXPECT_EQ(leavesA, whole.stepA);
  EXPECT_EQ(classesB, whole.stepB);
  EXPECT_EQ(classesB - classesA, whole.stepB - whole.stepA);
  // What compute kernels own adds up to the class; without devices, what operators own. Whatever the rows
  // are.
  const auto sums = [&](const SideFacts& side) {
    double operators = 0;
    double kernels = 0;
    double modules = 0;
    for (const SideOperator& row : side.operators) operators += row.owned;
    for (const SideKernel& row : side.kernels) kernels += row.owned;
    for (const SideModule& row : side.modules) modules += row.owned;
    if (side.identity.hasDevices) {
      EXPECT_NEAR(operators, kernels, 1e-6 * std::max(1.0, kernels));
    } else {
      EXPECT_EQ(kernels, 0);
    }
    EXPECT_NEAR(modules, operators, 1e-6 * std::max(1.0, operators));
    return operators;
  };
  const double ownedA = sums(comparison.a);
  const double ownedB = sums(comparison.b);
  EXPECT_NEAR(ownedA, comparison.classes.front().a, 1);
  EXPECT_NEAR(ownedB, comparison.classes.front().b, 1);
  const bool devices = comparison.a.identity.hasDevices && comparison.b.identity.hasDevices;
  for (const char* name : {"compare_operators", "compare_modules", "compare_kernels"}) {
    if (devices || std::string_view(name) != "compare_kernels") {
      const ResultTable table = compareTableSpec(name)->make(comparison);
      const std::size_t column = table.columnNamed("contribution_us").value();
      TimeNs sum = 0;
      for (std::size_t row = 0; row < table.rowCount(); ++row)
        sum += std::get<std::int64_t>(table.at(row, column));
      EXPECT_EQ(sum, whole.b.front() - whole.a.front()) << name;
    }
  }
  // Nothing is dropped between a side and the rows.
  double rowsA = 0;
  double rowsB = 0;
  for (const ComparedKernel& row : comparison.rows.kernels) {
    rowsA += row.ofA(&SideKernel::time);
    rowsB += row.ofB(&SideKernel::time);
  }
  double timeA = 0;
  double timeB = 0;
  for (const SideKernel& row : comparison.a.kernels) timeA += row.time;
  for (const SideKernel& row : comparison.b.kernels) timeB += row.time;
  EXPECT_NEAR(rowsA, timeA, 1e-9 * std::max(1.0, timeA));
  EXPECT_NEAR(rowsB, timeB, 1e-9 * std::max(1.0, timeB));
  expectCollectives(comparison);
}

void expectNothing(const Comparison& comparison) {
  EXPECT_EQ(comparison.verdict, Verdict::NoChange);
  for (const ComparedClass& row : comparison.classes) EXPECT_EQ(row.delta(), 0);
  for (const ComparedOperator& row : comparison.rows.operators) {
    EXPECT_EQ(row.delta(&SideOperator::owned), 0);
    EXPECT_EQ(row.delta(&SideOperator::hostSelf), 0);
  }
  for (const ComparedKernel& row : comparison.rows.kernels) EXPECT_EQ(row.delta(&SideKernel::time), 0);
  for (const ComparedFinding& row : comparison.rows.findings) EXPECT_EQ(row.state, FindingState::Same);
  // Every difference of every table.
  for (const CompareTableSpec& spec : compareTableSpecs()) {
    const ResultTable table = spec.make(comparison);
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      const std::string& name = table.columns()[column].name;
      const bool effect = name == "count_effect_us" || name == "speed_effect_us";
      if (!isDifference(name) && !effect) continue;
      for (std::size_t row = 0; row < table.rowCount(); ++row) {
        const std::string text = exactText(table, row, column);
        EXPECT_TRUE(text.empty() || text == "0")
            << spec.name << " " << name << " row " << row << ": " << text;
      }
    }
    const auto matched = table.columnNamed("matched_by");
    for (std::size_t row = 0; matched && row < table.rowCount(); ++row)
      EXPECT_FALSE(exactText(table, row, *matched).starts_with("only_")) << spec.name << " row " << row;
  }
}

void expectNegated(const Comparison& forth, const Comparison& back) {
  EXPECT_NEAR(forth.delta(), -back.delta(), 1e-6);
  ASSERT_EQ(forth.classes.size(), back.classes.size());
  for (std::size_t i = 0; i < forth.classes.size(); ++i)
    EXPECT_NEAR(forth.classes[i].delta(), -back.classes[i].delta(), 1e-6);
  ASSERT_EQ(forth.rows.kernels.size(), back.rows.kernels.size());
  const auto total = [](const Comparison& comparison) {
    double sum = 0;
    for (const ComparedKernel& row : comparison.rows.kernels) sum += row.delta(&SideKernel::time);
    return sum;
  };
  EXPECT_NEAR(total(forth), -total(back), 1e-3);
  for (const CompareTableSpec& spec : compareTableSpecs()) {
    const ResultTable one = spec.make(forth);
    const ResultTable other = spec.make(back);
    for (std::size_t column = 0; column < one.columns().size(); ++column) {
      const std::string& name = one.columns()[column].name;
      // Not of percentages, which have another base.
      if (!isDifference(name) || name.ends_with("_pct")) continue;
      const double sum = sumOf(one, column);
      // A nanosecond for each row that is rounded.
      const double error = static_cast<double>(one.rowCount() + other.rowCount()) + 1e-9 * std::abs(sum);
      EXPECT_NEAR(sum, -sumOf(other, column), error) << spec.name << " " << name;
    }
  }
}

} // namespace rankscope::test
