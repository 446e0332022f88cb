// SPDX-License-Identifier: GPL-3.0-or-later
// Which kernels take longer than their work needs, and what of it a better one would save. Covers
// core/analysis/account/attention_kernels, core/analysis/account/clock_ratios,
// core/analysis/account/elementwise_chains, core/analysis/account/kernel_excess,
// core/analysis/account/kernel_facts and core/analysis/account/stream_kernels.
#include "core/analysis/account/compute_leaves.h"

#include "core/analysis/account/attribution.h"
#include "core/analysis/account/clock_ratios.h"
#include "core/analysis/account/elementwise_chains.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/times.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace rankscope {

namespace {

constexpr std::string_view kV100 =
    R"([{"id": 0, "name": "Tesla V100-SXM2-16GB", "totalGlobalMem": 16900000000, "computeMajor": 7, "computeMinor": 0, "numSms": 80}])";
constexpr std::string_view kH100 =
    R"([{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85000000000, "computeMajor": 9, "computeMinor": 0, "numSms": 132}])";
constexpr std::string_view kAdd = "void at::native::vectorized_elementwise_kernel<4, AddFunctor<float>>(int)";
constexpr std::string_view kGemm = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn";
constexpr std::string_view kSoftmax =
    "void (anonymous namespace)::cunn_SoftMaxForward<8, float, float>(float*)";

// One stream, kernels one behind the other, launched long before unless they are late.
class Recording {
 public:
  explicit Recording(std::string_view device) { m_text.metadata("deviceProperties", device); }

  Recording& kernel(std::string_view name, TimeNs duration, std::string_view op = "aten::op",
                    std::string_view shapes = {}, bool late = false) {
    if (late) m_host = std::max(m_host, m_device + 10 * kUs);
    m_text.addCpuOp(1, m_host, 900, op,
                    shapes.empty() ? std::string() : "\"Input Dims\": " + std::string(shapes));
    m_text.addRuntime(1, m_host + 100, 500, "cudaLaunchKernel", ++m_correlation);
    m_device = std::max(m_device, m_host + kUs);
    m_text.addKernel(0, 7, m_device, duration, name, m_correlation);
    m_device += duration;
    m_host += kUs;
    return *this;
  }

  // The host works on while the devices have nothing left to do.
  Recording& wait(TimeNs time) {
    m_text.addCpuOp(1, m_host, m_device + time - m_host, "aten::work");
    m_host = m_device + time;
    return *this;
  }

  RankAccount account() {
    const test::TemporaryFolder folder;
    test::writeTraceFile((folder.path() / "rank0.json").string(), m_text.text());
    Progress progress;
    auto loaded = loadTraces({folder.path().string()}, {}, progress);
    m_job = *loaded;
    const Analysis analysis(m_job);
    RankAccount account = rankAccount(analysis, RankIndex(0), accountFacts(analysis, 1));
    TimeNs excess = 0;
    for (const KernelExcess& kernel : account.excesses) {
      EXPECT_LE(kernel.high, kernel.owned.length());
      EXPECT_LE(kernel.low, kernel.high);
      excess += kernel.high;
    }
    TimeNs leaves = 0;
    for (const LeafTime& part : account.steps.at(0).times) {
      if (part.timeClass == TimeClass::Compute && part.leaf != Leaf::Ideal) leaves += part.time;
    }
    EXPECT_EQ(leaves, excess);
    return account;
  }
  [[nodiscard]] const TraceSet& job() const { return *m_job; }

 private:
  test::TraceText m_text;
  std::shared_ptr<const TraceSet> m_job;
  std::int64_t m_correlation = 0;
  TimeNs m_host = 0;
  TimeNs m_device = 100 * kUs;
};

TimeNs timeIn(const RankAccount& account, Leaf leaf) {
  return timeOf(account.steps.at(0).times, leaf);
}

GainBounds gainIn(const RankAccount& account, Leaf leaf) {
  return gainOf(account.excesses, leaf, kAllTime);
}

} // namespace

TEST(ComputeLeaves, matrixUnitsAreLeftUnused) {
  const RankAccount volta = Recording(kV100)
                                .kernel("volta_sgemm_64x64_nt", 90 * kUs)
                                .kernel("volta_sgemm_64x64_nt", 9 * kUs)
                                .account();
  EXPECT_EQ(timeIn(volta, Leaf::ComputeSimt), 60 * kUs);
  const RankAccount hopper =
      Recording(kH100).kernel("cutlass_80_simt_sgemm_128x64_8x5_nn_align1", 80 * kUs).account();
  EXPECT_EQ(timeIn(hopper, Leaf::ComputeSimt), 60 * kUs);
  // Nothing is known of the device, or it does what it can.
  EXPECT_EQ(timeIn(Recording("[]").kernel("volta_sgemm_64x64_nt", 90 * kUs).account(), Leaf::ComputeSimt), 0);
  EXPECT_EQ(timeIn(Recording(kH100).kernel(kGemm, 90 * kUs).account(), Leaf::Ideal), 90 * kUs);
  EXPECT_EQ(timeIn(Recording(kH100).kernel("cutlass_80_simt_dgemm_64x64", 90 * kUs).account(), Leaf::Ideal),
            90 * kUs);
}

