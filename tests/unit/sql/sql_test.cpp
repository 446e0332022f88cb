// SPDX-License-Identifier: GPL-3.0-or-later
// SQL over a job: tables equal their CSVs, conditions that are pushed down change nothing but the time,
// hostile statements end within their limits. Covers core/sql/called_table, core/sql/event_cell,
// core/sql/event_columns, core/sql/event_conditions, core/sql/event_facts, core/sql/event_filter,
// core/sql/event_source, core/sql/event_table, core/sql/json_lines, core/sql/list_table,
// core/sql/longest_first, core/sql/schema_text, core/sql/raw_rows, core/sql/raw_tables,
// core/sql/result_collector, core/sql/sql_column, core/sql/sql_database, core/sql/sql_functions,
// core/sql/sql_problem, core/sql/sql_query, core/sql/sql_sink, core/sql/raw_table_spec,
// core/sql/sql_text_functions, core/sql/sqlite_export, core/sql/virtual_table,
// core/analysis/classify/short_name.
#include "core/analysis/classify/short_name.h"
#include "core/analysis/job/scope.h"
#include "core/base/sqlite.h"
#include "core/export/csv.h"
#include "core/report/tables.h"
#include "core/sql/json_lines.h"
#include "core/sql/sql_problem.h"
#include "core/sql/sql_query.h"
#include "core/sql/sql_text_functions.h"
#include "core/sql/sqlite_export.h"
#include "tests/support/job_variants.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/sql/open_job.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace rankscope {

using test::answer;
using test::ask;
using test::evaluated;
using test::generatedJob;
using test::golden;
using test::loadJob;
using test::OpenJob;
using test::problemWith;
using test::value;

TEST(Sql, everyResultTableEqualsItsCsv) {
  std::vector<std::unique_ptr<OpenJob>> golds;
  for (const char* name : {"overlap", "operators", "cycles", "names"})
    golds.push_back(std::make_unique<OpenJob>(loadJob(golden(name))));
  std::vector<const OpenJob*> jobs{&generatedJob()};
  for (const auto& gold : golds) jobs.push_back(gold.get());
  for (const OpenJob* const job : jobs) {
    for (const TableSpec& spec : tableSpecs()) {
      prepareTable(job->report, spec, 2);
      EXPECT_EQ(answer(*job, "SELECT * FROM " + std::string(spec.name)), toCsv(spec.make(job->report)))
          << spec.name;
    }
  }
}

TEST(Sql, eventsAreThoseOfTheRecordings) {
  const OpenJob& job = generatedJob();
  const TraceSet& trace = job.report.analysis().trace();
  std::size_t all = 0;
  for (const RankEntry& rank : trace.ranks()) all += rank.trace->events.size();
  EXPECT_EQ(value(job, "SELECT count(*) FROM events"), std::to_string(all));
  std::int64_t device = 0;
  std::int64_t operators = 0;
  for (const RankEntry& rank : trace.ranks()) {
    device += rank.trace->deviceEnd.value - rank.trace->deviceBegin.value;
    forEachOperator(*rank.trace, trace.names(), [&](EventIndex) { ++operators; });
  }
  EXPECT_EQ(value(job, "SELECT count(*) FROM kernel_events"), std::to_string(device));
  EXPECT_EQ(value(job, "SELECT count(*) FROM operator_events"), std::to_string(operators));
  EXPECT_EQ(value(job, "SELECT min(begin_ns) >= 0 FROM kernel_events"), "1");
  EXPECT_EQ(value(job, "SELECT sum(calls) FROM name_sums"), std::to_string(all));
}

