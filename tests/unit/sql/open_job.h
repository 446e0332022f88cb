// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs to be asked in SQL. The generated one is loaded once for all tests of the program.
#pragma once

#include "core/base/progress.h"
#include "core/export/csv.h"
#include "core/io/load/trace_loader.h"
#include "core/report/tables.h"
#include "core/sql/sql_query.h"
#include "tests/support/job_variants.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hand_made_job.h"

#include <memory>
#include <stdexcept>
#include <string>

namespace rankscope::test {

inline std::shared_ptr<const TraceSet> loadJob(const std::string& path) {
  LoadOptions options;
  options.threadCount = 2;
  Progress progress;
  auto loaded = loadTraces({path}, options, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  return *loaded;
}

inline std::string golden(const std::string& name) {
  return (goldenCase(name) / "input").string();
}

struct OpenJob {
  explicit OpenJob(const std::shared_ptr<const TraceSet>& trace)
      : report(std::make_shared<const Analysis>(trace)), database(report, 2) {}

  JobReport report;
  SqlDatabase database;
};

// Two ranks on two hosts whose clocks differ.
inline JobOptions twoRanks() {
  JobOptions options = smallJob();
  options.ranks = 2;
  options.ranksPerNode = 1;
  options.clockOffsetNs = {0, 3'000'000};
  options.clockDriftPpb = {0, 20'000};
  options.withStack = true;
  return options;
}

// Loaded once.
inline const OpenJob& generatedJob() {
  static const TemporaryFolder folder;
  static const OpenJob job = [] {
    (void)generateJob(twoRanks(), folder.path() / "job");
    return OpenJob(loadJob((folder.path() / "job").string()));
  }();
  return job;
}

inline SqlResult ask(const OpenJob& job, const std::string& sql, const SqlLimits& limits = {}) {
  return sqlResult(job.database, sql, limits);
}

// The result as CSV, or the problem.
inline std::string answer(const OpenJob& job, const std::string& sql) {
  const SqlResult result = ask(job, sql);
  return result.table ? toCsv(*result.table) : "problem: " + result.answer.problem->text;
}

inline std::string value(const OpenJob& job, const std::string& sql) {
  const SqlResult result = ask(job, sql);
  if (!result.table) return "problem: " + result.answer.problem->text;
  if (result.table->rowCount() != 1) return std::to_string(result.table->rowCount()) + " rows";
  return exactText(*result.table, 0, 0);
}

inline std::string problemWith(const OpenJob& job, const std::string& sql) {
  const SqlResult result = ask(job, sql);
  return result.answer.problem ? result.answer.problem->text : "none";
}

// What text functions and values give without a job.
inline std::string evaluated(const std::string& expression) {
  static const OpenJob job(jobWithoutEvents());
  return value(job, "SELECT " + expression);
}
} // namespace rankscope::test
