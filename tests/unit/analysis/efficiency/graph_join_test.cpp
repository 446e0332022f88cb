// SPDX-License-Identifier: GPL-3.0-or-later
// Replays of CUDA graphs have the operators of their capture: by hand, and of a real server.
#include "core/analysis/efficiency/graph_join.h"

#include "core/io/load/trace_loader.h"
#include "core/report/efficiency_tables.h"
#include "core/report/job_report.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/report_of.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace rankscope {

namespace {

constexpr int kKernels = 10;

// Ten products, captured for each of the batches.
std::string captureFile(const std::vector<int>& batches) {
  test::TraceText text;
  text.distributedInfo(0, 1);
  std::int64_t begin = 0;
  for (const int batch : batches) {
    text.addAnnotation(1, begin, 900'000, "capture_" + std::to_string(batch) + "_FULL");
    text.addRuntime(1, begin + 10'000, 1'000, "cudaStreamBeginCapture_v10000");
    for (int i = 0; i < kKernels; ++i) {
      const std::int64_t op = begin + 20'000 + std::int64_t{50'000} * i;
      text.addCpuOp(1, op, 40'000, "aten::mm",
                    R"("Input Dims": [[)" + std::to_string(batch) +
                        R"(, 512], [512, 256]], "Input type": ["c10::Half", "c10::Half"])");
      text.addRuntime(1, op + 5'000, 2'000, "cudaLaunchKernel", 100 * batch + i);
    }
    text.addRuntime(1, begin + 800'000, 1'000, "cudaStreamEndCapture");
    begin += 1'000'000;
  }
  return text.text();
}

std::string replayFile(int requests, const std::string& kernel, int kernels = kKernels) {
  test::TraceText text;
  text.distributedInfo(0, 1).baseTime(200'000'000'000);
  const std::string sums = "(sq" + std::to_string(requests) + "sk900sqsq9sqsk900)";
  text.addAnnotation(1, 0, 100'000,
                     "execute_" + std::to_string(requests) + "_context_0(sq0sk0sqsq0sqsk0)_generation_" +
                         std::to_string(requests) + sums);
  text.addRuntime(1, 5'000, 20'000, "cudaGraphLaunch", 7);
  for (int i = 0; i < kernels; ++i) text.addKernel(0, 7, 50'000 + 10'000 * i, 8'000, kernel, 7);
  return text.text();
}

// Two recordings of one worker.
constexpr const char* kCaptureName = "server0.1623143089861.pt.trace.json";
constexpr const char* kReplayName = "server0.1623143566756.pt.trace.json";

std::vector<FlopCall> callsOf(const std::string& capture, const std::string& replay) {
  const test::TemporaryFolder folder;
  test::writeTraceFile((folder.path() / kCaptureName).string(), capture);
  test::writeTraceFile((folder.path() / kReplayName).string(), replay);
  const auto report = reportOf(folder.path());
  if (report == nullptr) return {};
  std::vector<FlopCall> found;
  for (const RankIndex rank : report->analysis().ranks())
    for (const FlopCall& call : report->flops().of(rank).flops.calls)
      if (call.work.tier == FlopTier::Capture) found.push_back(call);
  return found;
}

constexpr const char* kGemm = "ampere_fp16_s16816gemm_fp16_128x128_tn";

} // namespace

TEST(GraphJoin, replaysComputeWhatWasCaptured) {
  const std::vector<FlopCall> calls = callsOf(captureFile({4}), replayFile(4, kGemm));
  ASSERT_EQ(calls.size(), static_cast<std::size_t>(kKernels));
  for (const FlopCall& call : calls) {
    EXPECT_EQ(call.work.flops, 2 * 4 * 512 * 256);
    EXPECT_EQ(call.kernels, 1);
    EXPECT_EQ(static_cast<std::int64_t>(call.deviceTime), 8'000);
    EXPECT_TRUE(call.counts());
  }
}

TEST(GraphJoin, takesTheGraphOfTheFewestRequestsThatAreEnough) {
  const std::vector<FlopCall> calls = callsOf(captureFile({16, 8, 4}), replayFile(5, kGemm));
  ASSERT_EQ(calls.size(), static_cast<std::size_t>(kKernels));
  EXPECT_EQ(calls.front().work.m, 8);
}

TEST(GraphJoin, needsAsManyLaunchesAndKernelsOfProducts) {
  EXPECT_TRUE(callsOf(captureFile({4}), replayFile(4, kGemm, kKernels + 1)).empty());
  EXPECT_TRUE(callsOf(captureFile({4}), replayFile(4, "void at::native::elementwise_kernel<4>")).empty());
  EXPECT_TRUE(callsOf(captureFile({4}), replayFile(9, kGemm)).empty()) << "captured for fewer requests";
}

TEST(GraphJoin, findsTheOperatorsOfARealServer) {
  const std::filesystem::path shared = test::sharedFolder() / "traces" / "vllm-decode-graph";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(shared), test::kNoRecordings);
  const test::TemporaryFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(shared)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json.gz")) continue;
    const bool captures = name.find("graph_capture") != std::string::npos;
    std::filesystem::copy_file(entry.path(),
                               folder.path() / (std::string(captures ? kCaptureName : kReplayName) + ".gz"));
  }
  const auto report = reportOf(folder.path());
  ASSERT_NE(report, nullptr);
  std::int64_t products = 0;
  std::int64_t attention = 0;
  std::int64_t kernels = 0;
  for (const RankIndex rank : report->analysis().ranks()) {
    for (const FlopCall& call : report->flops().of(rank).flops.calls) {
      if (!call.counts()) continue;
      products += call.work.tier == FlopTier::Capture ? 1 : 0;
      attention += call.work.tier == FlopTier::Annotation ? 1 : 0;
      kernels += call.work.tier == FlopTier::Annotation ? call.kernels : 0;
    }
  }
  EXPECT_EQ(products, 72) << "addmm of 24 layers";
  EXPECT_EQ(attention, 24);
  EXPECT_EQ(kernels, 36) << "layers with two kernels of attention";
}

} // namespace rankscope
