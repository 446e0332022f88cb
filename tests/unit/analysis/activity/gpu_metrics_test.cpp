// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/gpu_metrics.h"

#include "core/analysis/steps/step_windows.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/shared_data.h"
#include "tests/unit/hand_made_job.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sstream>

namespace rankscope {

namespace {

RawDevice kernelOf(float blocks, float occupancy, int device = 0) {
  RawDevice detail;
  detail.blocksPerSm = blocks;
  detail.occupancyPct = occupancy;
  detail.device = device;
  return detail;
}

std::shared_ptr<const RankTrace> built(HandMadeRank rank) {
  StringInterner names;
  return rank.build(names);
}

} // namespace

TEST(GpuMetrics, kernelsAtOnceAddUpToTheWholeDevice) {
  HandMadeRank rank;
  rank.device(EventKind::Kernel, 7, 0, 100, "a", kernelOf(0.25F, 40))
      .device(EventKind::Kernel, 8, 50, 100, "b", kernelOf(0.5F, 10))
      .device(EventKind::Collective, 9, 100, 20, "nccl", kernelOf(3, 100))
      .device(EventKind::Copy, 10, 150, 50, "Memcpy");
  const GpuMetrics metrics = gpuMetrics(*built(std::move(rank)), {0, 200});
  ASSERT_EQ(metrics.devices.size(), 1U);
  EXPECT_DOUBLE_EQ(metrics.utilizationPct.value(), 75);
  EXPECT_DOUBLE_EQ(metrics.smEfficiencyPct.value(), 100 * (0.25 * 50 + 0.75 * 50 + 20 + 0.5 * 30) / 200);
  EXPECT_DOUBLE_EQ(metrics.occupancyPct.value(), (40.0 * 100 + 10.0 * 100 + 100.0 * 20) / 220);
}

TEST(GpuMetrics, whatTheProfilerDidNotSayIsNotKnown) {
  HandMadeRank rank;
  rank.kernel(7, 0, 100, "gemm").device(EventKind::Kernel, 7, 100, 10, "small", kernelOf(0, -1));
  const GpuMetrics metrics = gpuMetrics(*built(std::move(rank)), {0, 220});
  EXPECT_DOUBLE_EQ(metrics.utilizationPct.value(), 50);
  EXPECT_FALSE(metrics.smEfficiencyPct);
  EXPECT_FALSE(metrics.occupancyPct);
  HandMadeRank host;
  host.op(0, 10, "aten::mm");
  EXPECT_FALSE(gpuMetrics(*built(std::move(host)), {0, 10}).utilizationPct);
  HandMadeRank again;
  again.kernel(7, 0, 100, "gemm");
  EXPECT_FALSE(gpuMetrics(*built(std::move(again)), {}).utilizationPct);
}

TEST(GpuMetrics, aRanksFiguresAreMeansOverTheDevicesThatRanKernels) {
  HandMadeRank rank;
  rank.device(EventKind::Kernel, 7, 0, 100, "a", kernelOf(1, 50, 0))
      .device(EventKind::Kernel, 8, 0, 50, "b", kernelOf(1, 30, 1))
      .device(EventKind::Copy, 9, 0, 100, "Memcpy", kernelOf(-1, -1, 2));
  const GpuMetrics metrics = gpuMetrics(*built(std::move(rank)), {0, 100});
  ASSERT_EQ(metrics.devices.size(), 2U);
  EXPECT_DOUBLE_EQ(metrics.devices[1].utilizationPct, 50);
  EXPECT_DOUBLE_EQ(metrics.utilizationPct.value(), 75);
  EXPECT_DOUBLE_EQ(metrics.occupancyPct.value(), 40);
}

// Random kernels on four streams, against an instant after the other.
TEST(GpuMetrics, agreeWithCountingEveryInstant) {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    HandMadeRank rank;
    std::vector<double> blocks(300, 0);
    std::vector<bool> busy(300, false);
    for (int i = 0; i < 40; ++i) {
      const auto begin = static_cast<std::size_t>(random() % 280);
      const std::size_t length = random() % 20;
      const float share = static_cast<float>(random() % 8) / 8;
      rank.device(EventKind::Kernel, static_cast<int>(random() % 4), static_cast<TimeNs>(begin),
                  static_cast<TimeNs>(length), "k", kernelOf(share, 50));
      for (std::size_t t = begin; t < begin + length; ++t) {
        blocks[t] += static_cast<double>(share);
        busy[t] = true;
      }
    }
    const auto trace = built(std::move(rank));
    double integral = 0;
    double used = 0;
    for (std::size_t t = 20; t < 250; ++t) {
      integral += std::min(1.0, blocks[t]);
      used += busy[t] ? 1 : 0;
    }
    const GpuMetrics metrics = gpuMetrics(*trace, {20, 250});
    EXPECT_NEAR(metrics.smEfficiencyPct.value(), 100 * integral / 230, 1e-9);
    EXPECT_NEAR(metrics.utilizationPct.value(), 100 * used / 230, 1e-9);
    const GpuSeries series = gpuSeries(*trace, 0, {20, 250}, 7);
    ASSERT_EQ(series.busy.size(), 7U);
    double busySum = 0;
    double blockSum = 0;
    for (std::size_t b = 0; b < 7; ++b) {
      const auto length = static_cast<double>(230 * (b + 1) / 7 - 230 * b / 7);
      busySum += static_cast<double>(series.busy[b]) * length;
      blockSum += static_cast<double>(series.smEfficiency[b]) * length;
      EXPECT_LE(series.smEfficiency[b], series.busy[b] + 1e-6F);
    }
    EXPECT_NEAR(busySum, used, 1e-3);
    EXPECT_NEAR(blockSum, integral, 1e-3);
  }
}

