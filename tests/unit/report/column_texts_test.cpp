// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of columns. Covers core/report/compare_column_texts, too.
#include "core/report/column_texts.h"

#include "core/report/compare_column_texts.h"
#include "core/report/compare_tables.h"
#include "core/report/tables.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

void expectTexts(const ResultTable& table) {
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const std::string& column = table.columns()[i].name;
    const std::string title = columnTitle(table, i);
    const std::string definition = columnDefinition(table.name(), column);
    EXPECT_FALSE(title.empty()) << table.name() << '.' << column;
    EXPECT_EQ(title.find('_'), std::string::npos) << title;
    EXPECT_GT(definition.size(), 2U) << table.name() << '.' << column;
    EXPECT_EQ(definition.find_first_of("`]|"), std::string::npos) << definition;
  }
}

TEST(ColumnTexts, everyColumnOfEveryTableHasATitleAndADefinition) {
  HandMadeJob job;
  job.add(0, HandMadeRank());
  const JobReport report(std::make_shared<const Analysis>(job.build()));
  for (const TableSpec& spec : tableSpecs()) expectTexts(spec.make(report));
  const Comparison comparison;
  for (const CompareTableSpec& spec : compareTableSpecs()) {
    expectTexts(spec.make(comparison));
    EXPECT_FALSE(compareTableTitle(spec.name).empty()) << spec.name;
  }
}

TEST(ColumnTexts, titlesHaveNoUnitButWherePercentStandsBesideATime) {
  const ResultTable table("ranks", {{"gpu_busy_us", Unit::Nanoseconds},
                                    {"overlap_us", Unit::Nanoseconds},
                                    {"overlap_pct", Unit::Percent},
                                    {"sm_efficiency_pct", Unit::Percent}});
  EXPECT_EQ(columnTitle(table, 0), "GPU busy");
  EXPECT_EQ(columnTitle(table, 1), "Overlap");
  EXPECT_EQ(columnTitle(table, 2), "Overlap in %");
  EXPECT_EQ(columnTitle(table, 3), "SM efficiency");
}

TEST(ColumnTexts, definitionsAreThoseOfTheGuide) {
  EXPECT_EQ(columnDefinition("kernels", "total_us"), "sum of durations over all streams");
  // A table that the guide does not list means what the one of the most similar name means.
  EXPECT_EQ(columnDefinition("kernel_totals", "total_us"), columnDefinition("kernels", "total_us"));
  EXPECT_EQ(columnDefinition("ranks", "no_such_column"), "");
  EXPECT_NE(columnDefinition("compare_kernels", "delta_us"),
            columnDefinition("compare_findings", "delta_us"));
}

TEST(ColumnTexts, idsAreShownAsWords) {
  ResultTable kernels("compare_kernels", {{"kernel_a", Unit::Text},
                                          {"matched_by", Unit::Text},
                                          {"a_calls", Unit::Ratio},
                                          {"b_calls", Unit::Ratio},
                                          {"delta_us", Unit::Nanoseconds}});
  kernels.addRow({Cell("no_template"), Cell("no_template"), Cell(3.0), Cell(2.5), Cell(std::int64_t{1500})});
  EXPECT_EQ(shownText(kernels, 0, 0), "no_template") << "a recorded name";
  EXPECT_EQ(shownText(kernels, 0, 1), "name without template");
  EXPECT_EQ(shownText(kernels, 0, 2), "3");
  EXPECT_EQ(shownText(kernels, 0, 3), "2.50");
  EXPECT_EQ(shownText(kernels, 0, 4), "+1.50 µs");
  ResultTable gaps("gaps", {{"cause", Unit::Text}, {"leaf", Unit::Text}, {"kept", Unit::Identity}});
  gaps.addRow({Cell("host_operators"), Cell("host.input"), Cell(std::int64_t{1})});
  EXPECT_EQ(shownText(gaps, 0, 0), "host operators");
  EXPECT_EQ(shownText(gaps, 0, 1), "DataLoader");
  EXPECT_EQ(shownText(gaps, 0, 2), "yes");
  ResultTable path("critical_path_summary", {{"by", Unit::Text}, {"key", Unit::Text}});
  path.addRow({Cell("category"), Cell("kernel_gap")});
  path.addRow({Cell("operator"), Cell("c10d::alltoall_base")});
  EXPECT_EQ(shownText(path, 0, 1), "kernel gap");
  EXPECT_EQ(shownText(path, 1, 1), "c10d::alltoall_base");
  ResultTable whatIf("what_if", {{"scenario", Unit::Text}});
  whatIf.addRow({Cell("no_gap=host.input")});
  EXPECT_EQ(shownText(whatIf, 0, 0), "No gaps: DataLoader");
}

} // namespace
} // namespace rankscope
