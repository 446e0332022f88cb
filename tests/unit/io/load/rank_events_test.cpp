// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/rank_events.h"

#include "core/export/csv.h"
#include "core/io/load/job_loader.h"
#include "core/io/load/kept_events.h"
#include "core/model/rank_digest.h"
#include "core/model/side_files.h"
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
    return withRankEvents(*m_digest, std::vector<RankToRead>{{rank, path}}, 2, progress);
  }

  test::TemporaryFolder m_folder;
  std::shared_ptr<const TraceSet> m_traces;
  std::shared_ptr<const TraceSet> m_digest;
};

} // namespace

// A digest that was made with --keep-events does not need the traces.
TEST_F(RankEvents, areThoseThatWereKept) {
  const RankIndex rank(1);
  const std::string trace = digestedTrace(*m_digest, rank);
  auto side = std::make_shared<SideFiles>(m_digest->side());
  side->digestFolder = m_folder / "job.digest";
  m_digest = std::make_shared<const TraceSet>(m_digest->jobName(), m_digest->names(), m_digest->ranks(),
                                              m_digest->files(), TraceOrigin(), side);
  EXPECT_EQ(reachableEvents(*m_digest, rank), trace) << "nothing was kept";
  WorkQueue queue;
  NameSequencer names(queue);
  const LoadFilter filter;
  Progress progress;
  const auto one = [] { return 1U; };
  LoadContext context{{progress, queue, one, filter}, names, traceReaders()};
  const auto file = loadFile(trace, 0, context);
  ASSERT_TRUE(file.ok());
  const std::string kept = keptEventsPath(side->digestFolder, trace, "/");
  ASSERT_FALSE(keepEvents(*file, names.snapshot(), kept, traceStamp(trace)));
  std::filesystem::remove_all(m_folder / "job");
  EXPECT_EQ(reachableEvents(*m_digest, rank), kept);
  EXPECT_FALSE(reachableEvents(*m_digest, RankIndex(0)));
  const auto job = loaded(rank, kept);
  ASSERT_TRUE(job.ok()) << job.error().text();
  EXPECT_EQ((*job)->rank(rank).trace->events.size(), m_traces->rank(rank).trace->events.size());
  EXPECT_EQ((*job)->rank(rank).trace->extent.begin, m_traces->rank(rank).trace->extent.begin);
  EXPECT_EQ(tablesOf(JobReport(std::make_shared<const Analysis>(*job))),
            tablesOf(JobReport(std::make_shared<const Analysis>(m_digest))));
}

TEST_F(RankEvents, areThoseOfTheTraceAndChangeNoTable) {
  const RankIndex rank(1);
  const auto path = reachableEvents(*m_digest, rank);
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
  const std::string other = *reachableEvents(*m_digest, RankIndex(2));
  std::ofstream(m_folder / "one.json") << R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2}]})";
  const auto job = loaded(rank, m_folder / "one.json");
  ASSERT_FALSE(job.ok());
  EXPECT_NE(job.error().text().find("not the trace that was digested"), std::string::npos);
  EXPECT_FALSE(loaded(rank, m_folder / "absent.json").ok());
  std::filesystem::remove(other);
  EXPECT_FALSE(reachableEvents(*m_digest, RankIndex(2)));
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
  EXPECT_EQ(reachableEvents(renamed(), rank), local);
  ++file.bytes;
  EXPECT_FALSE(reachableEvents(renamed(), rank)) << "another file";
}

} // namespace rankscope
