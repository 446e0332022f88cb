// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/analysis/compare/comparison_checks.h"

#include "core/report/compare_tables.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace rankscope::test {

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
  // What compute kernels own adds up to the class; whatever the rows are.
  const auto sums = [&](const SideFacts& side) {
    double operators = 0;
    double kernels = 0;
    double modules = 0;
    for (const SideOperator& row : side.operators) operators += row.owned;
    for (const SideKernel& row : side.kernels) kernels += row.owned;
    for (const SideModule& row : side.modules) modules += row.owned;
    EXPECT_NEAR(operators, kernels, 1e-6 * std::max(1.0, kernels));
    EXPECT_NEAR(modules, kernels, 1e-6 * std::max(1.0, kernels));
    return kernels;
  };
  const double ownedA = sums(comparison.a);
  const double ownedB = sums(comparison.b);
  if (comparison.a.identity.hasDevices && comparison.b.identity.hasDevices) {
    EXPECT_NEAR(ownedA, comparison.classes.front().a, 1);
    EXPECT_NEAR(ownedB, comparison.classes.front().b, 1);
    for (const char* name : {"compare_operators", "compare_kernels", "compare_modules"}) {
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
}

} // namespace rankscope::test
