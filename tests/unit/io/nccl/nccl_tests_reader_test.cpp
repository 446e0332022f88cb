// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nccl/nccl_tests_reader.h"

#include "core/io/nccl/nccl_files.h"
#include "tests/support/flat_json.h"
#include "tests/support/shared_data.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace rankscope {

namespace fs = std::filesystem;
using test::FlatJson;

TEST(NcclTests, tablesAreAsCounted) {
  const fs::path folder = test::sharedFolder() / "nccl";
  RANKSCOPE_SKIP_UNLESS(fs::exists(folder / "fits.json"), test::kNoRecordings);
  const FlatJson::Values fits = FlatJson::of(folder / "fits.json");
  const std::map<std::string, std::string> operations{{"all_reduce", "AllReduce"},
                                                      {"all_gather", "AllGather"},
                                                      {"alltoall", "AllToAll"},
                                                      {"reduce_scatter", "ReduceScatter"}};
  std::size_t tables = 0;
  for (; fits.contains(std::to_string(tables) + "|file"); ++tables) {
    const auto of = [&](const std::string& name) { return fits.at(std::to_string(tables) + "|" + name); };
    const NcclRecords records = readNcclFiles({(folder / "tests" / of("file")).string()});
    ASSERT_EQ(records.tables.size(), 1U) << of("file");
    const NcclTestTable& table = records.tables[0];
    EXPECT_EQ(table.operation, operations.at(of("op"))) << table.name;
    // The runs without a header say their ranks only by the ratio of bandwidths.
    if (of("hosts") != "0") {
      EXPECT_EQ(std::to_string(table.hosts), of("hosts")) << table.name;
    }
    if (of("hosts") != "0" || table.ranks > 0) {
      EXPECT_EQ(std::to_string(table.ranks), of("ranks")) << table.name;
    }
    EXPECT_EQ(table.gpu, of("gpu")) << table.name;
    std::set<std::int64_t> sizes;
    for (const NcclTestRow& row : table.rows)
      if (row.bytes > 0) sizes.insert(row.bytes);
    EXPECT_EQ(std::to_string(sizes.size()), of("points")) << table.name;
    EXPECT_EQ(std::to_string(*sizes.begin()), of("smin"));
    EXPECT_EQ(std::to_string(*sizes.rbegin()), of("smax"));
    EXPECT_EQ(table.skippedRows, 0U) << table.name;
  }
  EXPECT_EQ(tables, 15U);
}

TEST(NcclTests, aRowThatLogLinesCutIsPutTogether) {
  const std::string log = "38dcf168f605:1391:1391 [0] NCCL INFO AllReduce: 8 Bytes -> Algo RING proto LL\n";
  const NcclRecords records = readNcclText("g4.log", log + "# size count type redop root time algbw busbw\n" +
                                                         "   268435456  67108864  float  sum      -1" + log +
                                                         "  1185.50  226.43  339.65       0" + log +
                                                         "  1180.10  227.10  340.60       0\n");
  ASSERT_EQ(records.tables.size(), 1U);
  ASSERT_EQ(records.tables[0].rows.size(), 1U);
  EXPECT_DOUBLE_EQ(records.tables[0].rows[0].timeUs, 1185.5);
  EXPECT_EQ(records.tables[0].rows[0].inPlaceUs, 1180.1);
  EXPECT_EQ(records.log.processes.size(), 1U) << "what is left of the row is no part of the host's name";
}

TEST(NcclTests, damagedRowsAreCounted) {
  NcclTestsReader reader("x.txt");
  reader.line("# size count type redop root time algbw busbw");
  reader.line("  8  2  float  sum  -1  nan  0.1  0.2  0");
  reader.line("  16  4  float  sum  -1  10.5  0.1  0.2  0");
  reader.line("  32  8  float");
  const auto tables = reader.finish();
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].rows.size(), 1U);
  EXPECT_EQ(tables[0].skippedRows, 2U);
  EXPECT_TRUE(NcclTestsReader("empty.txt").finish().empty());
}

TEST(NcclTests, operationsAreKnownByTheNameOfTheProgram) {
  EXPECT_EQ(operationInName("all_reduce_perf"), "AllReduce");
  EXPECT_EQ(operationInName("./build/reduce_scatter_perf -b 8"), "ReduceScatter");
  EXPECT_EQ(operationInName("alltoall_output.dat"), "AllToAll");
  EXPECT_EQ(operationInName("notes"), "");
}

} // namespace rankscope
