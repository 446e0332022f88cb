// SPDX-License-Identifier: GPL-3.0-or-later
// Rules about inference and about steps that do more than train, one hand-made job each. Covers
// core/analysis/findings/finding_serving and core/analysis/findings/finding_bursts.
#include "core/analysis/findings/findings.h"

#include "core/io/load/trace_loader.h"
#include "core/report/job_report.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace rankscope {

namespace {

std::vector<Finding> findingsOf(const test::TraceText& text, FindingKind kind) {
  const test::TemporaryFolder folder;
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  Progress progress;
  auto job = loadTraces({folder.path().string()}, {}, progress);
  std::vector<Finding> found;
  if (!job.ok()) return found;
  const JobReport report(std::make_shared<const Analysis>(*job));
  for (const Finding& finding : report.findings())
    if (finding.kind == kind) found.push_back(finding);
  return found;
}

test::TraceText server() {
  test::TraceText text;
  text.metadata("deviceProperties",
                R"([{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42300000000,
                     "computeMajor": 8, "computeMinor": 0, "numSms": 108}])");
  return text;
}

// A decode iteration of 1 ms: so many products of 4 rows and `side` columns, in kernels of equal length.
void addDecode(test::TraceText& text, std::int64_t begin, int launches, std::int64_t busy, int side = 1024,
               const std::string& label = "decode[bs=4 tok=4 d=4]") {
  static int correlation = 0;
  text.addAnnotation(1, begin, 500 * kUs, label);
  const std::int64_t each = busy / launches;
  for (int i = 0; i < launches; ++i) {
    const std::int64_t at = begin + 4 * kUs * i;
    text.addCpuOp(
        1, at, 3 * kUs, "aten::mm",
        fmt::format(R"("Input Dims": [[4, {0}], [{0}, {0}]], "Input type": ["c10::Half", "c10::Half"])",
                    side));
    text.addRuntime(1, at + kUs, kUs, "cudaLaunchKernel", ++correlation);
    text.addKernel(0, 7, begin + 10 * kUs + each * i, each, "ampere_fp16_s16816gemm_fp16_64x64_tn",
                   correlation);
  }
}

} // namespace

TEST(ServingFindings, gapsBetweenIterationsNameTheirCause) {
  test::TraceText text = server();
  for (int i = 0; i < 5; ++i) {
    addDecode(text, i * kMs, 10, 400 * kUs);
    text.addPython(1, i * kMs + 500 * kUs, 490 * kUs, "scheduler.py(12): schedule", i + 1);
  }
  const auto found = findingsOf(text, FindingKind::InferenceGaps);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].evidence.find("4 gaps"), std::string::npos) << found[0].evidence;
  EXPECT_NE(found[0].title.find("55 %"), std::string::npos) << "600 of 1,000 us: " << found[0].title;
  EXPECT_FALSE(found[0].leaf.empty());
  // Told once: here, or in the finding of the same leaf.
  if (found[0].gain) {
    EXPECT_LE(found[0].gain->high, *found[0].time);
  } else {
    EXPECT_NE(found[0].evidence.find("Its gain is in"), std::string::npos);
  }
  test::TraceText busy = server();
  for (int i = 0; i < 5; ++i) addDecode(busy, i * kMs, 10, 970 * kUs);
  EXPECT_TRUE(findingsOf(busy, FindingKind::InferenceGaps).empty());
}

TEST(ServingFindings, decodeIsMeasuredByTheMemory) {
  // 10 products of 2 MB in 100 us are 210 GB/s of 1555; in 14 us they are 1498.
  const auto job = [](std::int64_t busy) {
    test::TraceText text = server();
    // With fewer kernels it would be a benchmark.
    for (int i = 0; i < 10; ++i) addDecode(text, i * kMs, 10, busy);
    return text;
  };
  const auto low = findingsOf(job(100 * kUs), FindingKind::DecodeBandwidthLow);
  ASSERT_EQ(low.size(), 1U);
  EXPECT_NE(low[0].title.find("14 %"), std::string::npos) << low[0].title;
  EXPECT_TRUE(findingsOf(job(100 * kUs), FindingKind::MemoryBoundDecode).empty());
  const auto bound = findingsOf(job(20 * kUs), FindingKind::MemoryBoundDecode);
  ASSERT_EQ(bound.size(), 1U);
  EXPECT_FALSE(bound[0].gain) << "the limit is reached";
  EXPECT_NE(bound[0].fix.find("batch of 4"), std::string::npos) << bound[0].fix;
  EXPECT_TRUE(findingsOf(job(20 * kUs), FindingKind::DecodeBandwidthLow).empty());
}

TEST(ServingFindings, prefillThatDelaysDecodeIsTold) {
  const auto job = [](std::int64_t mixed) {
    test::TraceText text = server();
    std::int64_t begin = 0;
    for (int i = 0; i < 6; ++i) {
      const bool both = i == 3;
      const std::string label = both ? "step[MIXED bs=5]" : "step[DECODE bs=4]";
      addDecode(text, begin, 10, both ? mixed : 400 * kUs, 1024, label);
      begin += (both ? mixed : 400 * kUs) + 200 * kUs;
    }
    return text;
  };
  const auto found = findingsOf(job(3 * kMs), FindingKind::PrefillBlocksDecode);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].title.find("5.2 times"), std::string::npos) << found[0].title;
  EXPECT_FALSE(found[0].gain) << "prefill must be done";
  EXPECT_TRUE(findingsOf(job(500 * kUs), FindingKind::PrefillBlocksDecode).empty());
}

