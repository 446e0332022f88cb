// SPDX-License-Identifier: GPL-3.0-or-later
// Exports that were cut, have damaged pages, or lack tables and columns: what can be read is, and what cannot
// is named with its table and rows.
#include "core/analysis/job/analysis.h"
#include "core/io/load/job_loader.h"
#include "core/io/load/trace_loader.h"
#include "core/io/nsys/nsys_database.h"
#include "core/io/nsys/nsys_reader.h"
#include "core/io/nsys/nsys_tables.h"
#include "core/io/nsys/nsys_text.h"
#include "core/report/job_report.h"
#include "core/report/job_totals.h"
#include "tests/unit/io/cache/cached_job.h"
#include "tests/unit/io/nsys/made_export.h"

#include <algorithm>
#include <map>
#include <memory>
#include <sqlite3.h>
#include <string>
#include <vector>

namespace rankscope {
namespace {

constexpr int kPageBytes = 1024;

// Many rows on small pages.
std::string largeExport(const TemporaryFolder& folder) {
  NsysFile file(folder / "whole.sqlite");
  file.session(kUtc, 12345, "node-a");
  file.run("BEGIN");
  for (std::int64_t i = 0; i < 400; ++i) {
    const std::int64_t at = 1000 * i;
    file.range(NsysFile::thread(kPid, kPid), at, at + 900, "step_" + std::to_string(i));
    file.call(NsysFile::thread(kPid, kPid), at + 100, at + 200, "cudaLaunchKernel_v7000", i + 1);
    file.kernel(NsysFile::process(kPid), 0, 7, at + 300, at + 400, "gemm" + std::to_string(i % 5), i + 1);
  }
  file.run("COMMIT; PRAGMA page_size = " + std::to_string(kPageBytes) + "; VACUUM");
  return test::contentOf(folder / "whole.sqlite");
}

// Rows of a table that can be read one by one.
std::int64_t readableRows(const std::string& path, const std::string& table, std::int64_t most) {
  sqlite3* file = nullptr;
  sqlite3_open_v2(("file:" + path + "?immutable=1").c_str(), &file, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                  nullptr);
  sqlite3_db_config(file, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
  sqlite3_stmt* query = nullptr;
  const std::string sql = "SELECT * FROM " + table + " NOT INDEXED WHERE rowid = ?1";
  std::int64_t rows = 0;
  if (sqlite3_prepare_v2(file, sql.c_str(), -1, &query, nullptr) == SQLITE_OK) {
    for (std::int64_t row = 1; row <= most; ++row) {
      sqlite3_reset(query);
      sqlite3_bind_int64(query, 1, row);
      rows += sqlite3_step(query) == SQLITE_ROW ? 1 : 0;
    }
  }
  sqlite3_finalize(query);
  sqlite3_close(file);
  return rows;
}

struct Loaded {
  std::map<NsysTable, std::int64_t> events;
  std::vector<std::string> skipped;
  std::string error;
};

Loaded loadedFrom(const std::string& path) {
  Loaded loaded;
  Progress progress;
  const auto set = loadTraces({path}, {2, std::nullopt}, progress);
  if (!set) {
    loaded.error = set.error().message;
    return loaded;
  }
  for (const RankEntry& entry : (*set)->ranks()) {
    for (const SourceRef source : entry.trace->events.source.span()) ++loaded.events[tableOf(source)];
    for (const Diagnostic& item : entry.trace->diagnostics.items()) {
      if (item.kind == DiagnosticKind::Skipped) loaded.skipped.push_back(item.text);
    }
  }
  return loaded;
}

// Every row that SQLite can read becomes an event, and of a table that lost rows it is said.
void expectAllThatIsReadable(const std::string& path, const std::string& what) {
  SCOPED_TRACE(what);
  Loaded loaded = loadedFrom(path);
  std::int64_t readable = 0;
  for (const NsysTable table : {NsysTable::Kernel, NsysTable::Runtime, NsysTable::Nvtx}) {
    const std::string name(nsysTable(table).name);
    const std::int64_t rows = readableRows(path, name, 400);
    readable += rows;
    EXPECT_EQ(loaded.events[table], rows) << name;
    if (rows == 400 || !loaded.error.empty()) continue;
    EXPECT_TRUE(std::ranges::any_of(loaded.skipped, [&](const std::string& text) {
      return text.starts_with(name + ": ") || text.find("list of tables") != std::string::npos;
    })) << name;
  }
  EXPECT_EQ(loaded.error.empty(), readable > 0) << loaded.error;
}

} // namespace

TEST(NsysDamage, everySliceOfACutFileThatReadsIsKept) {
  const TemporaryFolder folder;
  const std::string whole = largeExport(folder);
  const std::string path = folder / "cut.sqlite";
  for (const std::size_t percent : {15U, 30U, 50U, 70U, 90U, 97U}) {
    const std::size_t pages = whole.size() / kPageBytes * percent / 100;
    test::write(path, whole.substr(0, pages * kPageBytes));
    expectAllThatIsReadable(path, std::to_string(percent));
    Loaded loaded = loadedFrom(path);
    const std::int64_t kernels = loaded.events[NsysTable::Kernel];
    if (loaded.error.empty()) {
      ASSERT_FALSE(loaded.skipped.empty());
      EXPECT_TRUE(std::ranges::any_of(
          loaded.skipped, [](const std::string& text) { return text.starts_with("the file is cut: "); }));
    }
    // A part of a page more adds rows, and takes none away.
    test::write(path, whole.substr(0, pages * kPageBytes + kPageBytes / 3));
    loaded = loadedFrom(path);
    EXPECT_GE(loaded.events[NsysTable::Kernel], kernels);
  }
}

// The finding names the damage, not what was never recorded.
TEST(NsysDamage, theFindingSaysWhatWasLost) {
  const TemporaryFolder folder;
  const std::string whole = largeExport(folder);
  const std::string path = folder / "cut.sqlite";
  test::write(path, whole.substr(0, whole.size() / kPageBytes * 90 / 100 * kPageBytes));
  Progress progress;
  const auto job = loadJob({path}, {}, progress);
  ASSERT_TRUE(job.ok());
  const JobReport report(std::make_shared<const Analysis>(*job));
  const auto found = std::ranges::find_if(report.findings(), [](const Finding& finding) {
    return finding.title.starts_with("Unreadable events");
  });
  ASSERT_NE(found, report.findings().end());
  EXPECT_TRUE(found->evidence.starts_with("First: the file is cut: ")) << found->evidence;
  EXPECT_EQ(found->evidence.find(".."), std::string::npos) << found->evidence;
}

TEST(NsysDamage, onlyTheRowsOfADamagedPageAreMissing) {
  const TemporaryFolder folder;
  const std::string whole = largeExport(folder);
  const std::string path = folder / "damaged.sqlite";
  const std::size_t pages = whole.size() / kPageBytes;
  std::size_t ranges = 0;
  for (std::size_t page = 1; page < pages; ++page) {
    std::string damaged = whole;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(page * kPageBytes), kPageBytes, '\xff');
    test::write(path, damaged);
    expectAllThatIsReadable(path, "page " + std::to_string(page + 1));
    for (const std::string& text : loadedFrom(path).skipped) {
      const bool named = text.starts_with("CUPTI_ACTIVITY_KIND_KERNEL: rows ") &&
                         text.find(" cannot be read: a damaged page") != std::string::npos;
      ranges += named ? 1 : 0;
    }
  }
  EXPECT_GT(ranges, 10U);
}

TEST(NsysDamage, rowsAreNamedFromTheFirstToTheLast) {
  EXPECT_EQ(damagedRowsText({17, 90}), "rows 17 to 90 cannot be read: a damaged page");
  EXPECT_EQ(damagedRowsText({17, 17}), "row 17 cannot be read: a damaged page");
  EXPECT_EQ(damagedRowsText({17, SqliteFile::kLastRow}), "rows 17 and later cannot be read: a damaged page");
  EXPECT_EQ(damagedRowsText({0, SqliteFile::kLastRow}), "no row can be read: its pages are damaged");
  std::vector<SqliteFile::RowRange> ranges{{50, 60}, {10, 20}, {21, 30}, {61, SqliteFile::kLastRow}};
  joinRows(ranges);
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].last, 30);
  EXPECT_EQ(ranges[1].first, 50);
  EXPECT_EQ(ranges[1].last, SqliteFile::kLastRow);
}

