// SPDX-License-Identifier: GPL-3.0-or-later
// JSON lines of Nsight Systems: the same figures as the tables that they were made from, in both orders of
// strings and events; damage, what is not imported, privacy. Covers core/io/nsys/nsys_json_lines,
// core/io/nsys/nsys_json_reader and core/io/nsys/nsys_json_tables.
#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"
#include "core/io/load/trace_readers.h"
#include "core/io/nsys/nsys_json_lines.h"
#include "core/io/nsys/nsys_json_tables.h"
#include "core/report/tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/job_variants.h"
#include "tests/support/mutation.h"
#include "tests/support/nsys_writer.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/io/nsys/made_export.h"
#include "tests/unit/io/opened_trace.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sqlite3.h>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::NsysFile;

using Row = std::map<std::string, std::string>;

// The rows of a table, as text; without what is NULL.
void eachRow(sqlite3* file, const std::string& table, const std::function<void(const Row&)>& take) {
  sqlite3_stmt* statement = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(file, ("SELECT * FROM " + table).c_str(), -1, &statement, nullptr), SQLITE_OK);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    Row row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i)
      if (sqlite3_column_type(statement, i) != SQLITE_NULL)
        row[sqlite3_column_name(statement, i)] =
            reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
    take(row);
  }
  sqlite3_finalize(statement);
}

std::string jsonText(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  return json += '"';
}

// As the exporter writes them: 64-bit integers in quotes, others not, what is 0 left out.
std::string members(const Row& row, const std::vector<std::pair<std::string, std::string>>& keys) {
  std::string text;
  for (const auto& [column, key] : keys) {
    const auto value = row.find(column);
    if (value == row.end() || value->second == "0") continue;
    const bool narrow = column.starts_with("grid") || column.starts_with("block") || column == "eventClass";
    text.append(text.empty() ? "" : ",").append("\"").append(key).append("\":");
    text += narrow ? value->second : jsonText(value->second);
  }
  return text;
}

std::string linesOf(const fs::path& path, bool stringsFirst) {
  sqlite3* file = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &file), SQLITE_OK);
  std::map<std::int64_t, std::string> byId;
  eachRow(file, "StringIds", [&](const Row& row) { byId[std::stoll(row.at("id"))] = row.at("value"); });
  std::string strings = "{\"data\":[\"[Unknown]\"";
  for (std::int64_t id = 1; !byId.empty() && id <= byId.rbegin()->first; ++id)
    strings.append(",").append(jsonText(byId.contains(id) ? byId.at(id) : ""));
  strings += "]}\n";
  std::string events;
  const std::vector<std::pair<std::string, std::string>> device{{"start", "startNs"},
                                                                {"end", "endNs"},
                                                                {"correlationId", "correlationId"},
                                                                {"deviceId", "deviceId"},
                                                                {"contextId", "contextId"},
                                                                {"streamId", "streamId"},
                                                                {"globalPid", "globalPid"},
                                                                {"eventClass", "eventClass"}};
  const auto add = [&](const std::string& table, int type, const std::string& object,
                       const std::vector<std::pair<std::string, std::string>>& own) {
    eachRow(file, table, [&](const Row& row) {
      events.append("{\"Type\":").append(std::to_string(type)).append(",\"CudaEvent\":{");
      events.append(members(row, device)).append(",\"").append(object).append("\":{");
      events.append(members(row, own)).append("}}}\n");
    });
  };
  add("CUPTI_ACTIVITY_KIND_KERNEL", 79, "kernel",
      {{"demangledName", "demangledName"},
       {"shortName", "shortName"},
       {"gridX", "gridX"},
       {"gridY", "gridY"},
       {"gridZ", "gridZ"},
       {"blockX", "blockX"},
       {"blockY", "blockY"},
       {"blockZ", "blockZ"},
       {"registersPerThread", "registersPerThread"}});
  add("CUPTI_ACTIVITY_KIND_MEMCPY", 80, "memcpy",
      {{"bytes", "sizebytes"}, {"copyKind", "copyKind"}, {"srcKind", "srcKind"}, {"dstKind", "dstKind"}});
  add("CUPTI_ACTIVITY_KIND_MEMSET", 80, "memset", {{"bytes", "sizebytes"}, {"memKind", "memKind"}});
  add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", 106, "sync",
      {{"eventId", "eventId"}, {"eventSyncId", "eventSyncId"}});
  add("CUPTI_ACTIVITY_KIND_CUDA_EVENT", 127, "cudaEventRecord",
      {{"eventId", "eventId"}, {"eventSyncId", "eventSyncId"}});
  eachRow(file, "CUPTI_ACTIVITY_KIND_RUNTIME", [&](const Row& row) {
    events.append("{\"Type\":48,\"TraceProcessEvent\":{")
        .append(members(row, {{"start", "startNs"},
                              {"end", "endNs"},
                              {"correlationId", "correlationId"},
                              {"eventClass", "eventClass"},
                              {"globalTid", "globalTid"},
                              {"nameId", "name"}}))
        .append("}}\n");
  });
  eachRow(file, "NVTX_EVENTS", [&](const Row& row) {
    const std::string type = row.at("eventType");
    events.append("{\"Type\":").append(type).append(",\"NvtxEvent\":{\"Type\":").append(type).append(",");
    events.append(members(row, {{"start", "Timestamp"},
                                {"end", "EndTimestamp"},
                                {"text", "Text"},
                                {"textId", "TextId"},
                                {"globalTid", "GlobalTid"},
                                {"domainId", "DomainId"}}));
    events += ",\"NsTime\":true}}\n";
  });
  sqlite3_close(file);
  return stringsFirst ? strings + events : events + strings;
}

