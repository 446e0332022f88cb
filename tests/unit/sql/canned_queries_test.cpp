// SPDX-License-Identifier: GPL-3.0-or-later
// The queries that are offered: they answer on any job what tables say, and their plans scan no table in
// vain.
#include "core/sql/canned_queries.h"

#include "core/export/csv.h"
#include "core/sql/sql_query.h"
#include "tests/support/job_variants.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/sql/open_job.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <string_view>

namespace rankscope {

using test::answer;
using test::ask;
using test::generatedJob;
using test::golden;
using test::loadJob;
using test::OpenJob;
using test::problemWith;
using test::twoRanks;

TEST(Sql, cannedQueriesAnswerOnAnyJob) {
  std::vector<std::unique_ptr<OpenJob>> jobs;
  for (const char* name : {"overlap", "operators", "cpu_only", "cycles"})
    jobs.push_back(std::make_unique<OpenJob>(loadJob(golden(name))));
  for (const CannedQuery& query : cannedQueries()) {
    EXPECT_EQ(problemWith(generatedJob(), std::string(query.sql)), "none") << query.id;
    for (const auto& job : jobs) EXPECT_EQ(problemWith(*job, std::string(query.sql)), "none") << query.id;
    EXPECT_TRUE(query.meaning.ends_with('.')) << query.id;
  }
}

// What they say is what the tables of the same content say. A mirror reads another table, or the same rows in
// another way.
TEST(Sql, cannedQueriesAgreeWithTables) {
  struct Mirror {
    const char* id;
    const char* columns; // of the canned query, with what follows its FROM
    const char* mirror;
  };
  constexpr std::array<Mirror, 14> kMirrors{{
      {"kernels_by_step", "step, sum(calls), round(sum(total_us), 3) | GROUP BY step ORDER BY step",
       "SELECT w.step, count(*), round(us(sum(k.duration_ns)), 3) FROM (SELECT step, rank, min(begin_ns) AS "
       "b, "
       "max(end_ns) AS e FROM step_windows GROUP BY step, rank) AS w JOIN events AS k ON k.rank = w.rank AND "
       "k.begin_ns >= w.b AND k.begin_ns < w.e WHERE k.kind IN ('kernel', 'memcpy', 'memset') GROUP BY "
       "w.step "
       "ORDER BY w.step"},
      {"kernels_by_step", "count(DISTINCT kernel) | ",
       "SELECT count(DISTINCT short_name(kernel)) FROM kernels WHERE kind <> 'communication'"},
      {"top_modules", "rank, path, class, calls, device_self_us, exposed_us | ORDER BY rank, path, class",
       "SELECT rank, path, class, calls, device_self_us, exposed_us FROM modules ORDER BY rank, path, class"},
      {"exposed_communication",
       "operation, sum(calls), round(sum(exposed_us_per_rank) * (SELECT count(*) FROM "
       "ranks), 1) | GROUP BY operation ORDER BY operation",
       "SELECT operation, sum(calls), round(sum(exposed_us), 1) FROM collectives GROUP BY operation ORDER BY "
       "operation"},
      {"last_by_size", "operation, bytes, rank, last | WHERE last > 0 ORDER BY operation, bytes, rank",
       "SELECT operation, bytes, last_rank, count(*) FROM collective_instances WHERE last_rank IS NOT NULL "
       "GROUP BY operation, bytes, last_rank ORDER BY operation, bytes, last_rank"},
      {"launch_delay", "rank, sum(kernels), max(max_us) | GROUP BY rank ORDER BY rank",
       "SELECT k.rank, count(*), max(us(k.begin_ns - l.end_ns)) FROM event_links AS x JOIN kernel_events AS "
       "k "
       "ON k.id = x.to_id JOIN events AS l ON l.id = x.from_id WHERE x.kind = 'launch' GROUP BY k.rank ORDER "
       "BY "
       "k.rank"},
      {"after_idle", "rank, step, gap_us, cause, leaf, kernel | ORDER BY gap_us, rank, step, kernel",
       "SELECT rank, step, duration_us, cause, leaf, short_name(next_kernel) FROM gaps WHERE stream IS NULL "
       "AND "
       "duration_us > 1000 AND next_kernel IS NOT NULL ORDER BY duration_us, rank, step, "
       "short_name(next_kernel)"},
      {"uneven_operators", "operator, ranks, min_us, max_us | ORDER BY operator",
       "SELECT x.operator, 2, min(x.device_self_us, y.device_self_us), max(x.device_self_us, "
       "y.device_self_us) "
       "FROM operators AS x JOIN operators AS y ON y.operator = x.operator AND y.rank > x.rank WHERE "
       "max(x.device_self_us, y.device_self_us) > 0 ORDER BY x.operator"},
      {"contention", "sum(calls_beside), sum(calls_alone), round(sum(calls_beside * mean_beside_us), 3) | ",
       "SELECT sum(beside), sum(alone), round(sum(us(duration)), 3) FROM (SELECT name, sum(shared > 0) AS "
       "beside, sum(shared = 0) AS alone, sum(CASE WHEN shared > 0 THEN duration_ns END) AS duration FROM "
       "(SELECT k.name, k.duration_ns, (SELECT count(*) FROM kernel_events AS c WHERE c.is_communication = 1 "
       "AND c.rank = k.rank AND c.device = k.device AND overlaps(c.begin_ns, c.end_ns, k.begin_ns, k.end_ns) "
       "> "
       "0) AS shared FROM kernel_events AS k WHERE k.kind = 'kernel') GROUP BY name HAVING beside > 2 AND "
       "alone "
       "> 2)"},
      {"copies", "rank, name, copies, round(total_us, 3) | ORDER BY rank, name",
       "SELECT rank, kernel, calls, round(total_us, 3) FROM kernels WHERE kernel LIKE 'Memcpy%' ORDER BY "
       "rank, "
       "kernel"},
      {"synchronizations",
       "rank, name, count(*), round(sum(duration_us), 3) | GROUP BY rank, name ORDER BY "
       "rank, name",
       "SELECT rank, name, calls, round(us(total_ns), 3) FROM name_sums WHERE kind = 'runtime call' AND name "
       "REGEXP 'synchronize' ORDER BY rank, name"},
      {"slow_steps", "count(*), round(sum(duration_us), 3) | ",
       "SELECT count(*), round(sum(s.duration_us), 3) FROM steps AS s WHERE s.duration_us > 1.1 * (SELECT "
       "median(duration_us) FROM steps AS m WHERE m.rank = s.rank AND m.kept = 1)"},
      {"memory_growth", "rank, operator, calls, self_increase_bytes | ORDER BY rank, operator",
       "SELECT rank, operator, sum(calls), sum(self_size_increase_bytes) FROM memory WHERE device LIKE "
       "'GPU%' "
       "GROUP BY rank, operator HAVING sum(size_increase_bytes) > 0 ORDER BY rank, operator"},
      {"memory_growth", "count(*) > 0 | ", "SELECT 1"},
  }};
  test::JobOptions options = twoRanks();
  options.gaps.push_back({-1, -1, 3'000'000, test::GapCause::Sync});
  const test::TemporaryFolder folder;
  (void)test::generateJob(options, folder.path() / "job");
  const OpenJob job(loadJob((folder.path() / "job").string()));
  std::set<std::string_view> mirrored;
  for (const Mirror& mirror : kMirrors) {
    const auto query = std::ranges::find(cannedQueries(), std::string_view(mirror.id), &CannedQuery::id);
    ASSERT_NE(query, cannedQueries().end()) << mirror.id;
    mirrored.insert(query->id);
    std::string before(query->sql);
    const std::size_t last = before.rfind(';') == std::string::npos ? 0 : before.rfind(';') + 1;
    const std::string select = before.substr(last);
    before.resize(last);
    const std::string_view columns = mirror.columns;
    const std::size_t bar = columns.find('|');
    std::string sql = before + "SELECT ";
    sql += columns.substr(0, bar);
    sql += " FROM (" + select + ") ";
    sql += columns.substr(bar + 1);
    const SqlResult said = ask(job, sql);
    const SqlResult wanted = ask(job, mirror.mirror);
    ASSERT_TRUE(said.table) << mirror.id << ": " << said.answer.problem->text;
    ASSERT_TRUE(wanted.table) << mirror.id << ": " << wanted.answer.problem->text;
    EXPECT_GT(wanted.table->rowCount(), 0U) << mirror.id << ": nothing to compare";
    const std::string text = toCsv(*said.table);
    const std::string other = toCsv(*wanted.table);
    EXPECT_EQ(text.substr(text.find('\n')), other.substr(other.find('\n'))) << mirror.id;
  }
  EXPECT_EQ(mirrored.size(), cannedQueries().size());
}

namespace {

// Full scans of tables in the plan of a statement, after others that prepare it.
int fullScans(const OpenJob& job, const std::string& before, const std::string& statement) {
  const SqlResult plan = ask(job, before + "EXPLAIN QUERY PLAN " + statement);
  EXPECT_TRUE(plan.table) << statement << ": " << plan.answer.problem->text;
  int scans = 0;
  for (std::size_t row = 0; plan.table && row < plan.table->rowCount(); ++row) {
    const std::string step = exactText(*plan.table, row, 3);
    if (!step.starts_with("SCAN ")) continue;
    const std::size_t tests = step.find("VIRTUAL TABLE INDEX ");
    if (tests == std::string::npos) {
      ++scans; // a temporary table
      continue;
    }
    // "0:A=": the number of the plan, and the conditions that an event table answers by searching. "3:": a
    // column that is looked up in a list; in an event table, an order of all its rows.
    const std::string index = step.substr(tests + 20);
    const std::string conditions = index.substr(index.find(':') + 1, 2);
    const bool ordersEvents = step.find(" e ") != std::string::npos ||
                              step.find(" k ") != std::string::npos ||
                              step.find("_events ") != std::string::npos;
    const bool searches = !conditions.empty() && conditions.front() != ' ';
    if (!searches && (index.starts_with("0:") || ordersEvents)) ++scans;
  }
  return scans;
}

} // namespace

TEST(Sql, plansOfJoinsScanOneTable) {
  const OpenJob& job = generatedJob();
  for (const char* sql : {
           "SELECT count(*) FROM events AS e JOIN kernel_events AS k ON k.launch_id = e.id",
           "SELECT count(*) FROM kernel_events AS k JOIN events AS e ON e.id = k.launch_id",
           "SELECT count(*) FROM kernel_events AS k, events AS l, tracks AS t WHERE l.id = k.launch_id AND "
           "t.track_id = l.track_id",
           "SELECT count(*) FROM gap_events AS g JOIN kernel_events AS k ON k.id = g.next_id",
           "SELECT count(*) FROM gap_events AS g JOIN events AS e ON e.id = g.host_id WHERE g.duration_ns > "
           "9",
           "SELECT count(*) FROM step_windows AS s JOIN kernel_events AS k ON k.rank = s.rank AND k.begin_ns "
           ">= s.begin_ns AND k.begin_ns < s.end_ns",
           "SELECT s.step, k.name FROM step_windows AS s JOIN kernel_events AS k ON k.rank = s.rank AND "
           "k.begin_ns < s.end_ns AND k.end_ns > s.begin_ns WHERE k.kind = 'kernel'",
           "SELECT o.name, sum(k.duration_ns) FROM kernel_events AS k JOIN operator_events AS o ON o.id = "
           "k.operator_id GROUP BY o.name",
           "SELECT o.name, e.name FROM operator_events AS o JOIN events AS e ON e.id = o.id",
           "SELECT e.name, l.name FROM events AS e JOIN events AS l ON l.id = e.parent_id WHERE e.kind = "
           "'operator'",
           "SELECT e.name, l.name FROM events AS e LEFT JOIN events AS l ON l.id = e.parent_id",
           "SELECT count(*) FROM event_links AS x JOIN events AS e ON e.id = x.from_id JOIN events AS k ON "
           "k.id = x.to_id",
           "SELECT count(*) FROM collective_events AS c JOIN kernel_events AS k ON k.id = c.id",
           "SELECT count(*) FROM collective_events AS c JOIN collective_instances AS i ON i.id = c.instance",
           "SELECT c.rank, e.name FROM collective_events AS c JOIN kernel_events AS k ON k.id = c.id JOIN "
           "events AS e ON e.id = k.launch_id WHERE c.is_last = 1",
           "SELECT m.bytes, e.name FROM memory_events AS m JOIN events AS e ON e.id = m.operator_id",
           "SELECT t.label, count(*) FROM tracks AS t JOIN events AS e ON e.track_id = t.track_id GROUP BY "
           "t.track_id",
           "SELECT r.host, sum(k.duration_ns) FROM ranks_raw AS r JOIN kernel_events AS k ON k.rank = r.rank "
           "GROUP BY r.host",
           "SELECT n.short_name, count(*) FROM names AS n JOIN events AS e ON e.name_id = n.name_id GROUP BY "
           "n.name_id",
           "SELECT f.title, k.name FROM findings AS f JOIN kernel_events AS k ON k.rank = f.rank AND "
           "k.begin_ns >= f.begin_us * 1000 AND k.end_ns <= f.end_us * 1000",
           "SELECT g.duration_ns, k.name FROM gap_events AS g JOIN kernel_events AS k ON k.rank = g.rank AND "
           "k.device = g.device AND k.begin_ns = g.begin_ns + g.duration_ns",
           "SELECT s.step, s.duration_us, sum(k.duration_ns) FROM steps AS s JOIN step_windows AS w ON "
           "w.step = s.step AND w.rank = s.rank JOIN kernel_events AS k ON k.rank = w.rank AND k.begin_ns >= "
           "w.begin_ns AND k.begin_ns < w.end_ns GROUP BY s.step",
           "SELECT k.name, (SELECT count(*) FROM kernel_events AS o WHERE o.rank = k.rank AND o.begin_ns < "
           "k.end_ns AND o.end_ns > k.begin_ns) FROM kernel_events AS k WHERE k.is_communication = 1",
       })
    EXPECT_LE(fullScans(job, "", sql), 1) << sql << "\n"
                                          << answer(job, std::string("EXPLAIN QUERY PLAN ") + sql);
}

TEST(Sql, plansOfCannedQueriesScanOneTable) {
  for (const CannedQuery& query : cannedQueries()) {
    const std::string sql(query.sql);
    std::string before;
    for (std::size_t at = 0; at < sql.size();) {
      const std::size_t end = std::min(sql.find(';', at), sql.size());
      std::string statement = sql.substr(at, end - at);
      const std::string whole = statement + ";";
      // What fills a temporary table has a plan as well.
      if (const std::size_t select = statement.find("AS\n"); statement.find("CREATE TEMP TABLE") < 2)
        statement.erase(0, select + 3);
      // A table of medians is joined to the rows that it comes from.
      EXPECT_LE(fullScans(generatedJob(), before, statement), query.id == "slow_steps" ? 2 : 1)
          << query.id << "\n"
          << answer(generatedJob(), before + "EXPLAIN QUERY PLAN " + statement);
      before += whole;
      at = end + 1;
    }
  }
}

} // namespace rankscope
