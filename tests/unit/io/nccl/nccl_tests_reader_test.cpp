// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nccl/nccl_tests_reader.h"

#include "core/io/nccl/nccl_files.h"
#include "tests/support/flat_json.h"
#include "tests/support/shared_data.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
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
    // One run printed wrong results: 2,752 out of place and 1,216 in place.
    const bool wrong = table.name == "alps-gh200-64r-allreduce.txt";
    EXPECT_EQ(std::ranges::count(table.rows, true, &NcclTestRow::wrong), wrong ? 1 : 0) << table.name;
    const NcclFile& file = records.log.files.at(0);
    EXPECT_EQ(file.problem, wrong ? "1 row of its table has wrong results" : "") << table.name;
    EXPECT_EQ(std::ranges::count_if(
                  file.damage,
                  [](const NcclDamage& damage) { return damage.what.find(" row ") != std::string::npos; }),
              wrong ? 1 : 0)
        << table.name;
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

namespace {

constexpr const char* kTestsHeader =
    "#  size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong\n";
constexpr const char* kTestsSettings = "# nThread 1 nGpus 2 minBytes 8 maxBytes 64 step: 2(factor)\n";

std::vector<std::string> damageOf(const NcclRecords& records) {
  std::vector<std::string> texts;
  for (const NcclDamage& damage : records.log.files.at(0).damage)
    texts.push_back(std::to_string(damage.line) + ": " + damage.what);
  return texts;
}

} // namespace

TEST(NcclTests, badRowsAreDamagedLinesOfTheirFile) {
  const std::string log = "n1:1:1 [0] NCCL INFO Using network IB\n";
  const NcclRecords records = readNcclText(
      "x.log", std::string(kTestsHeader) +                                             // line 1
                   "  8  2  float  sum  -1  -3.0  0.1  0.2  0  10.0  0.1  0.2  0\n"    // no time
                   "  8  2  float  sum  -1  0.00  0.1  0.2  0  10.0  0.1  0.2  0\n"    // no time
                   "  16  4  float  sum  -1  10.5  0.1\n"                              // cut
                   "  32  8  float  sum  -1  10.5  0.1  0.2  3  10.6  0.1  0.2  0\n"   // wrong
                   "  64  16  float  sum  -1" +                                        // cut by a log line
                   log +                                                               //
                   "  128  32  float  sum  -1  10.5  0.1  0.2  0  10.6  0.1  0.2  1\n" // wrong in place
                   "  256  64  float  sum  -1  10.5  0.1  0.2  0  10.6  0.1\n"         // in-place half cut
                   "  512  128  float  sum  -1  10.5  0.1  0.2  0  10.6  0.1  0.2  N/A\n"
                   "  1024  256  float  sum  -1  10.5  0.1  0.2  0  -2.0  0.1  0.2  0\n");
  ASSERT_EQ(records.tables.size(), 1U);
  const NcclTestTable& table = records.tables[0];
  EXPECT_EQ(table.skippedRows, 4U);
  ASSERT_EQ(table.rows.size(), 5U) << "rows with wrong results stay";
  EXPECT_TRUE(table.rows[0].wrong && table.rows[1].wrong);
  EXPECT_FALSE(table.rows[2].wrong || table.rows[3].wrong);
  EXPECT_EQ(table.rows[2].inPlaceUs, std::nullopt);
  EXPECT_EQ(table.rows[4].inPlaceUs, std::nullopt);
  EXPECT_EQ(
      damageOf(records),
      (std::vector<std::string>{
          "2: a row of the table without a time above 0", "3: a row of the table without a time above 0",
          "4: a row of the table is cut", "5: a row of the table has 3 wrong results; its time is used",
          "6: a row of the table is cut", "7: a row of the table has 1 wrong result; its time is used",
          "8: the in-place half of a row of the table is cut",
          "10: the in-place half of a row of the table is without a time above 0"}));
  EXPECT_EQ(records.log.files[0].damagedLines, 8U);
  EXPECT_EQ(records.log.files[0].problem, "2 rows of its table have wrong results");
}

// A root that is not -1 is no time.
TEST(NcclTests, aCutRowOfARootIsSkipped) {
  const NcclRecords records = readNcclText(
      "broadcast.log", std::string(kTestsHeader) + "  8  2  float  none  3  10.0  0.1  0.2  0  10.0  0.1\n"
                                                   "  16  2  float  none  3  10.0  0.1  0.2\n");
  ASSERT_EQ(records.tables.size(), 1U);
  ASSERT_EQ(records.tables[0].rows.size(), 1U);
  EXPECT_DOUBLE_EQ(records.tables[0].rows[0].timeUs, 10);
  EXPECT_EQ(records.tables[0].skippedRows, 1U);
}

