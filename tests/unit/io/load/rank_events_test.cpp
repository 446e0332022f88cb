// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/rank_events.h"

#include "core/export/csv.h"
#include "core/io/load/job_loader.h"
#include "core/model/rank_digest.h"
#include "core/report/digest_rows.h"
#include "core/report/digest_tables.h"
#include "tests/support/digest_job.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

std::string tablesOf(const JobReport& report) {
  std::string text;
  for (const TableSpec& spec : tableSpecs())
    if (neededForTable(spec.name).empty()) text += toCsv(tableOf(report, spec));
  return text;
}

class RankEvents : public testing::Test {
 protected:
  void SetUp() override {
    test::JobOptions options;
    options.ranks = 3;
    options.ranksPerNode = 1;
    options.steps = 2;
    options.layers = 1;
    options.clockOffsetNs = {0, 3'000'000, -2'000'000};
    options.differentBases = true;
    test::generateJob(options, m_folder / "job");
    Progress progress;
    m_traces = *loadJob({m_folder / "job"}, {}, progress);
    m_digest = *openedDigest(test::digestJob(Analysis(m_traces)));
  }
  Result<std::shared_ptr<const TraceSet>> loaded(RankIndex rank, const std::string& path) {
    Progress progress;
    return withRankEvents(*m_digest, rank, path, 2, progress);
  }

  test::TemporaryFolder m_folder;
  std::shared_ptr<const TraceSet> m_traces;
  std::shared_ptr<const TraceSet> m_digest;
};

} // namespace

TEST_F(RankEvents, areThoseOfTheTraceAndChangeNoTable) {
  const RankIndex rank(1);
  const auto path = reachableTrace(*m_digest, rank);
  ASSERT_TRUE(path);
  const auto job = loaded(rank, *path);
  ASSERT_TRUE(job.ok()) << job.error().text();
  EXPECT_EQ(digestOf(**job, rank), nullptr);
  EXPECT_NE(digestOf(**job, RankIndex(0)), nullptr);
  EXPECT_EQ((*job)->rank(rank).trace->events.size(), m_traces->rank(rank).trace->events.size());
  EXPECT_EQ((*job)->rank(rank).trace->extent.begin, m_traces->rank(rank).trace->extent.begin);
  const JobReport digest(std::make_shared<const Analysis>(m_digest));
  const JobReport mixed(std::make_shared<const Analysis>(*job));
  EXPECT_EQ(tablesOf(mixed), tablesOf(digest));
}

TEST_F(RankEvents, ofAnotherFileAreRefused) {
  const RankIndex rank(1);
  const std::string other = *reachableTrace(*m_digest, RankIndex(2));
  std::ofstream(m_folder / "one.json") << R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2}]})";
  const auto job = loaded(rank, m_folder / "one.json");
  ASSERT_FALSE(job.ok());
  EXPECT_NE(job.error().text().find("not the trace that was digested"), std::string::npos);
  EXPECT_FALSE(loaded(rank, m_folder / "absent.json").ok());
  std::filesystem::remove(other);
  EXPECT_FALSE(reachableTrace(*m_digest, RankIndex(2)));
}

TEST_F(RankEvents, ofAnotherHostAreFoundByTheSamePath) {
  std::vector<FileRecord> files = m_digest->files();
  const RankIndex rank(1);
  FileRecord& file = files[m_digest->rank(rank).file.value];
  const std::string local = file.path;
  file.path = "node-7:" + local;
  const auto renamed = [&] {
    return TraceSet(m_digest->jobName(), m_digest->names(), m_digest->ranks(), files);
  };
  EXPECT_EQ(reachableTrace(renamed(), rank), local);
  ++file.bytes;
  EXPECT_FALSE(reachableTrace(renamed(), rank)) << "another file";
}

} // namespace rankscope
