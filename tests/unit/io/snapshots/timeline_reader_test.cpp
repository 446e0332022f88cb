// SPDX-License-Identifier: GPL-3.0-or-later
// Memory timelines of real jobs against figures of an independent reading. Covers core/model/memory_timeline.
#include "core/io/snapshots/timeline_reader.h"

#include "tests/unit/io/snapshots/memory_oracles.h"

#include <array>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using test::fileOf;
using test::memoryFolder;
using test::Oracle;
using test::oraclesEnding;

} // namespace

TEST(TimelineReader, equalsTheFiguresOfRealTimelines) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(memoryFolder()), test::kNoRecordings);
  std::size_t compared = 0;
  for (const std::string& name : oraclesEnding(".oracle.json")) {
    const Oracle oracle(name + ".oracle.json");
    if (oracle.at({"form"}) == kNoValue) continue;
    SCOPED_TRACE(name);
    // "paired_adam.timeline.json" is timeline.json in the folder paired_adam.
    fs::path path = fileOf(name);
    if (path.empty())
      path = memoryFolder() / "timelines" / name.substr(0, name.find('.')) / name.substr(name.find('.') + 1);
    const auto read = readMemoryTimeline(path.string());
    ASSERT_TRUE(read.ok()) << read.error().text();
    const std::int64_t unit = read->raw ? 1 : 1000;
    const ValueTree& values = oracle.values();
    EXPECT_EQ(read->raw, values.text(oracle.at({"form"})) == "raw");
    EXPECT_EQ(static_cast<std::int64_t>(read->rows), oracle.integer({read->raw ? "rows" : "points"}));
    EXPECT_EQ(read->points.front().time, oracle.integer({read->raw ? "first_ns" : "first_us"}) * unit);
    EXPECT_EQ(read->points.back().time, oracle.integer({read->raw ? "last_ns" : "last_us"}) * unit);
    if (read->raw) {
      EXPECT_EQ(read->preexisting, oracle.integer({"preexisting_bytes"}));
      EXPECT_EQ(static_cast<std::int64_t>(read->timesWithNegative),
                oracle.integer({"times_with_a_negative_category"}));
      EXPECT_EQ(static_cast<std::int64_t>(read->stepsBack), oracle.integer({"unsorted"}));
    }
    const TimelinePoint& peak = read->points[read->peak];
    EXPECT_EQ(peak.total(), oracle.integer({"peak", "bytes"}));
    EXPECT_EQ(peak.time, oracle.integer({"peak", read->raw ? "time_ns" : "time_us"}) * unit);
    static constexpr std::array<std::string_view, kTimelineCategories> kNames{
        "PARAMETER",  "OPTIMIZER_STATE", "INPUT",           "TEMPORARY",
        "ACTIVATION", "GRADIENT",        "AUTOGRAD_DETAIL", "Unknown"};
    for (std::size_t c = 0; c < kTimelineCategories; ++c) {
      // Categories that never come are not listed.
      const auto expected = [&](ValueId of) {
        return values.integer(values.member(of, kNames[c])).value_or(0);
      };
      EXPECT_EQ(peak.bytes[c], expected(oracle.at({"peak", "by_category"}))) << kNames[c];
      EXPECT_EQ(read->largest[c], expected(oracle.at({"max_by_category"}))) << kNames[c];
      EXPECT_EQ(read->points.back().bytes[c], expected(oracle.at({"end"}))) << kNames[c];
    }
    ++compared;
  }
  EXPECT_GE(compared, 9U);
}

} // namespace rankscope