TEST(NsysDamage, missingColumnsAreNamedWithWhatFollows) {
  Export file;
  fillStep(file, kPid, 0);
  file->run("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN correlationId;"
            "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY DROP COLUMN end;"
            "ALTER TABLE NVTX_EVENTS DROP COLUMN textId;"
            "DROP TABLE OSRT_API;"
            "CREATE TABLE OSRT_API (start INTEGER PRIMARY KEY, end INTEGER) WITHOUT ROWID;"
            "INSERT INTO OSRT_API VALUES (1, 2)");
  const auto database = SqliteFile::open(file.path());
  ASSERT_TRUE(database);
  EXPECT_EQ(missingColumns(*database),
            (std::vector<std::string>{
                "table CUPTI_ACTIVITY_KIND_KERNEL has no column correlationId: no call launched its events",
                "table CUPTI_ACTIVITY_KIND_MEMCPY has no column end: its rows are not read",
                "table OSRT_API has no rowids: its rows are not read"}));
  const auto set = file.open();
  ASSERT_TRUE(set);
  const RankTrace& trace = *set->ranks().front().trace;
  EXPECT_TRUE(named(*set, "void gemm<float>(int)").valid());
  EXPECT_TRUE(hasDiagnostic(trace, "table CUPTI_ACTIVITY_KIND_KERNEL has no column correlationId"));
  EXPECT_TRUE(hasDiagnostic(trace, "table CUPTI_ACTIVITY_KIND_MEMCPY has no column end"));
}

