// SPDX-License-Identifier: GPL-3.0-or-later
// Labels of serving engines, and iterations of recordings. Covers core/analysis/efficiency/iteration_labels
// and core/analysis/efficiency/iteration_search.
#include "core/analysis/efficiency/iterations.h"

#include "core/io/load/trace_loader.h"
#include "core/report/efficiency_tables.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/report_of.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

std::string cell(const ResultTable& table, std::size_t row, std::string_view column) {
  return exactText(table, row, *table.columnNamed(column));
}

} // namespace

TEST(IterationLabels, areReadOfVllm) {
  const auto detailed =
      iterationLabel("execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)_generation_37("
                     "sq37sk34489sqsq37sqsk34489)");
  ASSERT_TRUE(detailed);
  EXPECT_EQ(detailed->phase, IterationPhase::Mixed);
  EXPECT_EQ(detailed->tokens, 8192);
  EXPECT_EQ(detailed->requests(), 46);
  EXPECT_EQ(detailed->prefill, (PhaseCounts{9, 8155, 8430, 7'475'785, 7'671'310}));
  EXPECT_EQ(detailed->decode, (PhaseCounts{37, 37, 34489, 37, 34489}));
  EXPECT_EQ(detailed->context(), 42919);
  const auto decode =
      iterationLabel("execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)");
  EXPECT_EQ(decode->phase, IterationPhase::Decode);
  const auto native = iterationLabel("execute_context_1(888_788544)_generation_0(0)");
  EXPECT_EQ(native->phase, IterationPhase::Prefill);
  EXPECT_EQ(native->tokens, 888);
  EXPECT_EQ(native->prefill.squares, 788'544);
  EXPECT_EQ(iterationLabel("execute_context_2(100)_generation_5(5)")->tokens, 105);
}

TEST(IterationLabels, areReadOfSglangAndAtom) {
  const auto extend = iterationLabel("step[EXTEND bs=15 toks=15360]");
  EXPECT_EQ(extend->phase, IterationPhase::Prefill);
  EXPECT_EQ(extend->requests(), 15);
  EXPECT_EQ(extend->prefill.tokens, 15360);
  const auto decode = iterationLabel("step[DECODE bs=32 g_sq=32 g_sk=640 g_sqsq=32 g_sqsk=640]");
  EXPECT_EQ(decode->phase, IterationPhase::Decode);
  EXPECT_EQ(decode->tokens, 32);
  EXPECT_EQ(decode->decode, (PhaseCounts{32, 32, 640, 32, 640}));
  EXPECT_EQ(iterationLabel("step[MIXED bs=7]")->phase, IterationPhase::Mixed);
  const auto atom = iterationLabel("decode[bs=117/128 tok=117 d=117 spec=3]");
  EXPECT_EQ(atom->phase, IterationPhase::Decode);
  EXPECT_EQ(atom->requests(), 117);
  EXPECT_EQ(atom->padded, 128);
  const auto prompt = iterationLabel("prefill[bs=2 tok=14721 ctx=[7000, 7721]]");
  EXPECT_EQ(prompt->tokens, 14721);
  EXPECT_EQ(prompt->phase, IterationPhase::Prefill);
}

TEST(IterationLabels, areReadOfTensorRtAndDiffusion) {
  const auto mixed = iterationLabel("[Executor] _forward_step 12: 3 ctx reqs, 5 gen reqs");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->phase, IterationPhase::Mixed);
  EXPECT_EQ(mixed->requests(), 8);
  EXPECT_EQ(mixed->tokens, -1) << "tokens of the prompts are not written";
  const auto counted = iterationLabel("[Executor] _forward_step 7: 2 ctx reqs, 96 ctx tokens, 32 gen reqs");
  EXPECT_EQ(counted->tokens, 128);
  const auto decode = iterationLabel("executeStep: 0 ctx reqs, 32 gen reqs");
  EXPECT_EQ(decode->phase, IterationPhase::Decode);
  EXPECT_EQ(decode->tokens, 32);
  EXPECT_FALSE(iterationLabel("[Executor] _forward_step 12: warm-up"));
  EXPECT_EQ(iterationLabel("execute_diffusion_2_256x256")->requests(), 2);
  EXPECT_FALSE(iterationLabel("execute_diffusion_2_256"));
}

