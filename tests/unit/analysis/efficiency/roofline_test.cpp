// SPDX-License-Identifier: GPL-3.0-or-later
// Peaks, points of the roofline, advice and the model's FLOPs.
#include "core/analysis/efficiency/flop_points.h"
#include "core/analysis/efficiency/gemm_advice.h"
#include "core/analysis/efficiency/model_flops.h"
#include "core/analysis/efficiency/rank_peaks.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

RankTrace traceOn(const std::string& name, int multiprocessors = 0, std::uint64_t memory = 0) {
  RankTrace trace;
  trace.devices = {0};
  trace.metadata.devices.push_back({0, name, memory, 8, 0, multiprocessors});
  return trace;
}

FlopPoint pointOf(std::int64_t m, std::int64_t n, std::int64_t k, NumberFormat format) {
  FlopPoint point;
  point.work.m = m;
  point.work.n = n;
  point.work.k = k;
  point.work.batch = 1;
  point.work.format = format;
  return point;
}

} // namespace

TEST(RankPeaks, areThoseOfTheDevice) {
  const RankPeaks peaks = rankPeaks(traceOn("NVIDIA A100-SXM4-80GB", 108, 85'000'000'000));
  EXPECT_EQ(peaks.of(NumberFormat::BFloat16), 312);
  EXPECT_EQ(peaks.of(NumberFormat::Tf32), 156);
  EXPECT_EQ(peaks.of(NumberFormat::Float32), 19.5);
  EXPECT_EQ(peaks.of(NumberFormat::Float64), 0);
  EXPECT_EQ(peaks.gigabytes, 2039);
  EXPECT_EQ(peaks.from, "A100 80GB");
  // bfloat16 is emulated.
  EXPECT_EQ(rankPeaks(traceOn("Tesla V100-SXM2-32GB")).of(NumberFormat::BFloat16), 15.7);
  EXPECT_EQ(rankPeaks(traceOn("NVIDIA GB200")).of(NumberFormat::Float4), 10'000);
  EXPECT_FALSE(rankPeaks(traceOn("unheard of")).known());
  // The device that has work may have another number than the one with properties.
  RankTrace renumbered = traceOn("AMD Instinct MI300X");
  renumbered.devices = {5};
  renumbered.metadata.devices.push_back(renumbered.metadata.devices.front());
  renumbered.metadata.devices.back().id = 1;
  EXPECT_EQ(rankPeaks(renumbered).of(NumberFormat::Float16), 1307);
}

TEST(RankPeaks, areAShareOfASliceAndWhatTheUserSays) {
  const RankPeaks slice = rankPeaks(traceOn("NVIDIA A100-SXM4-40GB MIG 1g.5gb", 14, 4'900'000'000));
  EXPECT_DOUBLE_EQ(slice.of(NumberFormat::Float16), 312.0 * 14 / 108);
  EXPECT_EQ(slice.from, "A100 40GB, 14 of 108 SMs");
  const RankPeaks given = rankPeaks(traceOn("unheard of"), {500.0, 2000.0});
  EXPECT_EQ(given.of(NumberFormat::Float8), 500);
  EXPECT_EQ(given.gigabytes, 2000);
  EXPECT_EQ(given.from, "given");
}

TEST(Roofline, isTheLowerOfTwoRoofs) {
  const RankPeaks peaks = rankPeaks(traceOn("NVIDIA H100 80GB HBM3"));
  EXPECT_EQ(roofAt(peaks, NumberFormat::BFloat16, 1000.0), 989);
  EXPECT_NEAR(roofAt(peaks, NumberFormat::BFloat16, 10.0), 33.52, 1e-9);
  EXPECT_EQ(roofAt(peaks, NumberFormat::BFloat16, {}), 989);
  EXPECT_EQ(roofAt(peaks, NumberFormat::Float64, 10.0), 0);
}

TEST(RankPeaks, sayWhereOnlySizesTellTheDevice) {
  RankTrace trace = traceOn("", 304, 206'141'652'992);
  trace.metadata.devices.front().computeMajor = 9;
  EXPECT_EQ(rankPeaks(trace).from, "MI300X by its SMs and memory");
  EXPECT_EQ(rankPeaks(traceOn("AMD Instinct MI300X", 304, 206'141'652'992)).from, "MI300X");
}

TEST(Roofline, aPointAboveItLosesNothingAndSaysWhy) {
  const RankPeaks peaks = rankPeaks(traceOn("Tesla V100-SXM2-32GB"));
  FlopPoint point = pointOf(4096, 4096, 4096, NumberFormat::Float32);
  point.work.tier = FlopTier::Shapes;
  point.work.flops = point.work.executed = std::int64_t{1} << 37;
  point.flops = point.executed = point.work.flops;
  const auto rated = [&](double ofPeak, FlopKind kind) {
    point.work.kind = kind;
    point.deviceTime = static_cast<TimeNs>(static_cast<double>(point.work.flops) / 15.7e3 / ofPeak);
    ratePoint(point, peaks);
    EXPECT_NEAR(point.peakPct.value_or(0), 100 * ofPeak, 0.01);
    return whyAboveRoof(point, "");
  };
  EXPECT_EQ(rated(0.5, FlopKind::Convolution), "");
  EXPECT_GT(point.lost.value_or(0), 0);
  EXPECT_NE(rated(1.6, FlopKind::Convolution).find("as Winograd and FFT do"), std::string::npos);
  EXPECT_EQ(point.lost, 0);
  EXPECT_EQ(whyAboveRoof(point, "volta_scudnn_winograd_128x128"),
            "Winograd or FFT: computes less than counted");
  EXPECT_NE(rated(1.6, FlopKind::Attention).find("mask"), std::string::npos);
  EXPECT_NE(rated(1.6, FlopKind::Product).find("sparse"), std::string::npos);
  EXPECT_EQ(gemmAdvice(point, peaks, {}), whyAboveRoof(point, ""));
  point.peakPct = 60;
  point.efficiencyPct = 130;
  EXPECT_EQ(whyAboveRoof(point, ""), "above the roof of memory: data from caches");
}

TEST(GemmAdvice, findsTilesInNames) {
  const auto tile = [](std::string_view name) {
    const auto found = tileOfKernel(name);
    return found ? std::pair(found->m, found->n) : std::pair<std::int64_t, std::int64_t>();
  };
  EXPECT_EQ(tile("ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn"), std::pair(128L, 256L));
  EXPECT_EQ(tile("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8_stage3_warpsize2x2x1_ffma"),
            std::pair(128L, 64L));
  EXPECT_EQ(tile("Cijk_Alik_Bljk_BBS_BH_MT256x192x64_MI16x16x16x1_SN"), std::pair(256L, 192L));
  EXPECT_EQ(tile("nvjet_tst_192x192_64x4_2x1_v_bz_coopB_NNT"), std::pair(192L, 192L));
  EXPECT_FALSE(tileOfKernel("void gemv2T_kernel_val<int, int, float>"));
  const FlopWork work = pointOf(1024, 2048, 64, NumberFormat::BFloat16).work;
  const KernelTile wide{128, 256};
  EXPECT_DOUBLE_EQ(wavesOf(work, wide, {}, 32)->waves, 2);
  EXPECT_FALSE(wavesOf(work, wide, {}, 0));
  EXPECT_FALSE(wavesOf(work, {}, {}, 32));
}

// Kernels may split K, or go over many tiles with few blocks: only the grid says how many there are.
TEST(GemmAdvice, countsTheBlocksOfTheGrid) {
  const RankPeaks peaks = rankPeaks(traceOn("AMD Instinct MI300X"));
  const FlopPoint point = pointOf(666, 9728, 2432, NumberFormat::BFloat16);
  const KernelTile tile{128, 192};
  EXPECT_NEAR(wavesOf(point.work, tile, {}, 304)->waves, 306.0 / 304, 1e-12);
  const auto one = wavesOf(point.work, tile, KernelGrid{304, 1}, 304);
  EXPECT_EQ(one->waves, 1);
  EXPECT_EQ(gemmAdvice(point, peaks, one), "");
  EXPECT_EQ(wavesOf(point.work, {}, KernelGrid{456, 1}, 304)->waves, 1.5) << "without a tile too";
  // Two blocks at once on each are a single wave.
  const auto half = wavesOf(point.work, tile, KernelGrid{456, 2}, 304);
  EXPECT_EQ(half->waves, 0.75);
  EXPECT_EQ(gemmAdvice(point, peaks, half), "");
  const FlopPoint small = pointOf(512, 512, 8192, NumberFormat::BFloat16);
  const KernelTile square{128, 128};
  EXPECT_EQ(gemmAdvice(small, peaks, wavesOf(small.work, square, KernelGrid{16, 1}, 304)),
            "5 % of the SMs have a block: split K or larger batch");
  // Split already.
  EXPECT_EQ(gemmAdvice(small, peaks, wavesOf(small.work, square, KernelGrid{128, 1}, 304)),
            "42 % of the SMs have a block: larger batch");
  // A larger batch could fill little beside it.
  EXPECT_EQ(gemmAdvice(small, peaks, wavesOf(small.work, square, KernelGrid{295, 1}, 304)), "");
  // One block computes several tiles.
  EXPECT_EQ(gemmAdvice(small, peaks, wavesOf(small.work, square, KernelGrid{8, 1}, 304)), "");
}

TEST(GemmAdvice, saysWhatWouldHelp) {
  const RankPeaks peaks = rankPeaks(traceOn("NVIDIA H100 80GB HBM3"));
  EXPECT_EQ(gemmAdvice(pointOf(4096, 4096, 4095, NumberFormat::BFloat16), peaks, {}), "pad K 4095 to 4096");
  EXPECT_EQ(gemmAdvice(pointOf(4096, 4096, 4096, NumberFormat::Float32), peaks, {}),
            "TF32 or bf16 for the matrix units");
  EXPECT_EQ(
      gemmAdvice(pointOf(4096, 4096, 4096, NumberFormat::BFloat16), peaks, GemmWaves{1.1, 1.1, true, false}),
      "1.1 waves: the last leaves 90 % of the SMs idle");
  FlopPoint thin = pointOf(32, 4096, 4096, NumberFormat::BFloat16);
  thin.bound = FlopBound::Memory;
  EXPECT_EQ(gemmAdvice(thin, peaks, {}), "memory-bound: M 32 of 128 rows would be free");
  FlopPoint good = pointOf(4096, 4096, 4096, NumberFormat::BFloat16);
  good.efficiencyPct = 80;
  EXPECT_EQ(gemmAdvice(good, peaks, GemmWaves{1.1, 1.1, true, false}), "");
  // Memory limits what comes near its bandwidth.
  FlopPoint bound = pointOf(256, 256, 256, NumberFormat::BFloat16);
  bound.bound = FlopBound::Memory;
  bound.efficiencyPct = 60;
  EXPECT_EQ(gemmAdvice(bound, peaks, GemmWaves{0.6, 0.6, true, false}),
            "memory-bound: fuse with its neighbors");
  bound.efficiencyPct = 4;
  EXPECT_EQ(gemmAdvice(bound, peaks, GemmWaves{0.6, 0.6, true, false}),
            "60 % of the SMs have a block: split K or larger batch");
}

TEST(ModelFlops, followsTheConventions) {
  ModelSettings model;
  EXPECT_FALSE(modelFlopsPerToken(model));
  model.parameters = 7e9;
  EXPECT_EQ(modelFlopsPerToken(model)->perToken, 42e9);
  EXPECT_EQ(modelFlopsPerToken(model)->convention, "6Ψ");
  // Without a backward pass a third.
  EXPECT_EQ(modelFlopsPerToken(model, ModelUse::Inference)->perToken, 14e9);
  EXPECT_EQ(modelFlopsPerToken(model, ModelUse::Inference)->convention, "2Ψ");
  EXPECT_FALSE(modelFlopsPerStep(model));
  model.layers = 32;
  model.hidden = 4096;
  model.sequence = 2048;
  EXPECT_EQ(modelFlopsPerToken(model)->perToken, 42e9 + 12.0 * 32 * 4096 * 2048);
  EXPECT_EQ(modelFlopsPerToken(model, ModelUse::Inference)->perToken, 14e9 + 4.0 * 32 * 4096 * 2048);
  model.causal = true;
  EXPECT_EQ(modelFlopsPerToken(model)->convention, "6Ψ + 6LHS");
  model.vocabulary = 32'000;
  EXPECT_EQ(modelFlopsPerToken(model)->perToken, 6 * (7e9 - 32'000.0 * 4096) + 6.0 * 32 * 4096 * 2048);
  model.activeParameters = 2e9;
  EXPECT_EQ(modelFlopsPerToken(model)->perToken, 6 * (2e9 - 32'000.0 * 4096) + 6.0 * 32 * 4096 * 2048);
  model.flopsPerToken = 5;
  model.tokensPerStep = 100;
  EXPECT_EQ(modelFlopsPerStep(model), 500);
}

} // namespace rankscope