// The exports of a generated job of one rank, as tables and as lines.
class BothForms {
 public:
  explicit BothForms(bool stringsFirst) {
    test::JobOptions options = test::smallJob();
    options.withMemory = false;
    options.withDeviceProperties = false; // the lines have none
    options.ranks = 1;
    test::generateJob(options, m_folder.path() / "kineto");
    test::writeAsNsys(m_folder.path() / "kineto", tables(), NsysFile::Version::New);
    fs::create_directories(lines());
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(tables())) {
      if (file.path().extension() != ".sqlite") continue;
      fs::path to = lines() / file.path().filename();
      m_text = linesOf(file.path(), stringsFirst);
      std::ofstream(to.replace_extension(".jsonl"), std::ios::binary) << m_text;
      m_file = to;
    }
  }
  [[nodiscard]] fs::path tables() const { return m_folder.path() / "nsys"; }
  [[nodiscard]] fs::path lines() const { return m_folder.path() / "lines"; }
  [[nodiscard]] const fs::path& file() const { return m_file; }
  [[nodiscard]] const std::string& text() const { return m_text; }

 private:
  test::TemporaryFolder m_folder;
  fs::path m_file;
  std::string m_text;
};

std::string textOf(const JobReport& report, std::string_view name) {
  const TableSpec* const spec = tableSpec(name);
  if (spec == nullptr) return {};
  const ResultTable table = spec->make(report);
  std::string text;
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    for (std::size_t column = 0; column < table.columns().size(); ++column)
      text += exactText(table, row, column) + ",";
    text += '\n';
  }
  return text;
}

bool hasDiagnostic(const TraceSet& set, std::string_view part) {
  for (const Diagnostic& item : set.ranks().front().trace->diagnostics.items())
    if (item.text.find(part) != std::string::npos) return true;
  return false;
}

} // namespace

TEST(NsysJson, linesGiveTheFiguresOfTheTables) {
  for (const bool stringsFirst : {true, false}) {
    SCOPED_TRACE(stringsFirst);
    const BothForms both(stringsFirst);
    ASSERT_TRUE(isNsysJsonLines(both.text()));
    const auto left = test::loadJob(both.tables().string());
    const auto right = test::loadJob(both.lines().string());
    ASSERT_TRUE(left && right);
    ASSERT_EQ(right->ranks().size(), 1u);
    const JobReport tables(std::make_shared<const Analysis>(left));
    const JobReport lines(std::make_shared<const Analysis>(right));
    for (const char* const name : {"steps", "operators", "kernels", "gaps", "attribution"}) {
      const std::string expected = textOf(tables, name);
      EXPECT_FALSE(expected.empty()) << name;
      EXPECT_EQ(textOf(lines, name), expected) << name;
    }
    EXPECT_TRUE(hasDiagnostic(*right, "JSON lines (experimental)"));
  }
}

TEST(NsysJson, detailsComeFromTheLine) {
  const BothForms both(false);
  const auto set = test::loadJob(both.lines().string());
  ASSERT_TRUE(set);
  const RankEntry& rank = set->ranks().front();
  const RankTrace& trace = *rank.trace;
  bool kernel = false, range = false;
  for (EventIndex e(0); e.value < trace.events.size(); ++e.value) {
    const auto name = set->names()[trace.events.name[e]];
    if (trace.events.kind[e] == EventKind::Kernel && !kernel) {
      kernel = true;
      const auto fields = rank.details->fields(trace.events.source[e]);
      ASSERT_TRUE(fields);
      std::map<std::string, std::string> by;
      for (const EventField& field : *fields) by[field.key] = field.value;
      EXPECT_EQ(by.at("table"), "CUPTI_ACTIVITY_KIND_KERNEL");
      EXPECT_EQ(by.at("demangledname"), name);
      EXPECT_TRUE(by.at("grid").starts_with("["));
    }
    range = range || name.starts_with("aten::");
  }
  EXPECT_TRUE(kernel && range);
}

TEST(NsysJson, damagedAndOtherLinesAreCountedAndTheRestIsRead) {
  const BothForms both(true);
  const test::TemporaryFolder folder;
  std::ofstream(folder / "rank0.jsonl", std::ios::binary)
      << both.text() << "{\"Type\":79,\"CudaEvent\":{\"startNs\":\"1\n"
      << "{\"Type\":41,\"SchedEvent\":{\"cpu\":3}}\n";
  const auto set = test::loadJob(folder.path().string());
  ASSERT_TRUE(set);
  EXPECT_TRUE(
      hasDiagnostic(*set, "1 lines are no JSON; the first is at byte " + std::to_string(both.text().size())));
  EXPECT_TRUE(hasDiagnostic(*set, "1 lines of kinds that are not imported"));
}