TEST(IterationLabels, ofRangesThatNameAPhaseOnly) {
  EXPECT_EQ(phaseLabel("prefill")->phase, IterationPhase::Prefill);
  EXPECT_EQ(phaseLabel("generate/Decode 12")->phase, IterationPhase::Decode);
  EXPECT_EQ(phaseLabel("step: decode #3")->phase, IterationPhase::Decode);
  for (const char* other : {"decoder", "utf8decode", "decode_image", "", "12"})
    EXPECT_FALSE(phaseLabel(other)) << other;
}

TEST(IterationLabels, areNothingElse) {
  for (const char* name :
       {"capture_32_FULL", "ProfilerStep#3", "execute_", "execute_5_context_(", "step[", "decode[]",
        "execute_99999999999999999999_context_0(0)_generation_0(0)", "prefill", ""})
    EXPECT_FALSE(iterationLabel(name)) << name;
}

TEST(Iterations, haveTheirDeviceWorkAndTheGapBefore) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  const char* label = "execute_4_context_0(sq0sk0sqsq0sqsk0)_generation_4(sq4sk400sqsq4sqsk400)";
  for (int i = 0; i < 3; ++i) {
    const std::int64_t begin = 1'000'000 * i;
    text.addAnnotation(1, begin, 300'000, label);
    // Labels within are parts of the iteration.
    text.addAnnotation(1, begin + 1'000, 200'000, "step[DECODE bs=4]");
    text.addRuntime(1, begin + 10'000, 5'000, "cudaLaunchKernel", i + 1);
    text.addKernel(0, 7, begin + 100'000, 400'000, "gemm_kernel", i + 1);
  }
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto report = reportOf(folder.path());
  ASSERT_NE(report, nullptr);
  const ResultTable table = iterationsTable(*report);
  ASSERT_EQ(table.rowCount(), 3U);
  EXPECT_EQ(cell(table, 1, "phase"), "decode");
  EXPECT_EQ(cell(table, 1, "requests"), "4");
  EXPECT_EQ(cell(table, 1, "duration_us"), "500");
  EXPECT_EQ(cell(table, 1, "device_us"), "400");
  EXPECT_EQ(cell(table, 1, "gap_before_us"), "600");
  EXPECT_EQ(cell(table, 0, "gap_before_us"), "");
  EXPECT_EQ(cell(table, 1, "tpot_us"), "1000");
  EXPECT_EQ(cell(table, 0, "tpot_us"), "") << "the end of the one before was not recorded";
  EXPECT_EQ(cell(table, 1, "tflops"), "") << "the kernel has no FLOPs";
}