TEST(Sql, rawTablesAddUpToResultTables) {
  const OpenJob& job = generatedJob();
  const auto sum = [&](const std::string& table, const std::string& column) {
    return value(job, "SELECT sum(" + column + ") FROM " + table);
  };
  // The rows of gaps and collectives are the same, in other units.
  EXPECT_EQ(sum("gap_events", "duration_ns"),
            value(job, "SELECT CAST(round(sum(duration_us) * 1000) AS INTEGER) FROM gaps"));
  EXPECT_EQ(value(job, "SELECT count(*) FROM gap_events"), value(job, "SELECT count(*) FROM gaps"));
  EXPECT_EQ(value(job, "SELECT count(DISTINCT instance) FROM collective_events"),
            value(job, "SELECT count(*) FROM collective_instances"));
  EXPECT_EQ(value(job, "SELECT count(*) FROM step_windows"), value(job, "SELECT count(*) FROM steps"));
  EXPECT_EQ(sum("operator_events", "self_ns"),
            value(job, "SELECT CAST(round(sum(host_self_us) * 1000) AS INTEGER) FROM operators"));
  EXPECT_EQ(sum("operator_events", "device_self_ns"),
            value(job, "SELECT CAST(round(sum(device_self_us) * 1000) AS INTEGER) FROM operators"));
  EXPECT_EQ(value(job, "SELECT sum(self_ns) FROM events WHERE kind = 'operator'"),
            value(job, "SELECT sum(self_ns) FROM name_sums WHERE kind = 'operator'"));
  EXPECT_EQ(value(job, "SELECT count(*) FROM event_links WHERE kind = 'launch'"),
            value(job, "SELECT count(launch_id) FROM events"));
  EXPECT_EQ(value(job, "SELECT count(*) FROM memory_events"),
            value(job, "SELECT count(*) FROM memory_curve"));
  EXPECT_EQ(value(job, "SELECT ranks FROM job"), "2");
  EXPECT_EQ(value(job, "SELECT count(*) FROM ranks_raw"), "2");
  EXPECT_EQ(value(job, "SELECT count(*) FROM tracks AS t WHERE (SELECT count(*) FROM events AS e WHERE "
                       "e.track_id = t.track_id) = 0"),
            "0");
}

