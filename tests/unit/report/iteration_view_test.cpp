// SPDX-License-Identifier: GPL-3.0-or-later
// Iterations of inference for people, and what a recording says of its model. Covers
// core/report/model_guesses.
#include "core/report/iteration_view.h"

#include "core/io/load/trace_loader.h"
#include "core/report/efficiency_view.h"
#include "core/report/reported_part.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/report_of.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace rankscope {

namespace {

std::string cell(const ResultTable& table, std::size_t row, std::string_view column) {
  return exactText(table, row, *table.columnNamed(column));
}

} // namespace

TEST(IterationView, groupsByPhaseAndBatch) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  const char* labels[] = {"prefill[bs=1 tok=600]", "decode[bs=4 tok=4]", "decode[bs=4 tok=4]",
                          "decode[bs=8 tok=8]"};
  for (int i = 0; i < 4; ++i) {
    const std::int64_t begin = 1'000'000 * i;
    text.addAnnotation(1, begin, 300'000, labels[i]);
    text.addRuntime(1, begin + 10'000, 5'000, "cudaLaunchKernel", i + 1);
    text.addKernel(0, 7, begin + 100'000, 400'000, "gemm_kernel", i + 1);
  }
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto report = reportOf(folder.path());
  ASSERT_NE(report, nullptr);
  const IterationView view = iterationView(*report);
  EXPECT_EQ(view.iterations, 4U);
  EXPECT_DOUBLE_EQ(view.windowTime, 3'400'000);
  EXPECT_DOUBLE_EQ(view.busyTime, 1'600'000);
  EXPECT_DOUBLE_EQ(view.gapTime, 1'800'000);
  EXPECT_EQ(view.timePerToken, 1'000'000);
  ASSERT_EQ(view.byPhase.table->rowCount(), 2U);
  EXPECT_EQ(cell(*view.byPhase.table, 0, "group"), "prefill");
  EXPECT_EQ(cell(*view.byPhase.table, 1, "iterations"), "3");
  EXPECT_EQ(cell(*view.byPhase.table, 1, "requests"), "4") << "the median";
  EXPECT_EQ(cell(*view.byPhase.table, 1, "gap_before_us"), "600");
  ASSERT_EQ(view.byRequests.table->rowCount(), 3U);
  EXPECT_EQ(cell(*view.byRequests.table, 2, "group"), "decode of 8");
  ASSERT_EQ(view.each.table->rowCount(), 4U);
  EXPECT_EQ(view.each.places.size(), 4U);
  EXPECT_TRUE(iterationText(view).starts_with("4 iterations · device busy 47.1 %")) << iterationText(view);
}

TEST(IterationView, isEmptyOfTraining) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.addStep(1, 0, 1'000'000);
  text.addKernel(0, 7, 100'000, 400'000, "gemm_kernel");
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto report = reportOf(folder.path());
  ASSERT_NE(report, nullptr);
  EXPECT_TRUE(iterationView(*report).empty());
  EXPECT_EQ(iterationText(iterationView(*report)), "");
}

TEST(ModelGuesses, areThoseOfTheEmbedding) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.addStep(1, 0, 1'000'000);
  // Two micro-batches, and positions, which are no words.
  for (int i = 0; i < 2; ++i)
    text.addCpuOp(
        1, 1'000 + 10'000 * i, 2'000, "aten::embedding",
        R"("Input Dims": [[32000, 512], [4, 128], [], [], []], "Input type": ["float", "long int"])");
  text.addCpuOp(1, 5'000, 2'000, "aten::embedding",
                R"("Input Dims": [[512, 512], [1, 128], [], [], []], "Input type": ["float", "long int"])");
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto report = reportOf(folder.path());
  ASSERT_NE(report, nullptr);
  const ModelGuesses guesses = modelGuesses(*report);
  ASSERT_TRUE(guesses.tokensPerStep);
  EXPECT_DOUBLE_EQ(guesses.tokensPerStep->value, 2 * 4 * 128);
  EXPECT_DOUBLE_EQ(guesses.vocabulary->value, 32'000);
  EXPECT_DOUBLE_EQ(guesses.hidden->value, 512);
  EXPECT_DOUBLE_EQ(guesses.sequence->value, 128);
  EXPECT_FALSE(guesses.parameters);
}