// Rows that cannot be read may have been recorded, of any rank of the file. Each rank says so, the job once.
TEST(NsysDamage, whatWasLostIsNotToldAsNotRecordedAndConcernsAllRanks) {
  Export file;
  file->run("INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'GPU', 1000, 108, 65536, 167936, 64, 32, 8, 0)");
  fillStep(file, kPid, 0);
  fillStep(file, kPid + 1, 1);
  file->run("ALTER TABLE NVTX_EVENTS DROP COLUMN eventType");
  const auto set = file.open();
  ASSERT_TRUE(set);
  ASSERT_EQ(set->ranks().size(), 2U);
  for (const RankEntry& rank : set->ranks()) {
    EXPECT_TRUE(hasDiagnostic(*rank.trace, "table NVTX_EVENTS has no column eventType"));
    EXPECT_FALSE(hasDiagnostic(*rank.trace, "No NVTX ranges"));
    EXPECT_FALSE(hasDiagnostic(*rank.trace, "No operators"));
  }
  const TemporaryFolder folder;
  const std::string path = folder / "two.sqlite";
  {
    NsysFile two(path);
    two.run("BEGIN");
    for (std::int64_t i = 0; i < 400; ++i)
      two.kernel(NsysFile::process(kPid + i % 2), 0, 7, 1000 * i, 1000 * i + 500, "gemm", 0);
    two.run("COMMIT; PRAGMA page_size = " + std::to_string(kPageBytes) + "; VACUUM");
  }
  const std::string whole = test::contentOf(path);
  test::write(path, whole.substr(0, whole.size() / kPageBytes * 70 / 100 * kPageBytes));
  const auto cut = loadJob(path);
  ASSERT_TRUE(cut);
  ASSERT_EQ(cut->ranks().size(), 2U);
  for (const RankEntry& rank : cut->ranks()) {
    EXPECT_TRUE(hasDiagnostic(*rank.trace, "the file is cut: "));
    EXPECT_FALSE(hasDiagnostic(*rank.trace, "No NVTX ranges"));
  }
  EXPECT_EQ(jobTotals(Analysis(cut)).skipped, cut->files().front().skipped);
}

