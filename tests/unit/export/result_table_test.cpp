// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/result_table.h"

#include "core/export/csv.h"
#include "core/export/json.h"

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>

namespace rankscope {

namespace {

ResultTable sample() {
  ResultTable table("sample", {{"rank", Unit::Identity},
                               {"name", Unit::Text},
                               {"time_us", Unit::Nanoseconds},
                               {"share_pct", Unit::Percent},
                               {"ratio", Unit::Ratio}});
  table.addRow(
      {std::int64_t{3}, std::string_view("a,\"b\""), std::int64_t{9'007'199'254'740'993}, 100.0 / 3, 1e-3});
  table.addRow({std::int64_t{0}, Cell(), Cell(), Cell(), -0.0});
  return table;
}

} // namespace

TEST(ResultTable, keepsWhatWasPutIn) {
  const ResultTable table = sample();
  ASSERT_EQ(table.rowCount(), 2U);
  EXPECT_EQ(table.at(0, 0), Cell(std::int64_t{3}));
  EXPECT_EQ(table.at(0, 1), Cell(std::string_view("a,\"b\"")));
  EXPECT_EQ(table.at(0, 3), Cell(100.0 / 3));
  EXPECT_TRUE(table.isEmpty(1, 2));
  EXPECT_EQ(table.at(1, 2), Cell());
  EXPECT_EQ(table.columnNamed("ratio"), 4U);
  EXPECT_FALSE(table.columnNamed("none"));
}

TEST(ResultTable, nanosecondsBeyondADoubleStayExact) {
  EXPECT_EQ(exactText(sample(), 0, 2), "9007199254740.993");
}

TEST(ResultTable, numbersHaveNoZerosThatSayNothing) {
  EXPECT_EQ(exactText(sample(), 0, 3), "33.333");
  EXPECT_EQ(exactText(sample(), 0, 4), "0.001");
  EXPECT_EQ(exactText(sample(), 1, 4), "0");
}

TEST(ResultTable, aNumberThatIsNoneIsAnEmptyCell) {
  ResultTable table("t", {{"x", Unit::Ratio}});
  table.addRow({std::numeric_limits<double>::infinity()});
  table.addRow({std::numeric_limits<double>::quiet_NaN()});
  EXPECT_TRUE(table.isEmpty(0, 0));
  EXPECT_TRUE(table.isEmpty(1, 0));
}

TEST(ResultTable, textsSurviveAMoveAndManyRows) {
  ResultTable table("t", {{"name", Unit::Text}});
  for (int i = 0; i < 1000; ++i) table.addRow({std::string_view(std::to_string(i % 100))});
  const ResultTable moved = std::move(table);
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(exactText(moved, i, 0), std::to_string(i % 100));
}

TEST(Csv, writesRfc4180) {
  EXPECT_EQ(toCsv(sample()), "rank,name,time_us,share_pct,ratio\r\n"
                             "3,\"a,\"\"b\"\"\",9007199254740.993,33.333,0.001\r\n"
                             "0,,,,0\r\n");
}

TEST(Csv, quotesWhatWouldBreakALine) {
  EXPECT_EQ(csvTextField("plain"), "plain");
  EXPECT_EQ(csvTextField("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csvTextField("a\rb"), "\"a\rb\"");
  EXPECT_EQ(csvTextField(""), "");
}

TEST(Csv, makesFormulasHarmless) {
  EXPECT_EQ(csvTextField("=1+1"), "'=1+1");
  EXPECT_EQ(csvTextField("+x"), "'+x");
  EXPECT_EQ(csvTextField("-x"), "'-x");
  EXPECT_EQ(csvTextField("-33.5"), "-33.5") << "a number is no formula";
  EXPECT_EQ(csvTextField("-33.5+1"), "'-33.5+1");
  EXPECT_EQ(csvTextField("+5"), "'+5");
  EXPECT_EQ(csvTextField("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csvTextField("\tx"), "'\tx");
  EXPECT_EQ(csvTextField("\rx"), "\"'\rx\"");
  EXPECT_EQ(csvTextField("\nx"), "\"'\nx\"");
  EXPECT_EQ(csvTextField("=HYPERLINK(\"x\",1)"), "\"'=HYPERLINK(\"\"x\"\",1)\"");
  EXPECT_EQ(csvTextField("a=b"), "a=b");
}

TEST(Csv, aNegativeNumberIsNoFormula) {
  ResultTable table("t", {{"offset_us", Unit::Nanoseconds}});
  table.addRow({std::int64_t{-1500}});
  EXPECT_EQ(toCsv(table), "offset_us\r\n-1.5\r\n");
}

TEST(Json, writesAnArrayOfObjects) {
  EXPECT_EQ(
      toJson(sample()),
      "[\n"
      "  {\"rank\": 3, \"name\": \"a,\\\"b\\\"\", \"time_us\": 9007199254740.993, \"share_pct\": 33.333, "
      "\"ratio\": 0.001},\n"
      "  {\"rank\": 0, \"name\": null, \"time_us\": null, \"share_pct\": null, \"ratio\": 0}\n"
      "]\n");
  EXPECT_EQ(toJson(ResultTable("t", {{"x", Unit::Text}})), "[]\n");
}

TEST(Json, escapesWhatAStringMayNotHold) {
  EXPECT_EQ(jsonString("a\"\\/\n\t\r"), "\"a\\\"\\\\/\\n\\t\\r\"");
  EXPECT_EQ(jsonString(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(jsonString("µ\xff"), "\"µ\xef\xbf\xbd\"");
}

TEST(Json, writerNestsAndSeparates) {
  JsonWriter json;
  json.beginObject();
  json.text("a", "x");
  json.beginArray("b");
  json.integer({}, 1);
  json.literal({}, "2.5");
  json.endArray();
  json.beginArray("c");
  json.endArray();
  json.null("d");
  json.endObject();
  EXPECT_EQ(json.take(),
            "{\n  \"a\": \"x\",\n  \"b\": [\n    1,\n    2.5\n  ],\n  \"c\": [],\n  \"d\": null\n}\n");
}

} // namespace rankscope
