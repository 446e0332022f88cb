// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and summaries of a job (core/report/job_report).
#include "core/export/csv.h"
#include "core/report/job_totals.h"
#include "core/report/outlier_ranks.h"
#include "core/report/summary_json.h"
#include "core/report/summary_text.h"
#include "core/report/tables.h"
#include "core/report/text_table.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace rankscope {

namespace {

HandMadeRank trainingRank(TimeNs gemm) {
  HandMadeRank rank;
  RawDevice detail;
  detail.blocksPerSm = 1.5F;
  detail.occupancyPct = 25;
  rank.annotation(1000 * kUs, 200 * kUs, "ProfilerStep#7")
      .annotation(1200 * kUs, 100 * kUs + 1, "ProfilerStep#8")
      .device(EventKind::Kernel, 7, 1010 * kUs, gemm, "=gemm<float>", detail)
      .device(EventKind::Kernel, 7, 1200 * kUs, 20 * kUs, "=gemm<float>", detail)
      .collective(20, 1150 * kUs, 40 * kUs, "ncclDevKernel_AllReduce, \"sum\"")
      .device(EventKind::Copy, 22, 1100 * kUs, 5 * kUs + 500, "Memcpy HtoD");
  return rank;
}

std::shared_ptr<const TraceSet> twoRanks() {
  HandMadeJob job;
  job.setWorldSize(4);
  job.add(0, trainingRank(150 * kUs)).add(1, trainingRank(50 * kUs)).leaveOut("job/notes.txt", "not a trace");
  return job.build();
}

JobReport reportOf(std::shared_ptr<const TraceSet> trace) {
  return JobReport(std::make_shared<const Analysis>(std::move(trace)));
}

std::size_t lineCount(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::shared_ptr<const TraceSet> manyRanks(int count, int odd) {
  HandMadeJob job;
  for (int i = 0; i < count; ++i) {
    HandMadeRank rank;
    rank.annotation(0, 900 * kUs, "ProfilerStep#1");
    rank.kernel(7, 0, 500 * kUs + i % 7, "gemm").kernel(7, (i == odd ? 2000 : 800) * kUs, 10 * kUs, "gemm");
    job.add(i, std::move(rank));
  }
  return job.build();
}

} // namespace

TEST(Tables, ranksHaveEveryColumnOfTheContractInOrder) {
  const Analysis analysis(twoRanks());
  const ResultTable table = ranksTable(analysis);
  std::string header;
  for (const TableColumn& column : table.columns()) header += column.name + " ";
  EXPECT_EQ(header,
            "rank capture host gpu world_size steps events step_mean_us gpu_span_us gpu_busy_us compute_us "
            "communication_us overlap_us exposed_communication_us memory_us idle_us overlap_pct "
            "gpu_utilization_pct sm_efficiency_pct occupancy_pct wait_us transfer_us collectives "
            "last_arrivals lateness_mean_us z_score slowdown straggler clock_offset_us clock_residual_us "
            "peak_allocated_bytes peak_reserved_bytes ");
}

TEST(Tables, ranksAsCsv) {
  const Analysis analysis(twoRanks());
  const std::string csv = toCsv(ranksTable(analysis));
  EXPECT_EQ(
      csv.substr(csv.find('\n') + 1),
      "0,1,node0,Test "
      "GPU,4,2,6,150.001,210,200,170,40,10,30,5.5,10,25,66.666,56.666,25,0,40,1,0,0,1,1.015152,0,0,0,,\r\n"
      "1,1,node0,Test "
      "GPU,4,2,6,150.001,210,115.5,70,40,0,40,5.5,94.5,0,36.667,23.333,25,0,40,1,0,0,-1,0.984848,0,0,0,,"
      "\r\n");
}

TEST(Tables, kernelsAsCsv) {
  const Analysis analysis(twoRanks());
  const std::string csv = toCsv(kernelsTable(analysis));
  EXPECT_EQ(
      csv.substr(0, csv.find("\r\n1,")),
      "rank,capture,kernel,kind,calls,total_us,mean_us,min_us,max_us,stddev_us,blocks_per_sm,occupancy_pct,"
      "tensor_cores\r\n"
      "0,1,'=gemm<float>,compute,2,170,85,20,150,91.924,1.5,25,\r\n"
      "0,1,\"ncclDevKernel_AllReduce, \"\"sum\"\"\",communication,1,40,40,40,40,,,,\r\n"
      "0,1,Memcpy HtoD,memory,1,5.5,5.5,5.5,5.5,,,,");
}

TEST(Tables, filesSayWhatWasLeftOut) {
  const Analysis analysis(twoRanks());
  EXPECT_EQ(
      toCsv(filesTable(analysis)),
      "path,rank,capture,rank_from,host,bytes,json_bytes,events,begin_us,end_us,repaired,skipped,note\r\n"
      "job/rank0_1.json,0,1,metadata,node0,100,1000,6,0,300.001,0,0,\r\n"
      "job/rank1_1.json,1,1,metadata,node0,100,1000,6,0,300.001,0,0,\r\n"
      "job/notes.txt,,,,,7,,,,,,,not a trace\r\n");
}

TEST(Tables, aPromisedTableThatIsNotComputedIsKnownAndHasNoMaker) {
  ASSERT_NE(tableSpec("collective_instances"), nullptr);
  ASSERT_NE(tableSpec("kernels"), nullptr);
  EXPECT_NE(tableSpec("kernels")->make, nullptr);
  EXPECT_EQ(tableSpec("nonsense"), nullptr);
  for (const TableSpec& spec : tableSpecs()) {
    EXPECT_EQ(spec.make(reportOf(twoRanks())).name(), spec.name);
  }
}

TEST(Tables, everyTableWithARankHasTheCaptureAfterIt) {
  const JobReport report = reportOf(twoRanks());
  for (const TableSpec& spec : tableSpecs()) {
    if (spec.nccl) continue; // ranks of a communicator
    const ResultTable table = spec.make(report);
    const auto rank = table.columnNamed("rank");
    // The layout of the job is the same in every capture; other files belong to none.
    const bool exempt =
        spec.name == "parallel_ranks" || spec.name.starts_with("snapshot") || spec.name == "flight_recorder";
    if (!rank || exempt) continue;
    EXPECT_EQ(table.columnNamed("capture"), *rank + 1) << spec.name;
  }
}

TEST(Tables, areTheSameWhetherTheyArePreparedOrNot) {
  for (const TableSpec& spec : tableSpecs()) {
    const JobReport prepared = reportOf(twoRanks());
    prepareTable(prepared, spec, 2);
    EXPECT_EQ(toCsv(spec.make(prepared)), toCsv(spec.make(reportOf(twoRanks())))) << spec.name;
  }
}

TEST(JobTotals, addUpTheRanks) {
  const JobTotals totals = jobTotals(Analysis(twoRanks()));
  EXPECT_EQ(totals.distinctRanks, 2);
  EXPECT_EQ(totals.steps, 2);
  EXPECT_EQ(totals.filesRead, 2U);
  EXPECT_EQ(totals.filesLeftOut, 1U);
  EXPECT_EQ(totals.gpuBusy, 315'500);
  EXPECT_EQ(totals.gpuBusy + totals.idle, totals.gpuSpan);
  EXPECT_EQ(totals.overlap + totals.exposedCommunication, totals.communication);
}

TEST(OutlierValues, findsTheOneThatIsFarFromTheOthers) {
  const std::vector<TimeNs> values = {100, 101, 99, 100, 150, 100, 102};
  const auto odd = outlierValues(values);
  ASSERT_EQ(odd.size(), 1U);
  EXPECT_EQ(odd[0].index, 4U);
  EXPECT_NEAR(odd[0].excess, 0.5, 0.01);
}

TEST(OutlierValues, smallOrSpreadOutDifferencesAreNotOdd) {
  EXPECT_TRUE(outlierValues(std::vector<TimeNs>{1000, 1000, 1000, 1000, 1010}).empty());
  EXPECT_TRUE(outlierValues(std::vector<TimeNs>{10, 20, 30, 40, 50, 60, 70}).empty());
  EXPECT_TRUE(outlierValues(std::vector<TimeNs>{0, 0, 0, 0}).empty());
  EXPECT_TRUE(outlierValues(std::vector<TimeNs>{}).empty());
}

TEST(SummaryText, namesTheRanksTheirFiguresAndWhatIsMissing) {
  const std::string text = summaryText(reportOf(twoRanks()));
  EXPECT_TRUE(contains(text, "2 ranks of 4 · 1 host · 2 steps")) << text;
  EXPECT_TRUE(contains(text, "job/notes.txt: not a trace")) << text;
  EXPECT_TRUE(contains(text, "Missing ranks: 2, 3")) << text;
  EXPECT_TRUE(contains(text, "exposed")) << text;
  EXPECT_TRUE(contains(text, "=gemm<float>")) << text;
}

TEST(SummaryText, saysWhatIsOfTheRangeAndWhatOfWholeRecordings) {
  const auto whole = std::make_shared<const Analysis>(twoRanks());
  AnalysisScope scope{whole->ranks(), {}};
  for (const RankIndex rank : whole->ranks())
    scope.windows.push_back(RankRange::of(whole->stepWindows(rank).steps.front().range));
  const std::string all = summaryText(JobReport(whole));
  EXPECT_TRUE(contains(all, "\nRanks (step: mean; other times: total of the recording)\n")) << all;
  EXPECT_FALSE(contains(all, "whole recordings")) << all;
  const std::string part = summaryText(JobReport(std::make_shared<const Analysis>(*whole, scope)));
  EXPECT_TRUE(contains(part, " · 1 step · ") && contains(part, " events in whole recordings · ")) << part;
  EXPECT_TRUE(contains(part, "\nRanks (step: mean; other times: total of the range)\n")) << part;
  EXPECT_TRUE(contains(part, "events recorded")) << part;
  EXPECT_TRUE(contains(part, "\nCollectives of the whole recordings: ")) << part;
}

TEST(SummaryText, fitsOneScreenForManyRanksAndNamesTheOddOne) {
  const std::string text = summaryText(reportOf(manyRanks(512, 311)));
  EXPECT_LE(lineCount(text), 40U) << text;
  EXPECT_TRUE(contains(text, "median")) << text;
  EXPECT_TRUE(contains(text, "512 recordings, 1 outlier")) << text;
  EXPECT_TRUE(contains(text, "  311 ")) << text;
  EXPECT_TRUE(contains(text, "outlier: GPU span, idle")) << text;
}

TEST(SummaryText, capturesThatLieFarApartAreNotCountedAsRecordedBetween) {
  constexpr TimeNs kHour = 3'600'000'000'000;
  HandMadeJob job;
  for (int capture = 1; capture <= 2; ++capture) {
    HandMadeRank rank;
    const TimeNs begin = (capture - 1) * kHour;
    for (TimeNs step = 0; step < 3; ++step) {
      rank.annotation(begin + step * 10'000'000, 10'000'000, "ProfilerStep#" + std::to_string(step));
      rank.kernel(7, begin + step * 10'000'000, 5'000'000, "gemm");
    }
    job.add(0, std::move(rank), capture);
  }
  const JobReport report(std::make_shared<const Analysis>(job.build()));
  const std::string text = summaryText(report);
  EXPECT_NE(text.find(" · 6 steps · "), std::string::npos) << text;
  EXPECT_NE(text.find("60.0 ms recorded within 3 600 s"), std::string::npos) << text;
}

TEST(SummaryText, saysSoWhenThereIsNoDeviceActivity) {
  HandMadeJob job;
  HandMadeRank rank;
  rank.op(0, 100, "aten::mm");
  job.add(0, std::move(rank));
  const std::string text = summaryText(reportOf(job.build()));
  EXPECT_TRUE(contains(text, "No device activity")) << text;
  EXPECT_FALSE(contains(text, "exposed")) << text;
}

TEST(SummaryText, countsNamesOfKernels) {
  HandMadeJob job;
  HandMadeRank one, two;
  one.kernel(7, 0, 100, "gemm").kernel(7, 200, 100, "gemm");
  job.add(0, std::move(one));
  EXPECT_TRUE(contains(summaryText(reportOf(job.build())), "Device time by kernel (1 name, "));
  two.kernel(7, 0, 100, "relu");
  job.add(1, std::move(two));
  EXPECT_TRUE(contains(summaryText(reportOf(job.build())), "Device time by kernel (2 names, "));
}

TEST(SummaryJson, holdsTotalsFilesAndDefinitions) {
  const std::vector<std::string> files = {"ranks.csv"};
  const std::string json = summaryJson(reportOf(twoRanks()), files);
  for (const char* part : {"\"job\": \"job\"", "\"world_size\": 4", "\"steps\": 2", "\"gpu_busy_us\": 315.5",
                           // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one text
                           "\"version\": \"" RANKSCOPE_VERSION "\"", "\"note\": \"not a trace\"",
                           "\"ranks.csv\"", "\"exposed_communication_us\": \"communication_us - overlap_us"})
    EXPECT_TRUE(contains(json, part)) << part << "\n" << json;
}

TEST(TextTable, countsCharactersNotBytes) {
  TextTable table({"<name", "time"});
  table.addRow({"µµ", "1 µs"});
  table.addRow({"abc", "10 µs"});
  EXPECT_EQ(table.text(), "  name   time\n"
                          "  µµ     1 µs\n"
                          "  abc   10 µs\n");
}

TEST(TextTable, printableTextSendsNoControlCodesToATerminal) {
  EXPECT_EQ(printableText("a\x1b[31mb\n\x7f"), "a [31mb  ");
  EXPECT_EQ(printableText("x\xc2\x9by"), "x y");
  EXPECT_EQ(printableText("µs\xff"), "µs\xef\xbf\xbd");
  EXPECT_EQ(printableText("abcdef", 6), "abcdef");
  EXPECT_EQ(printableText("abcdefg", 6), "abcde…");
  EXPECT_EQ(printableText("µµµµ", 3), "µµ…");
  EXPECT_EQ(printableText("abcdefgh", 6, 2), "abc…gh");
}

} // namespace rankscope