TEST(NsysDamage, realVersionsLackNothing) {
  for (const auto version : {NsysFile::Version::Old, NsysFile::Version::New}) {
    const TemporaryFolder folder;
    const std::string path = folder / "trace.sqlite";
    {
      NsysFile file(path, version);
      file.kernel(NsysFile::process(kPid), 0, 7, 10, 20, "k", 0);
      file.range(NsysFile::thread(kPid, kPid), 1, 2, "step_1");
    }
    const auto database = SqliteFile::open(path);
    ASSERT_TRUE(database);
    EXPECT_EQ(missingColumns(*database), std::vector<std::string>());
    EXPECT_EQ(database->damage(), "");
  }
}

TEST(NsysDamage, namesThatAreNotThereAreCounted) {
  const TemporaryFolder folder;
  const std::string path = folder / "trace.sqlite";
  {
    NsysFile file(path);
    for (std::int64_t i = 0; i < 6; ++i)
      file.kernel(NsysFile::process(kPid), 0, 7, 100 * i, 100 * i + 50, "gemm", 0);
    file.run("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 990 + rowid % 2 WHERE rowid > 2");
  }
  for (const unsigned threads : {1U, 4U}) {
    const NsysReader reader(2);
    const TraceReaders readers{&reader};
    Progress progress;
    LoadOptions options;
    options.threadCount = threads;
    options.readers = &readers;
    const auto set = loadTraces({path}, options, progress);
    ASSERT_TRUE(set);
    EXPECT_TRUE(hasDiagnostic(*(*set)->ranks().front().trace,
                              "CUPTI_ACTIVITY_KIND_KERNEL: 4 events have names not in StringIds, shown as "
                              "their numbers: #990, #991"));
    EXPECT_TRUE(named(**set, "#991").valid());
  }
  {
    NsysFile file(folder / "none.sqlite");
    file.kernel(NsysFile::process(kPid), 0, 7, 10, 20, "gemm", 0);
    file.run("DROP TABLE StringIds");
  }
  const auto set = loadJob(folder / "none.sqlite");
  ASSERT_TRUE(set);
  EXPECT_TRUE(named(*set, "#1").valid());
  EXPECT_TRUE(hasDiagnostic(*set->ranks().front().trace, "table StringIds is missing"));
}

TEST(NsysDamage, failedCallsAreCountedAndSayTheirErrors) {
  Export file;
  fillStep(file, kPid, 0);
  const std::int64_t thread = NsysFile::thread(kPid, kPid);
  file->call(thread, 6000, 6100, "cudaMalloc_v3020", 20);
  file->call(thread, 6200, 6300, "cudaMalloc_v3020", 21);
  file->call(thread, 6400, 6500, "cuModuleGetFunction", 22, 1);
  file->call(thread, 6600, 6700, "cudaEventQuery_v3020", 23);
  file->run("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET returnValue = 2 WHERE correlationId IN (20, 21);"
            "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET returnValue = 500 WHERE correlationId = 22;"
            "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET returnValue = 600 WHERE correlationId = 23");
  const auto set = file.open();
  ASSERT_TRUE(set);
  const RankEntry& rank = set->ranks().front();
  EXPECT_TRUE(hasDiagnostic(*rank.trace, "cudaMalloc failed with cudaErrorMemoryAllocation (2), 2 times"));
  EXPECT_TRUE(
      hasDiagnostic(*rank.trace, "cuModuleGetFunction failed with CUDA_ERROR_NOT_FOUND (500), 1 time"));
  EXPECT_FALSE(hasDiagnostic(*rank.trace, "cudaEventQuery failed")); // has not happened yet: no error
  EXPECT_EQ(fieldsOf(rank, named(*set, "cudaMalloc")).at("error"), "cudaErrorMemoryAllocation (2)");
  EXPECT_FALSE(fieldsOf(rank, named(*set, "cudaLaunchKernel")).contains("error"));
  EXPECT_EQ(cudaErrorText(12345, false), "error 12345");
}

} // namespace rankscope
