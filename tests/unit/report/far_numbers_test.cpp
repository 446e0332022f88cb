// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers at the ends of what is accepted: what is summed, subtracted and scaled of them stays a number. Run
// under the undefined sanitizer it also proves that nothing overflows on the way.
#include "core/io/load/trace_loader.h"
#include "core/model/retimed.h"
#include "core/query/range_statistics.h"
#include "core/report/html_report.h"
#include "core/report/summary_json.h"
#include "core/report/summary_text.h"
#include "core/report/tables.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

constexpr TimeNs kHalfAYear = 18'000'000'000'000'000; // just less than is accepted
constexpr int kManyCalls = 600;

std::shared_ptr<const TraceSet> loaded(const std::string& folder) {
  Progress progress;
  auto traces = loadTraces({folder}, {}, progress);
  return traces.ok() ? *traces : nullptr;
}

// Operators that launch kernels, all of them half a year long and at the same time.
std::string longCalls(int rank) {
  test::TraceText text;
  text.distributedInfo(rank, 2).addStep(1, 0, kHalfAYear).addStep(2, kHalfAYear, kHalfAYear);
  for (int i = 0; i < kManyCalls; ++i) {
    text.addCpuOp(1, i, kHalfAYear - 2 * i, "aten::mm");
    text.addRuntime(1, kManyCalls + i, kHalfAYear / 2, "cudaLaunchKernel", i + 1);
    text.addKernel(0, 7, kManyCalls + i, kHalfAYear, "gemm", i + 1);
    text.addCollective(0, 8, i, kHalfAYear, "allreduce", std::int64_t{1} << 40, 2);
    text.addCopy(0, 9, i, kHalfAYear, "Memcpy HtoD (Pageable -> Device)", std::int64_t{1} << 45);
    text.addMemory(1, 10 + i, std::int64_t{1} << 45, -1, -1, 0, 0x1000 + i);
    text.addPython(1, i, kHalfAYear - 2 * i, "train.py(7): step", i);
  }
  return text.text();
}

// At the far end of time: the first rank at the beginning, the second at the end.
std::string farAway(int rank) {
  const bool late = rank == 1;
  const TimeNs at = late ? kMaxTime - 50'000'000 : -kMaxTime;
  test::TraceText text;
  text.distributedInfo(rank, 2).baseTime(late ? kMaxTime : 0);
  text.metadata("deviceProperties",
                R"([{"id": 4294967296, "totalGlobalMem": -5, "numSms": 9223372036854775807}])");
  for (int i = 0; i < 20; ++i) {
    const TimeNs begin = at + 2'000'000 * i;
    text.addStep(i, begin, 1'900'000).addCpuOp(1, begin + 10, 1'000'000, "aten::mm");
    text.addRuntime(1, begin + 20, 10, "cudaLaunchKernel", i + 1);
    text.addKernel(0, INT64_MAX, begin + 500, 900'000, "gemm", i + 1);
    text.addKernel(0, 8, begin + 800'000, 1'000'000, "ncclDevKernel_AllReduce", -1,
                   fmt::format(R"("Collective name": "allreduce", "In msg nelems": 9223372036854775807,
                                  "Out msg nelems": 9223372036854775807, "Group size": 9223372036854775807,
                                  "dtype": "Double", "Process Group Name": "g", "Seq": {},
                                  "Global rank start": 9223372036854775807,
                                  "Global rank stride": 9223372036854775807)",
                               i));
    text.addMemory(1, begin + 30, i % 2 == 0 ? std::int64_t{1} << 45 : -(std::int64_t{1} << 45),
                   std::int64_t{1} << 45, std::int64_t{1} << 45, 0, INT64_MAX);
  }
  return text.text();
}

// Of every rank, and over the whole of time.
void expectStatistics(const std::shared_ptr<const TraceSet>& traces) {
  const std::atomic<bool> cancel{false};
  RangeScope scope;
  scope.range = kAllTime;
  scope.shifts.assign(traces->ranks().size(), std::numeric_limits<TimeNs>::max());
  EXPECT_TRUE(rangeStatistics(*traces, scope, 2, cancel).has_value());
  scope.shifts.clear();
  const auto statistics = rangeStatistics(*traces, scope, 2, cancel);
  ASSERT_TRUE(statistics.has_value());
  EXPECT_GE(statistics->sums.total, 0);
  EXPECT_GE(statistics->sums.mean(), 0);
}