TEST(ServingFindings, decodeWithoutGraphsHasManyLaunches) {
  test::TraceText text = server();
  for (int i = 0; i < 3; ++i) addDecode(text, i * kMs, 80, 400 * kUs);
  const auto found = findingsOf(text, FindingKind::NoCudaGraph);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].title.find("80 launches"), std::string::npos) << found[0].title;
  test::TraceText few = server();
  for (int i = 0; i < 3; ++i) addDecode(few, i * kMs, 20, 400 * kUs);
  EXPECT_TRUE(findingsOf(few, FindingKind::NoCudaGraph).empty());
}

TEST(ServingFindings, paddedBatchesAreTold) {
  const auto job = [](const std::string& label) {
    test::TraceText text = server();
    for (int i = 0; i < 10; ++i) addDecode(text, i * kMs, 10, 400 * kUs, 1024, label);
    return text;
  };
  const auto found = findingsOf(job("decode[bs=100/128 tok=100 d=100]"), FindingKind::PaddedBatch);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].title.find("22 %"), std::string::npos) << found[0].title;
  EXPECT_TRUE(findingsOf(job("decode[bs=127/128 tok=127 d=127]"), FindingKind::PaddedBatch).empty());
}

namespace {

// Eight steps of 1 ms; fill(rank, step, begin) adds to them and says how much longer a step is.
template <class Fill> std::vector<Finding> burstsOf(Fill&& fill) {
  HandMadeRank rank;
  TimeNs begin = 0;
  for (int step = 0; step < 8; ++step) {
    const TimeNs more = fill(rank, step, begin);
    rank.annotation(begin, kMs + more, "ProfilerStep#" + std::to_string(step));
    rank.annotation(begin + 10 * kUs, 690 * kUs, "forward");
    rank.op(begin + 700 * kUs, 100 * kUs, "autograd::engine::evaluate_function: MmBackward0");
    rank.annotation(begin + 900 * kUs, 90 * kUs, "Optimizer.step#SGD.step");
    rank.launched(begin + 20 * kUs, 7, begin + 30 * kUs, 950 * kUs, "gemm");
    begin += kMs + more;
  }
  HandMadeJob job;
  job.add(0, std::move(rank));
  const Analysis analysis(job.build());
  std::vector<Finding> found;
  for (Finding& finding : rankscope::findingsOf(analysis, jobAccount(analysis, 1)))
    if (finding.kind == FindingKind::StepBurst) found.push_back(std::move(finding));
  return found;
}

const Finding* titled(const std::vector<Finding>& findings, std::string_view title) {
  for (const Finding& finding : findings)
    if (finding.title.starts_with(title)) return &finding;
  return nullptr;
}

} // namespace

TEST(BurstFindings, loggingInTrainingStepsIsTold) {
  const auto reads = [](int count) {
    return burstsOf([=](HandMadeRank& rank, int step, TimeNs begin) -> TimeNs {
      if (step != 5) return 0;
      for (int i = 0; i < count; ++i)
        rank.op(begin + kMs + 10 * kUs * i, 8 * kUs, "aten::_local_scalar_dense");
      return 2 * kMs;
    });
  };
  const std::vector<Finding> found = reads(20);
  const Finding* const logging = titled(found, "Logging in steps");
  ASSERT_NE(logging, nullptr);
  EXPECT_EQ(logging->step, 5);
  EXPECT_TRUE(logging->evidence.starts_with("1 of 8 steps reads many values from the device: 2.00 ms longer"))
      << logging->evidence;
  EXPECT_EQ(logging->time, 2 * kMs / 8);
  EXPECT_EQ(logging->gain, (Gain{0, 2 * kMs / 8})) << "the step is in the means";
  EXPECT_EQ(titled(reads(3), "Logging in steps"), nullptr);
}

TEST(BurstFindings, savedBytesAreACheckpoint) {
  const auto copies = [](std::int64_t bytes) {
    return burstsOf([=](HandMadeRank& rank, int step, TimeNs begin) -> TimeNs {
      if (step != 5) return 0;
      RawDevice detail;
      detail.bytes = bytes;
      rank.device(EventKind::Copy, 7, begin + kMs + 10 * kUs, kMs, "Memcpy DtoH (Device -> Pageable)",
                  detail);
      return 2 * kMs;
    });
  };
  EXPECT_NE(titled(copies(200'000'000), "Checkpoint in steps"), nullptr);
  EXPECT_EQ(titled(copies(20'000'000), "Checkpoint in steps"), nullptr);
}

TEST(BurstFindings, checkpointStepsPromiseNothing) {
  const std::vector<Finding> found = burstsOf([](HandMadeRank& rank, int step, TimeNs begin) -> TimeNs {
    if (step != 6) return 0;
    rank.annotation(begin + kMs, 3 * kMs - kUs, "save_checkpoint");
    return 3 * kMs;
  });
  const Finding* const saved = titled(found, "Checkpoint in steps");
  ASSERT_NE(saved, nullptr);
  EXPECT_FALSE(saved->gain);
  EXPECT_EQ(saved->severity, Severity::Info);
  EXPECT_EQ(saved->step, 6);
}

TEST(BurstFindings, equalStepsHaveNone) {
  EXPECT_TRUE(burstsOf([](HandMadeRank&, int, TimeNs) -> TimeNs { return 0; }).empty());
}

} // namespace rankscope