TEST(ComputeLeaves, attentionWrittenOutIsComparedWithAFusedKernel) {
  Recording recording(kH100);
  // 4 · 16 · 2048² · 64 operations at 0.4 · 989 · 10^12 a second are 43.4 us.
  recording.kernel(kGemm, 200 * kUs, "aten::bmm", "[[16, 2048, 64], [16, 64, 2048]]")
      .kernel(kAdd, 100 * kUs, "aten::add", "[[16, 2048, 2048], []]")
      .kernel(kSoftmax, 400 * kUs, "aten::_softmax", "[[16, 2048, 2048], [], []]")
      .kernel(kGemm, 300 * kUs, "aten::bmm", "[[16, 2048, 2048], [16, 2048, 64]]")
      .kernel(kGemm, 50 * kUs, "aten::mm");
  const RankAccount account = recording.account();
  EXPECT_NEAR(static_cast<double>(timeIn(account, Leaf::ComputeAttention)), 956'600, 100);
  EXPECT_EQ(gainIn(account, Leaf::ComputeAttention).low, 600 * kUs);
  EXPECT_EQ(account.excesses.at(0).basis, ModelBasis::Shapes);
}

TEST(ComputeLeaves, attentionIsKnownByNamesWithoutShapes) {
  Recording recording(kH100);
  recording.kernel(kGemm, 200 * kUs, "aten::bmm")
      .kernel(kSoftmax, 400 * kUs, "aten::_softmax")
      .kernel(kGemm, 300 * kUs, "aten::bmm");
  const RankAccount account = recording.account();
  EXPECT_EQ(timeIn(account, Leaf::ComputeAttention), 540 * kUs);
  EXPECT_EQ(account.excesses.at(0).basis, ModelBasis::Names);
}

TEST(ComputeLeaves, aSoftmaxBetweenLinearLayersIsNoAttention) {
  Recording recording(kH100);
  recording.kernel(kGemm, 200 * kUs, "aten::mm").kernel(kSoftmax, 400 * kUs, "aten::_softmax");
  recording.kernel(kGemm, 300 * kUs, "aten::addmm");
  EXPECT_EQ(timeIn(recording.account(), Leaf::ComputeAttention), 0);
  // Scores too small for a fused kernel to matter.
  Recording small(kH100);
  small.kernel(kGemm, 20 * kUs, "aten::bmm", "[[16, 77, 64], [16, 64, 77]]")
      .kernel(kSoftmax, 40 * kUs, "aten::_softmax", "[[16, 77, 77], [], []]")
      .kernel(kGemm, 30 * kUs, "aten::bmm", "[[16, 77, 77], [16, 77, 64]]");
  EXPECT_EQ(timeIn(small.account(), Leaf::ComputeAttention), 0);
}

TEST(ComputeLeaves, layoutsAreConvertedForConvolutions) {
  constexpr std::string_view kConvert =
      "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>(int)";
  EXPECT_EQ(timeIn(Recording(kH100).kernel(kConvert, 30 * kUs).account(), Leaf::ComputeLayout), 30 * kUs);
  // On Volta in single precision channels last would win nothing.
  EXPECT_EQ(timeIn(Recording(kV100).kernel(kConvert, 30 * kUs).account(), Leaf::ComputeLayout), 0);
}

TEST(ComputeLeaves, aChainOfOperationsTakesAsLongAsItsLongest) {
  Recording recording(kH100);
  for (const TimeNs duration : {40, 20, 40}) recording.kernel(kAdd, duration * kUs);
  recording.kernel(kGemm, 50 * kUs).kernel(kAdd, 20 * kUs).kernel(kAdd, 20 * kUs);
  const RankAccount account = recording.account();
  EXPECT_NEAR(static_cast<double>(timeIn(account, Leaf::ComputeUnfused)), 60'000, 3);
  EXPECT_EQ(fusedSavings(std::vector<TimeNs>{10, 10}), (std::vector<TimeNs>{5, 5}));
  EXPECT_EQ(fusedSavings(std::vector<TimeNs>{0, 0}), (std::vector<TimeNs>{0, 0}));
}

TEST(ComputeLeaves, gradientsOfDifferentParametersAreNoChain) {
  Recording recording(kH100);
  for (int i = 0; i < 5; ++i) recording.kernel(kAdd, 40 * kUs, "torch::autograd::AccumulateGrad");
  EXPECT_EQ(timeIn(recording.account(), Leaf::ComputeUnfused), 0);
}

TEST(ComputeLeaves, aKernelIsCriticalWhereTheNextOneWasLaunched) {
  Recording recording(kH100);
  recording.kernel("batched_transpose_16x32_half", 30 * kUs)
      .kernel("batched_transpose_16x32_half", 20 * kUs)
      .kernel(kGemm, 50 * kUs, "aten::mm", {}, true);
  const RankAccount account = recording.account();
  // The second is followed by a launch that comes too late; the last of the stream by nothing.
  EXPECT_EQ(gainIn(account, Leaf::ComputeLayout), (GainBounds{30 * kUs, 50 * kUs}));
  const auto sums =
      excessWithin(account.excesses, *recording.job().ranks().at(0).trace, recording.job().names(), kAllTime);
  ASSERT_EQ(sums.size(), 1U);
  EXPECT_EQ(sums[0].kernels, 2);
  EXPECT_EQ(sums[0].critical, 1);
  EXPECT_EQ(sums[0].gain, (GainBounds{30 * kUs, 50 * kUs}));
}

TEST(ComputeLeaves, nothingIsSavedAtOnceWhereTheHostDoesNotKeepUp) {
  Recording recording(kH100);
  for (int i = 0; i < 9; ++i) {
    recording.kernel("batched_transpose_16x32_half", 30 * kUs, "aten::op", {}, true);
    recording.kernel("batched_transpose_16x32_half", 5 * kUs);
    recording.wait(100 * kUs);
  }
  const RankAccount account = recording.account();
  EXPECT_EQ(gainIn(account, Leaf::ComputeLayout), (GainBounds{0, 9 * 35 * kUs}));
}

TEST(ComputeLeaves, excessOfAWindowIsThatOfTheAccount) {
  Recording recording(kH100);
  for (const TimeNs duration : {40, 20, 40, 30, 25}) recording.kernel(kAdd, duration * kUs);
  recording.kernel("batched_transpose_16x32_half", 30 * kUs);
  const RankAccount account = recording.account();
  const TimeRange whole = account.pieces.range();
  for (TimeNs cut = whole.begin; cut < whole.end; cut += 7 * kUs) {
    for (const Leaf leaf : {Leaf::ComputeUnfused, Leaf::ComputeLayout}) {
      EXPECT_EQ(gainOf(account.excesses, leaf, {cut, whole.end}).high,
                timeOf(account.pieces.within({cut, whole.end}), leaf));
    }
  }
}

TEST(ComputeLeaves, castsForProductsAreTold) {
  constexpr std::string_view kCast =
      "void at::native::vectorized_elementwise_kernel<4, at::native::bfloat16_copy_kernel_cuda(float)>(int)";
  Recording recording(kH100);
  recording.kernel(kCast, 10 * kUs).kernel(kCast, 20 * kUs).kernel(kGemm, 50 * kUs).kernel(kCast, 40 * kUs);
  const RankAccount account = recording.account();
  EXPECT_EQ(timeIn(account, Leaf::ComputeCast), 30 * kUs);
  EXPECT_EQ(gainIn(account, Leaf::ComputeCast).low, 15 * kUs);
}

TEST(ComputeLeaves, misalignedProductsAreTold) {
  Recording recording(kH100);
  recording.kernel("cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_tn_align1", 50 * kUs, "aten::mm");
  EXPECT_EQ(timeIn(recording.account(), Leaf::ComputeMisaligned), 25 * kUs);
}

TEST(ComputeLeaves, aDeviceWithASlowClockIsToldByTheOthers) {
  test::JobOptions options;
  options.steps = 8;
  options.seed = 7;
  options.straggler = {2, 6'000'000, 0, test::StragglerKind::Compute};
  const test::TemporaryFolder folder;
  test::generateJob(options, folder.path());
  Progress progress;
  const auto job = *loadTraces({folder.path().string()}, {}, progress);
  const Analysis analysis(job);
  const std::vector<double> ratios = clockRatios(analysis, 2);
  EXPECT_EQ(ratios.at(0), 1);
  EXPECT_GT(ratios.at(2), 1.5);
  const JobAccount account = jobAccount(analysis, 2);
  TimeNs clock = 0;
  for (const StepAccount& step : account.of(RankIndex(2)).steps)
    clock += timeOf(step.times, Leaf::ComputeClock);
  EXPECT_NEAR(static_cast<double>(clock) / 8, 5'900'000, 300'000);
  for (const StepAccount& step : account.of(RankIndex(1)).steps)
    EXPECT_EQ(timeOf(step.times, Leaf::ComputeClock), 0);
}

} // namespace rankscope