// All that is written of a job.
void expectReport(const JobReport& report) {
  for (const TableSpec& spec : tableSpecs()) {
    const ResultTable table = spec.make(report);
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      const TableColumn& of = table.columns()[column];
      if (of.name != "total_us" && of.name != "host_total_us" && of.name != "device_total_us") continue;
      for (std::size_t row = 0; row < table.rowCount(); ++row) {
        if (table.isEmpty(row, column)) continue;
        EXPECT_GE(std::get<std::int64_t>(table.at(row, column)), 0) << spec.name << " " << of.name;
      }
    }
  }
  EXPECT_FALSE(summaryText(report).empty());
  EXPECT_FALSE(summaryJson(report, {}).empty());
  EXPECT_FALSE(htmlReport(report, {}, {}).empty());
}

// The cell of the first row with this name.
std::optional<std::int64_t> totalOf(const JobReport& report, std::string_view of, std::string_view key,
                                    std::string_view name, std::string_view column) {
  const auto spec = std::ranges::find(tableSpecs(), of, &TableSpec::name);
  if (spec == tableSpecs().end()) return {};
  const ResultTable table = spec->make(report);
  const auto keys = table.columnNamed(key), totals = table.columnNamed(column);
  for (std::size_t row = 0; keys && totals && row < table.rowCount(); ++row) {
    if (std::get<std::string_view>(table.at(row, *keys)) == name)
      return std::get<std::int64_t>(table.at(row, *totals));
  }
  return {};
}

struct Job {
  test::TemporaryFolder folder;
  std::shared_ptr<const TraceSet> traces;

  explicit Job(std::string (*textOf)(int rank)) {
    for (int rank = 0; rank < 2; ++rank)
      test::writeTraceFile(folder / fmt::format("rank{}.json", rank), textOf(rank));
    traces = loaded(folder.path().string());
  }
};

} // namespace

TEST(FarNumbers, sumsOfTheLongestDurationsAreNeverNegative) {
  const Job job(&longCalls);
  ASSERT_NE(job.traces, nullptr);
  const JobReport report(std::make_shared<const Analysis>(job.traces));
  const Analysis& analysis = report.analysis();
  const std::vector<KernelStatistics>& kernels = analysis.kernels(RankIndex(0));
  const auto found = std::ranges::find_if(
      kernels, [&](const KernelStatistics& kernel) { return job.traces->names()[kernel.name] == "gemm"; });
  ASSERT_NE(found, kernels.end());
  const KernelStatistics& gemm = *found;
  EXPECT_EQ(gemm.calls, kManyCalls);
  EXPECT_EQ(gemm.total, ExactSum::kMax);
  EXPECT_EQ(totalOf(report, "kernels", "kernel", "gemm", "total_us"), ExactSum::kMax);
  EXPECT_EQ(totalOf(report, "operators", "operator", "aten::mm", "device_total_us"), ExactSum::kMax);
  // Means and shares are taken from the sum as it is.
  EXPECT_DOUBLE_EQ(gemm.meanNs, static_cast<double>(kHalfAYear));
  EXPECT_DOUBLE_EQ(static_cast<double>(gemm.total), static_cast<double>(kHalfAYear) * kManyCalls);
  expectReport(report);
  expectStatistics(job.traces);
}

TEST(FarNumbers, theEndsOfTimeAreTimesLikeOthers) {
  const Job job(&farAway);
  ASSERT_NE(job.traces, nullptr);
  ASSERT_EQ(job.traces->ranks().size(), 2U);
  for (const RankEntry& entry : job.traces->ranks()) {
    const TimeRange extent = entry.trace->extent;
    EXPECT_FALSE(extent.empty());
    EXPECT_GE(extent.begin, kAllTime.begin);
    EXPECT_LE(extent.end, kAllTime.end);
    // No number of the devices' properties was one.
    EXPECT_EQ(entry.trace->metadata.devices.front().id, -1);
    EXPECT_EQ(entry.trace->metadata.devices.front().multiprocessors, 0);
  }
  const JobReport report(std::make_shared<const Analysis>(job.traces));
  const Analysis& analysis = report.analysis();
  expectReport(report);
  expectStatistics(job.traces);
  const auto drawn = onJobClock(job.traces, analysis.clocks());
  for (const RankEntry& entry : drawn->ranks()) {
    EXPECT_GE(entry.trace->extent.begin, kAllTime.begin);
    EXPECT_LE(entry.trace->extent.end, kAllTime.end);
  }
}

} // namespace rankscope
