// SPDX-License-Identifier: GPL-3.0-or-later
// Flight Recorder dumps in a digest are the same, and damaged bytes are refused or safe.
#include "core/io/digest/flight_image.h"

#include "core/base/deflated.h"
#include "core/export/csv.h"
#include "core/model/side_files.h"
#include "core/report/hang_tables.h"
#include "core/report/side_results.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

FlightRecord someRecord() {
  FlightRecord record;
  record.path = "host:/dumps/nccl_trace_rank_1";
  record.rank = 1;
  record.bytes = 4096;
  record.written = 1'700'000'000'000'000'000;
  record.version = "2.9";
  record.libraryVersion = "2.21.5";
  record.groups.push_back({"0", "default_pg", {0, 1, 2}});
  record.status.push_back({0, 6, 6, 5});
  FlightEntry entry;
  entry.groupName = record.stacks.addText("0");
  entry.groupDesc = record.stacks.addText("default_pg");
  entry.operation = record.stacks.addText("all_reduce");
  entry.backend = record.stacks.addText("nccl");
  entry.inputSizes = entry.outputSizes = record.stacks.addText("[[8]]");
  entry.sequence = 6;
  entry.created = 1'699'999'999'000'000'000;
  entry.state = FlightState::Started;
  const StackFrame frame{record.stacks.addText("train.py"), record.stacks.addText("step"), 12};
  const std::uint32_t inner = record.stacks.addFrame(frame);
  const std::uint32_t outer =
      record.stacks.addFrame({record.stacks.addText("train.py"), record.stacks.addText("main"), 40});
  entry.stack = record.stacks.addStack(std::vector{inner, outer});
  record.entries.push_back(entry);
  return record;
}

std::string tablesOf(FlightRecord record) {
  auto files = std::make_shared<SideFiles>();
  files->flightRecords.push_back(std::move(record));
  const auto results = sideResults(std::move(files), 1);
  return toCsv(flightRecorderTable(*results)) + hangText(*results);
}

} // namespace

TEST(FlightImage, dumpsComeBack) {
  const FlightRecord record = someRecord();
  const auto again = unpackedFlight(packedFlight(record));
  ASSERT_TRUE(again);
  EXPECT_EQ(tablesOf(*again), tablesOf(record));
  EXPECT_NE(tablesOf(*again).find("train.py:12:step"), std::string::npos) << tablesOf(*again);
  EXPECT_EQ(packedFlight(*again), packedFlight(record));
  EXPECT_EQ(again->path, record.path);
  EXPECT_EQ(again->written, record.written);
  EXPECT_EQ(again->libraryVersion, "2.21.5");
}

TEST(FlightImage, alteredBytesAreRefusedOrSafe) {
  const std::string right = inflated(packedFlight(someRecord())).value();
  std::size_t refused = 0;
  std::size_t safe = 0;
  for (std::size_t at = 0; at < right.size(); ++at) {
    std::string bytes = right;
    bytes[at] ^= static_cast<char>(1U << (at % 8));
    auto record = unpackedFlight(deflated(bytes));
    ++(record ? safe : refused);
    if (!record) continue;
    record->rank = 1; // as given where dumps are placed
    EXPECT_FALSE(tablesOf(*std::move(record)).empty());
  }
  EXPECT_GT(refused, 0U);
  EXPECT_GT(safe, 0U);
  EXPECT_FALSE(unpackedFlight(""));
  EXPECT_FALSE(unpackedFlight(deflated(right + "x")));
  EXPECT_FALSE(unpackedFlight(deflated(right.substr(0, right.size() - 1))));
}

} // namespace rankscope
