// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/cell_text.h"

#include <gtest/gtest.h>
#include <string_view>

namespace rankscope {

TEST(CellText, goesByTheUnit) {
  const Cell number{std::int64_t{1'234'567}};
  EXPECT_EQ(cellText(number, Unit::Identity), "1234567") << "a name is not grouped";
  EXPECT_EQ(cellText(number, Unit::Count), "1 234 567");
  EXPECT_EQ(cellText(number, Unit::Nanoseconds), "1.23 ms");
  EXPECT_EQ(cellText(number, Unit::Bytes), "1.2 MiB");
  EXPECT_EQ(cellText(Cell{83.14}, Unit::Percent), "83.1 %");
  EXPECT_EQ(cellText(Cell{12.1}, Unit::GigabytesPerSecond), "12.1 GB/s");
  EXPECT_EQ(cellText(Cell{std::string_view("void gemm()")}, Unit::Text), "void gemm()");
}

TEST(CellText, showsSmallRatiosFiner) {
  EXPECT_EQ(cellText(Cell{1.04}, Unit::Ratio), "1.04");
  EXPECT_EQ(cellText(Cell{-1.04}, Unit::Ratio), "-1.04");
  EXPECT_EQ(cellText(Cell{10.04}, Unit::Ratio), "10.0");
}

TEST(CellText, ofWhatIsUnknownIsADashAndOfZeroZero) {
  for (const Unit unit : {Unit::Text, Unit::Count, Unit::Nanoseconds, Unit::Percent})
    EXPECT_EQ(cellText(Cell(), unit), "–");
  EXPECT_EQ(cellText(Cell{std::int64_t{0}}, Unit::Count), "0");
  EXPECT_EQ(cellText(Cell{0.0}, Unit::Percent), "0 %");
}

TEST(CellText, ofATableTakesTheColumnsUnit) {
  ResultTable table("t", {{"rank", Unit::Identity}, {"bytes", Unit::Bytes}});
  table.addRow({Cell{std::int64_t{1024}}, Cell{std::int64_t{1024}}});
  EXPECT_EQ(cellText(table, 0, 0), "1024");
  EXPECT_EQ(cellText(table, 0, 1), "1.0 KiB");
}

} // namespace rankscope