// OWLv2: positions of 5,184 patches come before the words of its text, and neither is what a token is.
TEST(ModelGuesses, takeNoPositionsForWordsAndSayNothingOfTextsWithImages) {
  const auto guessesOf = [](bool image) {
    const test::TemporaryFolder folder;
    test::TraceText text;
    text.addStep(1, 0, 1'000'000);
    const auto embedding = [&](std::int64_t begin, const char* dims) {
      text.addCpuOp(1, begin, 2'000, "aten::embedding",
                    std::string(R"("Input Dims": [)") + dims + R"(], "Input type": ["float", "long int"])");
    };
    embedding(1'000, "[5185, 1024], [1, 5185]");
    embedding(5'000, "[49408, 768], [2, 16]");
    embedding(9'000, "[2048, 768], [2, 16]");
    if (image)
      text.addCpuOp(
          1, 20'000, 2'000, "aten::conv2d",
          R"("Input Dims": [[1, 3, 1008, 1008], [1024, 3, 14, 14]], "Input type": ["float", "float"])");
    test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
    return modelGuesses(*reportOf(folder.path()));
  };
  const ModelGuesses words = guessesOf(false);
  ASSERT_TRUE(words.vocabulary && words.tokensPerStep);
  EXPECT_DOUBLE_EQ(words.vocabulary->value, 49'408);
  EXPECT_DOUBLE_EQ(words.tokensPerStep->value, 32);
  const ModelGuesses both = guessesOf(true);
  EXPECT_FALSE(both.vocabulary || both.tokensPerStep || both.hidden);
}

TEST(ModelGuesses, haveTheParametersOfRealJobs) {
  const std::filesystem::path traces = test::sharedFolder() / "traces";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(traces), test::kNoRecordings);
  const auto resnet50 = reportOf(traces / "nccl-2ranks-derived");
  ASSERT_NE(resnet50, nullptr);
  EXPECT_DOUBLE_EQ(modelGuesses(*resnet50).parameters->value, 25'557'032);
  const auto resnet18 = reportOf(traces / "mi300-resnet-checkpoint");
  ASSERT_NE(resnet18, nullptr);
  EXPECT_DOUBLE_EQ(modelGuesses(*resnet18).parameters->value, 11'689'512);
  const ModelGuesses guesses = modelGuesses(*resnet18);
  ASSERT_TRUE(guesses.tokensPerStep);
  EXPECT_FALSE(guesses.tokensPerStep->forModel) << "images";
}

TEST(EfficiencyText, saysWhatIsUnknownAndWhy) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.addStep(1, 0, 1'000'000);
  text.addRuntime(1, 10'000, 5'000, "cudaLaunchKernel", 1);
  text.addKernel(0, 7, 100'000, 400'000, "gemm_kernel", 1);
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto report = reportOf(folder.path());
  ASSERT_NE(report, nullptr);
  EXPECT_EQ(efficiencyText(efficiencyFigures(*report, {})),
            "MFU unknown: shapes were not recorded: profile with record_shapes=True");
  EfficiencySettings settings;
  settings.peaks.tflops = 100;
  settings.model.flopsPerToken = 1e6;
  settings.model.tokensPerStep = 1e4;
  EXPECT_EQ(efficiencyText(efficiencyFigures(*report, settings)),
            "MFU 10.0 % of 100 TFLOP/s (given) by the model, given, HFU unknown: shapes were not recorded: "
            "profile with record_shapes=True");
}

// What ran in a range was launched before it: FLOPs are those of its kernels.
TEST(EfficiencyText, ofARangeCountsWhatRanInIt) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.addCpuOp(1, 1'000, 5'000, "aten::mm",
                R"("Input Dims": [[1000, 1000], [1000, 1000]], "Input type": ["c10::Half", "c10::Half"])");
  text.addRuntime(1, 2'000, 1'000, "cudaLaunchKernel", 1);
  text.addKernel(0, 7, 500'000, 10'000, "ampere_fp16_s16816gemm_fp16_128x128_tn", 1);
  text.addKernel(0, 7, 900'000, 10'000, "void at::native::vectorized_elementwise_kernel<4>", 2);
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto whole = reportOf(folder.path());
  ASSERT_NE(whole, nullptr);
  const auto rangeOf = [&](TimeNs begin, TimeNs end) {
    const TimeNs first = whole->analysis().trace().ranks().front().trace->extent.begin;
    return std::make_unique<JobReport>(std::make_shared<const Analysis>(
        whole->analysis(),
        AnalysisScope{{RankIndex(0)}, {RankRange::of(TimeRange{first + begin, first + end})}}));
  };
  const auto range = rangeOf(400'000, 600'000);
  const EfficiencyView view = efficiencyFigures(*range, {});
  EXPECT_EQ(reportedPart(*range), "range");
  EXPECT_DOUBLE_EQ(view.flopsPerStep.value_or(0), 2e9);
  EXPECT_DOUBLE_EQ(view.coveragePct.value_or(0), 100);
  const auto before = rangeOf(0, 100'000);
  EXPECT_FALSE(efficiencyFigures(*before, {}).flopsPerStep) << "launched, but not run";
}

} // namespace rankscope