// '+' before a column keeps SQLite from offering the condition to the table.
TEST(Sql, conditionsThatArePushedDownChangeNothing) {
  const OpenJob& job = generatedJob();
  std::mt19937_64 random(5);
  const std::int64_t end = std::stoll(value(job, "SELECT max(end_ns) FROM events"));
  const auto time = [&] {
    return std::to_string(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end)));
  };
  std::vector<std::pair<std::string, std::string>> tests;
  const std::vector<std::string> operations{"<", "<=", ">", ">=", "="};
  for (int i = 0; i < 40; ++i) {
    const std::string& op = operations[random() % operations.size()];
    const std::string number = i % 3 == 0 ? time() + ".5" : time();
    tests.emplace_back("begin_ns", op + " " + number);
    tests.emplace_back("end_ns", op + " " + number);
    tests.emplace_back("duration_ns", op + " " + std::to_string(random() % 200'000));
  }
  for (const char* condition : {"rank|= 1",
                                "rank|= 1.0",
                                "rank|= 7",
                                "rank|IN (0, 1)",
                                "capture|= 1",
                                "track_id|= 3",
                                "kind|= 'kernel'",
                                "kind|= 'KERNEL'",
                                "kind|= 'KERNEL' COLLATE NOCASE",
                                "kind|IN ('kernel', 'memcpy')",
                                "device|= 0",
                                "stream|= 7",
                                "name|LIKE 'ATEN::%'",
                                "name|GLOB 'aten::*'",
                                "name|REGEXP 'nccl|gemm'",
                                "name|= 'aten::mm'",
                                "name|= 'nothing'",
                                "name|= 5",
                                "name_id|= 3",
                                "name_id|= -1",
                                "rank|= NULL",
                                "id|= 5",
                                "id|= -7",
                                "id|IN (1, 2, 1099511627776)",
                                "launch_id|= 9",
                                "begin_ns|= NULL",
                                "begin_ns|< 'text'",
                                "duration_ns|> 1e300",
                                "name|LIKE 'a!%%' ESCAPE '!'"}) {
    const std::string text = condition;
    tests.emplace_back(text.substr(0, text.find('|')), text.substr(text.find('|') + 1));
  }
  const std::map<std::string, std::string> lacking{{"track_id", "kernel_events"},
                                                   {"name_id", "kernel_events"}};
  for (const auto& [column, test] : tests) {
    for (const std::string table : {"events", "kernel_events"}) {
      const auto lacks = lacking.find(column);
      if (lacks != lacking.end() && lacks->second == table) continue;
      const std::string select =
          "SELECT count(*), sum(id), sum(begin_ns), min(duration_ns) FROM " + table + " WHERE ";
      EXPECT_EQ(answer(job, select + column + " " + test), answer(job, select + "+" + column + " " + test))
          << table << ": " << column << " " << test;
    }
  }
}

TEST(Sql, severalConditionsTogetherChangeNothing) {
  const OpenJob& job = generatedJob();
  const std::int64_t end = std::stoll(value(job, "SELECT max(end_ns) FROM events"));
  const std::string from = std::to_string(end / 3);
  const std::string to = std::to_string(end / 2);
  const std::string select = "SELECT count(*), sum(id) FROM events WHERE ";
  EXPECT_EQ(answer(job, select + "end_ns > " + from + " AND begin_ns < " + to +
                            " AND rank = 1 AND kind = 'kernel'"),
            answer(job, select + "+end_ns > " + from + " AND +begin_ns < " + to +
                            " AND +rank = 1 AND +kind = 'kernel'"));
  EXPECT_EQ(answer(job, select + "rank = 0 AND rank = 1"), "count(*),sum(id)\r\n0,\r\n");
  EXPECT_EQ(
      answer(job,
             select + "name LIKE '%a%' AND name LIKE '%::%' AND duration_ns >= 1000 AND duration_ns < 9000"),
      answer(job,
             select +
                 "+name LIKE '%a%' AND +name LIKE '%::%' AND +duration_ns >= 1000 AND +duration_ns < 9000"));
}

TEST(Sql, groupsAndOrdersAreThoseOfSqlite) {
  const OpenJob& job = generatedJob();
  const std::int64_t end = std::stoll(value(job, "SELECT max(end_ns) FROM events"));
  const std::string some = " WHERE begin_ns > " + std::to_string(end / 2) + " AND begin_ns < " +
                           std::to_string(end / 2 + end / 20) + " ";
  for (const std::string& where : {std::string(" "), some, std::string(" WHERE kind = 'kernel' ")}) {
    for (const std::string keys :
         {"name", "name_id", "kind", "name, kind", "kind, name", "rank, name", "name, rank", "rank",
          "rank, kind, name", "step", "step, name", "name, step", "rank, step, kind"}) {
      std::string plain = "+" + keys;
      for (std::size_t at = plain.find(", "); at != std::string::npos; at = plain.find(", ", at + 3))
        plain.insert(at + 2, "+");
      const std::string columns = "count(*) AS n, sum(duration_ns) AS d, min(id) AS i FROM events" + where;
      EXPECT_EQ(answer(job, "SELECT " + columns + "GROUP BY " + keys + " ORDER BY n, d, i"),
                answer(job, "SELECT " + columns + "GROUP BY " + plain + " ORDER BY n, d, i"))
          << keys << where;
      EXPECT_EQ(answer(job, "SELECT count(*) FROM (SELECT DISTINCT " + keys + " FROM events" + where + ")"),
                answer(job, "SELECT count(*) FROM (SELECT DISTINCT " + plain + " FROM events" + where + ")"));
      if (keys == "name_id") continue;
      EXPECT_EQ(answer(job, "SELECT " + keys + " FROM events" + where + "ORDER BY " + keys),
                answer(job, "SELECT " + keys + " FROM events" + where + "ORDER BY " + plain));
    }
    EXPECT_EQ(answer(job, "SELECT begin_ns FROM events" + where + "ORDER BY begin_ns"),
              answer(job, "SELECT begin_ns FROM events" + where + "ORDER BY +begin_ns"));
  }
}

TEST(Sql, theLongestAreFoundWithoutSorting) {
  const OpenJob& job = generatedJob();
  const std::int64_t end = std::stoll(value(job, "SELECT max(end_ns) FROM events"));
  const std::string some = " WHERE begin_ns > " + std::to_string(end / 2) + " AND begin_ns < " +
                           std::to_string(end / 2 + end / 20) + " ";
  for (const std::string& rest :
       {std::string("events"), "events" + some, std::string("events WHERE kind = 'kernel'"),
        std::string("events WHERE name = 'aten::mm'"), std::string("events WHERE name_id = -1"),
        std::string("events WHERE rank = 1 AND stream = 7"), std::string("events WHERE step = 3"),
        std::string("kernel_events"), "kernel_events" + some, std::string("operator_events")}) {
    for (const std::string limit : {"LIMIT 1", "LIMIT 300", "LIMIT 100000", "LIMIT 7 OFFSET 5", "LIMIT 0"}) {
      const std::string select = "SELECT duration_ns FROM " + rest;
      EXPECT_EQ(answer(job, select + " ORDER BY duration_ns DESC " + limit),
                answer(job, select + " ORDER BY +duration_ns DESC " + limit))
          << rest << " " << limit;
    }
    // Every event once, and equal ones in the order of the table.
    EXPECT_EQ(answer(job, "SELECT id FROM " + rest + " ORDER BY duration_ns DESC LIMIT 100000"),
              answer(job, "SELECT id FROM " + rest + " ORDER BY +duration_ns DESC, id LIMIT 100000"))
        << rest;
  }
  const auto sorts = [&](const std::string& sql) {
    return answer(job, "EXPLAIN QUERY PLAN " + sql).find("TEMP B-TREE") != std::string::npos;
  };
  EXPECT_FALSE(sorts("SELECT name FROM kernel_events WHERE rank = 1 ORDER BY duration_ns DESC LIMIT 10"));
  EXPECT_TRUE(sorts("SELECT name FROM kernel_events ORDER BY duration_ns LIMIT 10"));
  EXPECT_TRUE(sorts("SELECT name FROM kernel_events ORDER BY duration_ns DESC"));
  EXPECT_TRUE(sorts("SELECT name FROM kernel_events ORDER BY duration_ns DESC LIMIT 10000000"));
}

TEST(Sql, twoJobsAreReadTogether) {
  const OpenJob& job = generatedJob();
  const OpenJob other(loadJob(golden("overlap")));
  const SqlJobs both(job.database, &other.database);
  const auto one = [&](const std::string& sql) {
    const SqlResult result = sqlResult(both, sql, {});
    return result.table ? exactText(*result.table, 0, 0) : "problem: " + result.answer.problem->text;
  };
  const std::string ofA = value(job, "SELECT count(*) FROM events");
  const std::string ofB = value(other, "SELECT count(*) FROM events");
  ASSERT_NE(ofA, ofB);
  EXPECT_EQ(one("SELECT count(*) FROM events"), ofA) << "without a schema: the first job";
  EXPECT_EQ(one("SELECT count(*) FROM a.events"), ofA);
  EXPECT_EQ(one("SELECT count(*) FROM b.events"), ofB);
  EXPECT_EQ(one("SELECT sum(calls) FROM b.name_sums"), ofB);
  EXPECT_EQ(one("SELECT round(sum(total_us), 3) FROM b.kernels"),
            value(other, "SELECT round(sum(total_us), 3) FROM kernels"));
  EXPECT_EQ(one("SELECT count(*) FROM (SELECT name FROM a.names INTERSECT SELECT name FROM b.names)"),
            one("SELECT count(*) FROM a.names AS x JOIN b.names AS y USING (name)"));
  EXPECT_EQ(one("CREATE TEMP VIEW v AS SELECT count(*) AS n FROM b.events; SELECT n FROM v"), ofB);
  const SqlResult ids = sqlResult(both, "SELECT x.id, y.id FROM a.events AS x, b.events AS y LIMIT 1", {});
  EXPECT_EQ(ids.eventColumns, std::vector<std::size_t>{0})
      << "ids of the other job are not those of this one";
  EXPECT_TRUE(ids.answer.readsOther);
  EXPECT_FALSE(sqlResult(both, "SELECT id FROM events LIMIT 1", {}).answer.readsOther);
  EXPECT_EQ(problemWith(job, "SELECT * FROM b.events"),
            "no such table: b.events; there is only one job, so there is no schema b");
  EXPECT_EQ(problemWith(job, "SELECT * FROM c.events"), "no such table: c.events; did you mean events?");
  EXPECT_EQ(value(job, "SELECT count(*) FROM a.events"), ofA);
}

TEST(Sql, joinsFindTheSameByIndexAndByLooking) {
  const OpenJob& job = generatedJob();
  EXPECT_EQ(value(job, "SELECT count(*) FROM kernel_events AS k JOIN events AS l ON l.id = k.launch_id"),
            value(job, "SELECT count(launch_id) FROM kernel_events"));
  EXPECT_EQ(value(job, "SELECT count(*) FROM events AS l JOIN kernel_events AS k ON k.launch_id = l.id WHERE "
                       "l.kind = 'runtime call'"),
            value(job, "SELECT count(launch_id) FROM kernel_events"));
  EXPECT_EQ(
      value(
          job,
          "SELECT count(*) FROM collective_events AS c JOIN collective_instances AS i ON i.id = c.instance"),
      value(job, "SELECT count(*) FROM collective_events"));
  EXPECT_EQ(value(job, "SELECT count(*) FROM operators AS o JOIN ranks AS r ON r.rank = o.rank"),
            value(job, "SELECT count(*) FROM operators"));
}

TEST(Sql, tellsOfAnEventWhatIsAroundIt) {
  HandMadeRank rank;
  rank.annotation(0, 100'000, "ProfilerStep#3")
      .python(100, 90'000, "/data/me/train.py(12): step")
      .python(200, 80'000, "nn.Module: Net_0")
      .python(300, 70'000, "nn.Module: Linear_1")
      .op(1'000, 30'000, "aten::linear")
      .op(2'000, 20'000, "aten::addmm")
      .launched(5'000, 7, 12'000, 40'000, "void gemm<float>(float*)");
  HandMadeJob made;
  made.add(0, std::move(rank));
  const OpenJob job(made.build());
  EXPECT_EQ(answer(job, "SELECT name, launch_delay_ns, module, step, short_name(name) FROM kernel_events"),
            "name,launch_delay_ns,module,step,short_name(name)\r\nvoid "
            "gemm<float>(float*),5000,Net_0/Linear_1,3,gemm\r\n");
  EXPECT_EQ(value(job, "SELECT o.name FROM kernel_events AS k JOIN events AS o ON o.id = k.operator_id"),
            "aten::addmm");
  EXPECT_EQ(
      answer(job, "SELECT name, self_ns, device_ns, device_self_ns, source FROM operator_events ORDER BY id"),
      "name,self_ns,device_ns,device_self_ns,source\r\n"
      "aten::linear,10000,40000,0,/data/me/train.py(12): step\r\n"
      "aten::addmm,20000,40000,40000,/data/me/train.py(12): step\r\n");
  EXPECT_EQ(value(job, "SELECT p.name FROM events AS e JOIN events AS p ON p.id = e.parent_id WHERE e.name = "
                       "'aten::addmm'"),
            "aten::linear");
}

TEST(Sql, groupsByLayerAndPhase) {
  HandMadeRank rank;
  rank.annotation(0, 100'000, "ProfilerStep#3")
      .annotation(100, 90'000, "forward")
      .python(200, 80'000, "nn.Module: Net_0")
      .python(1'000, 30'000, "nn.Module: Block_0")
      .op(2'000, 20'000, "aten::mm")
      .launched(5'000, 7, 12'000, 40'000, "gemm")
      .python(40'000, 30'000, "nn.Module: Block_1")
      .op(41'000, 20'000, "aten::mm")
      .launched(45'000, 7, 60'000, 30'000, "gemm");
  HandMadeJob made;
  made.add(0, std::move(rank));
  const OpenJob job(made.build());
  EXPECT_EQ(answer(job, "SELECT layer, phase, module, sum(duration_ns) AS ns FROM kernel_events "
                        "GROUP BY layer, phase, module ORDER BY layer"),
            "layer,phase,module,ns\r\nBlock 0,forward,Net_0/Block_0,40000\r\n"
            "Block 1,forward,Net_0/Block_1,30000\r\n");
  EXPECT_EQ(answer(job, "SELECT layer, sum(device_self_ns) AS ns FROM operator_events GROUP BY layer"),
            "layer,ns\r\nBlock 0,40000\r\nBlock 1,30000\r\n");
}

TEST(Sql, functionsComputeWhatTheySay) {
  EXPECT_EQ(
      evaluated(
          "union_ns(a, b) FROM (SELECT 0 AS a, 10 AS b UNION ALL SELECT 5, 20 UNION ALL SELECT 30, 31)"),
      "21");
  EXPECT_EQ(evaluated("union_ns(NULL, 3)"), "0");
  EXPECT_EQ(evaluated("overlaps(0, 10, 5, 20)"), "5");
  EXPECT_EQ(evaluated("overlaps(0, 1, 5, 20)"), "0");
  EXPECT_EQ(
      evaluated(
          "overlaps(-9223372036854775808, 9223372036854775807, -9223372036854775808, 9223372036854775807)"),
      "9223372036854775807");
  EXPECT_EQ(evaluated("median(x) FROM (VALUES (1), (2), (3), (10)) AS t(x)").substr(0, 7), "problem");
  EXPECT_EQ(evaluated("median(column1) FROM (VALUES (1), (2), (3), (10))"), "2.5");
  EXPECT_EQ(evaluated("percentile(column1, 95) FROM (VALUES (1), (2), (3), (10))"), "10");
  EXPECT_EQ(evaluated("percentile(column1, 50) FROM (VALUES (1), (2), (3), (10))"), "2");
  EXPECT_EQ(evaluated("round(stddev(column1), 6) FROM (VALUES (1), (2), (3), (10))"), "4.082483");
  EXPECT_EQ(evaluated("'abc' REGEXP 'B.'"), "1");
  EXPECT_EQ(evaluated("ms(1500000)"), "1.5");
  EXPECT_EQ(evaluated("gb_s(1000, 500)"), "2");
  EXPECT_EQ(evaluated("short_name('Memcpy HtoD (Pinned -> Device)')"), "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(evaluated("short_name('aten::add')"), "aten::add");
  EXPECT_EQ(
      evaluated("short_name('ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)')"),
      "AllReduce_Sum_f32_RING_LL");
  EXPECT_EQ(evaluated("short_name('ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)')"),
            "ncclDevKernel_Generic_4");
  EXPECT_EQ(evaluated("short_name('void at::native::f<int>(int*)')"), "f");
}

// The functions in place of SQLite's give what those give.
TEST(Sql, textFunctionsEqualThoseOfSqlite) {
  auto plain = SqliteConnection::inMemory();
  auto own = SqliteConnection::inMemory();
  ASSERT_TRUE(plain.ok() && own.ok());
  ASSERT_EQ(addTextFunctions(*own), 0);
  std::mt19937 random(7);
  const auto text = [&](std::string_view alphabet, std::size_t most) {
    std::string made;
    const std::size_t length = random() % (most + 1);
    for (std::size_t i = 0; i < length; ++i) made += alphabet[random() % alphabet.size()];
    return made;
  };
  const auto valueOf = [](SqliteConnection& connection, const std::string& sql, const std::string& a,
                          const std::string& b) {
    auto statement = SqliteStatement::prepare(connection, sql);
    if (!statement) return statement.error().text();
    statement->bind(1, a);
    statement->bind(2, b);
    return statement->step() == SqliteStatement::Step::Row ? std::string(statement->text(0))
                                                           : connection.lastError().text();
  };
  for (int i = 0; i < 4000; ++i) {
    const std::string a = text("aAb-]\xC3\xA9", 12);
    const std::string b = text("aAb%_*?[]^-!\xC3\xA9", 6);
    // Incomplete characters are read differently; both are defined.
    for (const char* sql : {"SELECT ?1 LIKE ?2", "SELECT ?1 LIKE ?2 ESCAPE '!'", "SELECT ?1 GLOB ?2"}) {
      const std::string ascii =
          b.find('\xC3') == std::string::npos && b.find('\xA9') == std::string::npos ? b : "%";
      const std::string plainA =
          a.find('\xC3') == std::string::npos && a.find('\xA9') == std::string::npos ? a : "é";
      EXPECT_EQ(valueOf(*own, sql, plainA, ascii), valueOf(*plain, sql, plainA, ascii))
          << sql << " " << plainA << " " << ascii;
    }
    for (const char* sql :
         {"SELECT replace(?1, ?2, 'x')", "SELECT trim(?1, ?2)", "SELECT ltrim(?1, ?2)",
          "SELECT rtrim(?1, ?2)", "SELECT instr(?1, ?2)", "SELECT trim(?1) || length(?2)"}) {
      const std::string part = text("aAb", 2);
      const std::string whole = text("aAb ", 10);
      EXPECT_EQ(valueOf(*own, sql, whole, part), valueOf(*plain, sql, whole, part))
          << sql << " " << whole << " " << part;
    }
  }
  EXPECT_EQ(valueOf(*own, "SELECT instr(?1, ?2)", "aéb", "b"), "3");
}

TEST(Sql, onlyReads) {
  const OpenJob& job = generatedJob();
  const test::TemporaryFolder folder;
  const std::string file = folder / "x.sqlite";
  for (const std::string& sql :
       {"ATTACH '" + file + "' AS x", "VACUUM INTO '" + file + "'",
        std::string("PRAGMA journal_mode = WAL; SELECT 1"), std::string("CREATE TABLE t(a); SELECT 1"),
        std::string("INSERT INTO events(id) VALUES (1); SELECT 1"),
        std::string("DELETE FROM events; SELECT 1"), std::string("DROP TABLE events; SELECT 1"),
        std::string("SELECT load_extension('x')"), std::string("SELECT readfile('/etc/passwd')"),
        std::string("SELECT writefile('x', 'y')"), std::string("SELECT randomblob(100)"),
        std::string("SELECT zeroblob(1000000000)"),
        std::string("CREATE VIRTUAL TABLE temp.x USING fts5(a); SELECT 1"),
        std::string("SELECT * FROM dbstat"), std::string("BEGIN; SELECT 1"),
        std::string("UPDATE sqlite_master SET sql = 1; SELECT 1"),
        std::string("SELECT fts3_tokenizer('simple')"), std::string("ANALYZE; SELECT 1"),
        std::string("CREATE TEMP TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END; SELECT 1")}) {
    EXPECT_NE(problemWith(job, sql), "none") << sql;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_EQ(value(job, "CREATE TEMP VIEW v AS SELECT 5 AS a; CREATE TEMP TABLE t AS SELECT a FROM v; INSERT "
                       "INTO t VALUES (7); SELECT sum(a) FROM t;"),
            "12");
  EXPECT_EQ(value(job, "SELECT count(*) > 3 FROM pragma_table_info('ranks')"), "1");
}

TEST(Sql, endsWithinItsLimits) {
  const OpenJob& job = generatedJob();
  SqlLimits limits;
  limits.time = std::chrono::milliseconds(100);
  const std::string many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) ";
  const std::string as = "WITH a(t) AS (SELECT replace(printf('%20000000s', ''), ' ', 'a')) ";
  for (const std::string& sql :
       {many + "SELECT sum(i) FROM n", many + "SELECT i FROM n",
        std::string("SELECT count(*) FROM events a, events b, events c, events d"),
        as + "SELECT t LIKE '%a%a%a%a%a%a%a%b' FROM a", as + "SELECT t GLOB '*a*a*a*a*a*a*a*b' FROM a",
        as + "SELECT instr(t, substr(t, 1, 10000000) || 'b') FROM a",
        as + "SELECT replace(t, 'a', 'aaaa') FROM a", as + "SELECT t || t FROM a",
        std::string("SELECT hex(hex(hex(hex(printf('%9000000d', 1)))))")}) {
    const SqlResult result = ask(job, sql, limits);
    ASSERT_TRUE(result.answer.problem) << sql;
    EXPECT_EQ(result.answer.problem->kind, SqlProblem::Kind::Limit)
        << sql << ": " << result.answer.problem->text;
  }
  SqlLimits few;
  few.rows = 3;
  const SqlResult cut = ask(job, "SELECT id FROM events", few);
  ASSERT_TRUE(cut.table);
  EXPECT_EQ(cut.table->rowCount(), 3u);
  EXPECT_TRUE(cut.answer.cut);
  SqlLimits small;
  small.cells = 10;
  EXPECT_EQ(ask(job, "SELECT id FROM events", small).answer.problem->kind, SqlProblem::Kind::Limit);
  Progress cancelled;
  cancelled.cancel = true;
  EXPECT_EQ(sqlResult(job.database, many + "SELECT sum(i) FROM n", {}, &cancelled).answer.problem->kind,
            SqlProblem::Kind::Cancelled);
}

TEST(Sql, saysWhatIsWrong) {
  const OpenJob& job = generatedJob();
  EXPECT_EQ(problemWith(job, "SELECT\n  begn_ns FROM events"),
            "line 2, column 3: no such column: begn_ns; did you mean begin_ns?");
  // Other tables have a column of that name.
  EXPECT_TRUE(
      problemWith(job, "SELECT name FROM kernels")
          .starts_with("line 1, column 8: no such column: name; kernels has rank, capture, kernel, "));
  EXPECT_EQ(problemWith(job, "SELECT * FROM kernls"), "no such table: kernls; did you mean kernels?");
  EXPECT_EQ(problemWith(job, "SELECT 1; SELCT 2"), "line 1, column 11: near \"SELCT\": syntax error");
  EXPECT_EQ(problemWith(job, ""), "there is no statement");
  EXPECT_EQ(problemWith(job, " -- nothing\n /* at all */ ;"), "there is no statement");
  EXPECT_EQ(problemWith(job, std::string("SELECT 1;\0SELECT 2", 18)), "there is a zero byte in the SQL");
  EXPECT_EQ(problemWith(job, "CREATE TEMP TABLE t(a)"),
            "the last statement gives no rows: end with a SELECT");
  EXPECT_EQ(problemWith(job, "SELECT * FROM args"), "wants a value for id");
  EXPECT_EQ(editDistance("begin", "begni", 3), 1u);
  EXPECT_EQ(editDistance("a", "abcdef", 3), 4u);
}

TEST(Sql, resultsHaveUnits) {
  const OpenJob& job = generatedJob();
  const SqlResult result = ask(job, "SELECT rank, step_mean_us, overlap_pct, events, avg(events) AS mean, 5 "
                                    "AS size_bytes, NULL AS empty, "
                                    "x'00ff' AS blob FROM ranks GROUP BY rank");
  ASSERT_TRUE(result.table) << result.answer.problem->text;
  std::vector<Unit> units;
  for (const TableColumn& column : result.table->columns()) units.push_back(column.unit);
  EXPECT_EQ(units, (std::vector<Unit>{Unit::Identity, Unit::Nanoseconds, Unit::Percent, Unit::Count,
                                      Unit::Ratio, Unit::Bytes, Unit::Text, Unit::Text}));
  EXPECT_EQ(evaluated("1 UNION ALL SELECT 'a'"), "2 rows");
}

TEST(Sql, linesOfJsonHoldEveryDigit) {
  const OpenJob& job = generatedJob();
  std::string text;
  JsonLines lines([&](std::string_view part) {
    text += part;
    return true;
  });
  const SqlAnswer answer =
      runSql(job.database, "SELECT 1 AS a_us, 0.1 AS b, 'x\"y' AS c, NULL AS d", {}, nullptr, lines);
  EXPECT_FALSE(answer.problem);
  lines.end(answer.cut);
  EXPECT_EQ(text, "{\"columns\": [{\"name\": \"a_us\", \"unit\": \"us\"}, {\"name\": \"b\", \"unit\": null}, "
                  "{\"name\": \"c\", \"unit\": null}, {\"name\": \"d\", \"unit\": null}]}\n"
                  "[1, 0.1, \"x\\\"y\", null]\n{\"rows\": 1, \"truncated\": false}\n");
}

TEST(Sql, writesTablesAsAFile) {
  const OpenJob& job = generatedJob();
  const test::TemporaryFolder folder;
  const std::string path = folder / "job.sqlite";
  const std::vector<std::string> all = exportedByDefault(job.database);
  EXPECT_EQ(std::ranges::count(all, "events"), 0);
  ASSERT_FALSE(writeSqlite(job.database, all, path));
  ASSERT_FALSE(writeSqlite(job.database, std::vector<std::string>{"events", "ranks"}, path))
      << "replaces the file";
  auto file = SqliteConnection::readOnly(path);
  ASSERT_TRUE(file.ok());
  auto rows = SqliteStatement::prepare(*file, "SELECT count(*) FROM events_rows");
  ASSERT_TRUE(rows.ok()) << rows.error().text();
  ASSERT_EQ(rows->step(), SqliteStatement::Step::Row);
  EXPECT_EQ(std::to_string(rows->integer(0)), value(job, "SELECT count(*) FROM events"));
  const SqlResult result = ask(job, "SELECT rank, rank, step_mean_us FROM ranks");
  ASSERT_FALSE(writeSqlite(*result.table, folder / "result.sqlite"));
  auto written = SqliteConnection::readOnly(folder / "result.sqlite");
  ASSERT_TRUE(written.ok());
  auto columns = SqliteStatement::prepare(*written, "SELECT rank, rank_2, step_mean_us FROM query");
  ASSERT_TRUE(columns.ok()) << columns.error().text();
  const auto nowhere = writeSqlite(job.database, all, "/nowhere/at/all.sqlite");
  ASSERT_TRUE(nowhere);
  EXPECT_NE(nowhere->text().find("/nowhere/at/all.sqlite"), std::string::npos);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2)
      << "nothing is left beside";
}

TEST(Sql, rowsAreThoseOfThePart) {
  const OpenJob& whole = generatedJob();
  const auto analysis = std::make_shared<const Analysis>(
      whole.report.analysis(),
      onlyRanks(whole.report.analysis(), wholeScope(whole.report.analysis()), std::vector<int>{1}));
  const JobReport report(analysis);
  const SqlDatabase database(report, 1);
  const SqlResult ranks = sqlResult(database, "SELECT DISTINCT rank FROM events", {});
  ASSERT_TRUE(ranks.table);
  EXPECT_EQ(toCsv(*ranks.table), "rank\r\n1\r\n");
  const SqlResult same = sqlResult(database, "SELECT count(*), min(id) FROM events", {});
  EXPECT_EQ(toCsv(*same.table), answer(whole, "SELECT count(*), min(id) FROM events WHERE rank = 1"))
      << "ids stay";
}

} // namespace rankscope