TEST(GpuMetrics, areThePluginsOverItsSteps) {
  const std::filesystem::path oracles = test::sharedFolder() / "oracles";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(oracles),
                        "no figures of other programs at " + oracles.string());
  const std::map<std::string, std::string> files = {
      {"a100-rank3of8", "control.json.gz"},
      {"h100-owlv2", "google_owlv2-large-patch14-ensemble__1016001.json.gz"},
      {"h100-qwen", "Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"},
      {"nccl-2ranks-derived", "node0_0.pt.trace.json.gz"},
      {"resnet50-v100-workers0", "worker0.1623143089861.pt.trace.json.gz"},
      {"v100-rank1of2", "df_index_resolver.json.gz"},
      {"mi300-sd35-inference", "profile_trace_rank_0.json.gz"}};
  for (const auto& [set, file] : files) {
    SCOPED_TRACE(set);
    Progress progress;
    const auto loaded = loadTraces({(test::sharedFolder() / "traces" / set / file).string()}, {}, progress);
    ASSERT_TRUE(loaded.ok());
    const RankTrace& trace = *(*loaded)->ranks().front().trace;
    const StringTable& names = (*loaded)->names();
    const StepWindows steps = stepWindows(trace, names, stepsOf(trace, names), kAllTime, {.dropTail = true});
    const GpuMetrics metrics = gpuMetrics(trace, steps.hull());
    std::ifstream stream(oracles / set / "tb_gpu.csv");
    std::string line;
    std::getline(stream, line);
    std::getline(stream, line);
    std::istringstream cells(line);
    std::vector<std::string> row;
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    ASSERT_GE(row.size(), 5U);
    EXPECT_NEAR(metrics.utilizationPct.value(), 100 * std::stod(row[2]), 1e-4);
    EXPECT_EQ(metrics.smEfficiencyPct.has_value(), !row[3].empty());
    if (metrics.smEfficiencyPct) {
      EXPECT_NEAR(*metrics.smEfficiencyPct, 100 * std::stod(row[3]), 1e-4);
    }
    EXPECT_EQ(metrics.occupancyPct.has_value(), !row[4].empty());
    if (metrics.occupancyPct) {
      EXPECT_NEAR(*metrics.occupancyPct, std::stod(row[4]), 1e-3);
    }
  }
}

} // namespace rankscope