TEST(NsysJson, anExportAsTablesOfTheSameNameIsReadInstead) {
  const BothForms both(true);
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(both.tables()))
    if (file.path().extension() == ".sqlite") fs::copy(file.path(), both.lines() / file.path().filename());
  const auto set = test::loadJob(both.lines().string());
  ASSERT_TRUE(set);
  ASSERT_EQ(set->ranks().size(), 1u);
  EXPECT_FALSE(hasDiagnostic(*set, "experimental"));
}

// Programs write such logs beside their traces.
TEST(NsysJson, logsBesideAnExportAreOtherFiles) {
  const BothForms both(true);
  std::ofstream(both.lines() / "metrics.jsonl")
      << "{\"step\": 1, \"loss\": 2.5}\n{\"step\": 2, \"loss\": 2.4}\n";
  std::ofstream(both.lines() / "empty.jsonl").flush();
  const std::vector<std::string> folder{both.lines().string()};
  const Discovery found = discoverTraceFiles(folder);
  ASSERT_EQ(found.files.size(), 1u);
  EXPECT_EQ(found.files[0].path, both.file().string());
  EXPECT_EQ(found.others.count, 2u);
  // By its name it is opened, and says what it is.
  const std::vector<std::string> log{(both.lines() / "metrics.jsonl").string()};
  EXPECT_EQ(discoverTraceFiles(log).files.size(), 1u);
}

// Beside ranks with wall clocks of their own, it does not stand at 1970.
TEST(NsysJson, aRankWithoutAWallClockStandsBesideTheOthers) {
  const BothForms both(true);
  const test::TemporaryFolder folder;
  fs::copy(both.file(), folder.path() / "rank2.jsonl");
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    NsysFile file(folder / ("rank" + std::to_string(rank) + ".sqlite"));
    file.session(kUtc + rank * 5'000'000, 0, "node-a");
    file.kernel(NsysFile::process(50 + rank), 0, 7, 1000, 900'000'000, "kernel", 0);
  }
  const auto set = test::loadJob(folder.path().string());
  ASSERT_TRUE(set);
  ASSERT_EQ(set->ranks().size(), 3u);
  for (const RankEntry& rank : set->ranks()) EXPECT_GE(rank.trace->extent.begin, kUtc);
  bool told = false;
  for (const FileRecord& file : set->files())
    told = told || file.note.find("it has no wall clock: placed beside the other ranks") != std::string::npos;
  EXPECT_TRUE(told);
}

TEST(NsysJson, otherJsonIsNone) {
  EXPECT_FALSE(isNsysJsonLines("{\"schemaVersion\": 1, \"traceEvents\": []}"));
  EXPECT_FALSE(isNsysJsonLines("{\"data\":[1, 2, 3]}\n{\"other\": 1}\n"));
  EXPECT_FALSE(isNsysJsonLines(""));
  EXPECT_TRUE(isNsysJsonLines("{\"type\":\"String\",\"id\":\"3\",\"value\":\"a\"}\n"));
}

TEST(NsysJson, stringsThatNoEventRefersToAreNotTaken) {
  const test::TemporaryFolder folder;
  const std::string text = "{\"data\":[\"[Unknown]\",\"cudaFree\",\"WANDB_API_KEY=secret-token\"]}\n"
                           "{\"Type\":48,\"TraceProcessEvent\":{\"startNs\":\"5\",\"endNs\":\"9\",\"name\":"
                           "\"1\",\"globalTid\":\"281475003465828\"}}\n";
  const std::string path = folder / "made.sqlite";
  const std::atomic<bool> cancel{false};
  const auto counts = writeLinesAsTables(text, path, cancel, [](std::uint64_t) {});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->events, 1u);
  std::stringstream written;
  written << std::ifstream(path, std::ios::binary).rdbuf();
  EXPECT_NE(written.str().find("cudaFree"), std::string::npos);
  EXPECT_EQ(written.str().find("secret-token"), std::string::npos);
}

TEST(NsysJson, mutatedLinesDoNoHarm) {
  const BothForms both(true);
  const std::string start = both.text().substr(0, 20'000);
  const test::TemporaryFolder folder;
  const std::atomic<bool> cancel{false};
  test::Chance chance(7);
  for (int i = 0; i < 100; ++i) {
    const std::string path = folder / ("made" + std::to_string(i) + ".sqlite");
    const auto counts = writeLinesAsTables(test::mutated(start, chance), path, cancel, [](std::uint64_t) {});
    if (counts) {
      EXPECT_LE(counts->events + counts->unused + counts->damaged, 20'000u);
    }
    fs::remove(path);
  }
}

} // namespace rankscope