namespace {

// Calls of a model under generate(): one with many rows, then one row per request.
test::TraceText generation() {
  test::TraceText text;
  text.addPython(1, 0, 5'000'000, "transformers/generation/utils.py(2100): generate", 1);
  for (int i = 0; i < 4; ++i) {
    const std::int64_t begin = 10'000 + 1'000'000 * i;
    text.addPython(1, begin, 300'000, "nn.Module: LlamaModel_0", 10 + 2 * i, 1);
    text.addPython(1, begin + 10'000, 200'000, "nn.Module: Linear_0", 11 + 2 * i, 10 + 2 * i);
    const std::string rows = i == 0 ? "40" : "4";
    text.addCpuOp(1, begin + 20'000, 20'000, "aten::mm",
                  R"("Input Dims": [[)" + rows +
                      R"(, 1024], [1024, 1024]], "Input type": ["c10::Half", "c10::Half"])");
    text.addRuntime(1, begin + 22'000, 5'000, "cudaLaunchKernel", i + 1);
    text.addKernel(0, 7, begin + 100'000, 100'000, "ampere_fp16_s16816gemm_fp16_128x128_tn", i + 1);
  }
  return text;
}

} // namespace

TEST(Iterations, areCallsOfAModelThatGenerates) {
  const test::TemporaryFolder folder;
  test::writeTraceFile((folder.path() / "rank0.json").string(), generation().text());
  const auto report = reportOf(folder.path());
  ASSERT_NE(report, nullptr);
  const ResultTable table = iterationsTable(*report);
  ASSERT_EQ(table.rowCount(), 4U);
  EXPECT_EQ(cell(table, 0, "phase"), "prefill");
  EXPECT_EQ(cell(table, 0, "tokens"), "40");
  EXPECT_EQ(cell(table, 1, "phase"), "decode");
  EXPECT_EQ(cell(table, 1, "tokens"), "4");
  EXPECT_EQ(cell(table, 1, "label"), "nn.Module: LlamaModel_0");
  // 2·4·1024² FLOPs and 2·(4·1024 + 1024² + 4·1024) bytes in 100 us.
  EXPECT_NEAR(std::stod(cell(table, 1, "tflops")), 0.08388608, 1e-6);
  EXPECT_NEAR(std::stod(cell(table, 1, "gb_s")), 21.13536, 1e-4);
}

TEST(Iterations, areNotCallsOfAModelThatTrains) {
  const test::TemporaryFolder folder;
  test::TraceText text = generation();
  text.addCpuOp(2, 600'000, 100'000, "autograd::engine::evaluate_function: MmBackward0");
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto report = reportOf(folder.path());
  ASSERT_NE(report, nullptr);
  EXPECT_EQ(iterationsTable(*report).rowCount(), 0U);
}

TEST(Iterations, ofEnginesHaveTheAttentionThatTheirLabelSays) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  // One prompt of 100 new tokens on 50 old ones, and 3 requests with 600 keys and values.
  text.addAnnotation(
      1, 0, 300'000,
      "execute_103_context_1(sq100sk150sqsq10000sqsk15000)_generation_3(sq3sk600sqsq3sqsk600)");
  text.addCpuOp(1, 10'000, 50'000, "vllm::unified_attention_with_output",
                R"("Input Dims": [[103, 8, 64], [103, 2, 64], [103, 2, 64], [103, 8, 64]], )"
                R"("Input type": ["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])");
  text.addRuntime(1, 20'000, 5'000, "cudaLaunchKernel", 1);
  text.addKernel(0, 7, 100'000, 100'000, "kernel_unified_attention_2d", 1);
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto report = reportOf(folder.path());
  ASSERT_NE(report, nullptr);
  const RankFlops& flops = report->flops().of(RankIndex(0)).flops;
  ASSERT_EQ(flops.calls.size(), 1U);
  EXPECT_EQ(flops.calls[0].work.tier, FlopTier::Annotation);
  // heads · (d + dv) · (2 · (15,000 + 600) − 10,000)
  EXPECT_EQ(flops.calls[0].work.flops, 8 * 128 * (2 * 15'600 - 10'000));
  // Keys and values of 750 tokens in 2 heads, queries and results of 103 in 8.
  EXPECT_EQ(flops.calls[0].work.bytes, 2 * 128 * (750 * 2 + 103 * 8));
}

TEST(Iterations, ofRealServersAreTheirLabels) {
  const std::filesystem::path folder = test::sharedFolder() / "traces" / "vllm-prefill-decode";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
  const auto report = reportOf(folder);
  ASSERT_NE(report, nullptr);
  const ResultTable table = iterationsTable(*report);
  ASSERT_EQ(table.rowCount(), 1U);
  EXPECT_EQ(cell(table, 0, "phase"), "mixed");
  EXPECT_EQ(cell(table, 0, "tokens"), "8192");
  EXPECT_EQ(cell(table, 0, "prefill_tokens"), "8155");
}

} // namespace rankscope