TEST(NcclTests, rowsBeyondTheLimitAreTold) {
  std::string text = kTestsHeader;
  for (int i = 0; i <= 100'000; ++i) text += "8 2 float sum -1 1.0 0.1 0.2 0 1.0 0.1 0.2 0\n";
  const NcclRecords records = readNcclText("many.log", text);
  ASSERT_EQ(records.tables.size(), 1U);
  EXPECT_EQ(records.tables[0].rows.size(), 100'000U);
  EXPECT_EQ(damageOf(records), std::vector<std::string>{"100002: a row beyond those that are kept"});
}

TEST(NcclTests, theProgramIsNamedBeforeItsSettings) {
  const std::string row = "  64  16  float  none  -1  10.5  0.1  0.1  0  10.6  0.1  0.1  0\n";
  const auto run = [&](const std::string& program) {
    return "# Collective test starting: " + program + "\n" + kTestsSettings + kTestsHeader + row;
  };
  const NcclRecords one = readNcclText("x.log", run("all_gather_perf"));
  ASSERT_EQ(one.tables.size(), 1U);
  EXPECT_EQ(one.tables[0].operation, "AllGather");
  const NcclRecords several =
      readNcclText("x.log", run("all_gather_perf") + "# Collective test concluded: all_gather_perf\n" +
                                run("reduce_scatter_perf") + "+ mpirun ./alltoall_perf -b 8\n" +
                                kTestsSettings + kTestsHeader + row + run("all_reduce_perf"));
  std::vector<std::string> operations;
  for (const NcclTestTable& table : several.tables) operations.push_back(table.operation);
  EXPECT_EQ(operations, (std::vector<std::string>{"AllGather", "ReduceScatter", "AllToAll", "AllReduce"}));
}

// Short names of hosts are padded at their left.
TEST(NcclTests, hostsAreCountedHoweverTheyAreAligned) {
  const auto hostsOf = [](const std::string& first, const std::string& second) {
    const NcclRecords records =
        readNcclText("x.log", std::string("# Collective test starting: all_reduce_perf\n") + kTestsSettings +
                                  "#  Rank  0 Group  0 Pid  67375 on " + first +
                                  " device  0 [0000:81:00] NVIDIA A100-PCIE-40GB\n"
                                  "#  Rank  1 Group  0 Pid  78817 on " +
                                  second + " device  0 [0000:81:00] NVIDIA A100-PCIE-40GB\n" + kTestsHeader +
                                  "  64  16  float  sum  -1  10.5  0.1  0.1  0  10.6  0.1  0.1  0\n");
    return records.tables.size() == 1 ? records.tables[0].hosts : -1;
  };
  EXPECT_EQ(hostsOf("      n013", "      n014"), 2);
  EXPECT_EQ(hostsOf("      n013", "      n013"), 1);
  EXPECT_EQ(hostsOf("a-long-name-of-a-host", "     other"), 2);
}

TEST(NcclTests, theBeginOfARealTableHasItsOperation) {
  const fs::path path = test::sharedFolder() / "nccl/tests/h100-nvlink-allgather.txt";
  RANKSCOPE_SKIP_UNLESS(fs::exists(path), test::kNoRecordings);
  std::ifstream file(path);
  std::string text, line;
  for (int i = 0; i < 30 && std::getline(file, line); ++i) text += line + "\n";
  const NcclRecords records = readNcclText("x.log", text);
  ASSERT_EQ(records.tables.size(), 1U);
  EXPECT_EQ(records.tables[0].operation, "AllGather");
  EXPECT_EQ(records.tables[0].rows.size(), 17U);
}

// As srun -l, mpirun --tag-output and torchrun write them.
TEST(NcclTests, prefixesOfLaunchersAreNoPartOfARow) {
  for (const std::string prefix : {"", "0: ", " 0: ", "12: ", "[1,0]<stdout>:", "[default0]:"}) {
    std::string text;
    for (const std::string& line :
         {std::string(kTestsSettings),
          std::string("#  Rank  0 Group  0 Pid 1 on host0 device  0 [0000:07:00] NVIDIA H100 80GB HBM3\n"),
          std::string("#  Rank  1 Group  0 Pid 2 on host0 device  1 [0000:08:00] NVIDIA H100 80GB HBM3\n"),
          std::string(kTestsHeader),
          std::string("  64  16  float  sum  -1  10.5  0.1  0.1  0  10.6  0.1  0.1  0\n"),
          std::string("  128  32  float  sum  -1n1:1:1 [0] NCCL INFO Using network IB\n"),
          std::string("  11.5  0.1  0.1  0  10.6  0.1  0.1  0\n")})
      text += prefix + line;
    const NcclRecords records = readNcclText("x.log", text);
    ASSERT_EQ(records.tables.size(), 1U) << prefix;
    EXPECT_EQ(records.tables[0].ranks, 2) << prefix;
    EXPECT_EQ(records.tables[0].gpu, "NVIDIA H100 80GB HBM3") << prefix;
    ASSERT_EQ(records.tables[0].rows.size(), 2U) << prefix;
    EXPECT_DOUBLE_EQ(records.tables[0].rows[0].timeUs, 10.5);
    EXPECT_DOUBLE_EQ(records.tables[0].rows[1].timeUs, 11.5) << prefix;
  }
}

TEST(NcclTests, operationsAreKnownByTheNameOfTheProgram) {
  EXPECT_EQ(operationInName("all_reduce_perf"), "AllReduce");
  EXPECT_EQ(operationInName("./build/reduce_scatter_perf -b 8"), "ReduceScatter");
  EXPECT_EQ(operationInName("alltoall_output.dat"), "AllToAll");
  EXPECT_EQ(operationInName("notes"), "");
}

} // namespace rankscope
