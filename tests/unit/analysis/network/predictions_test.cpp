// SPDX-License-Identifier: GPL-3.0-or-later
// Expected bandwidths, ideal algorithms, and predictions from tables. Covers core/analysis/network/bandwidth,
// core/analysis/network/network_input, core/analysis/hardware/fabrics, core/report/bandwidth_tables.
#include "core/analysis/network/predictions.h"

#include "core/analysis/hardware/fabrics.h"
#include "core/export/csv.h"
#include "core/io/load/trace_loader.h"
#include "core/io/nccl/nccl_files.h"
#include "core/report/bandwidth_tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

Analysis noRanks() {
  return Analysis(std::make_shared<const TraceSet>("", StringTable(), std::vector<RankEntry>(),
                                                   std::vector<FileRecord>()));
}

ExpectedLinks links(const char* within, const char* between, std::int64_t ports) {
  ExpectedLinks links;
  links.within = fabricNamed(within);
  links.between = fabricNamed(between);
  links.ports = ports;
  return links;
}

JobBandwidth ofTable(const std::string& name) {
  const Analysis analysis = noRanks();
  return jobBandwidth(analysis,
                      jobNetwork(std::make_shared<const NcclRecords>(
                          readNcclFiles({(test::sharedFolder() / "nccl/tests" / name).string()}))),
                      {});
}

} // namespace

TEST(Fabrics, areKnownByDeviceAndNetwork) {
  ASSERT_NE(fabricOfGpu("NVIDIA H100 80GB HBM3"), nullptr);
  EXPECT_EQ(fabricOfGpu("NVIDIA H100 80GB HBM3")->name, "nvlink4");
  EXPECT_EQ(fabricOfGpu("NVIDIA H100 PCIe")->name, "pcie5");
  EXPECT_EQ(fabricOfGpu("NVIDIA H100 NVL")->name, "pcie5");
  EXPECT_EQ(fabricOfGpu("NVIDIA A100-SXM4-40GB")->name, "nvlink3");
  EXPECT_EQ(fabricOfGpu("Tesla V100-SXM2-32GB")->name, "nvlink2");
  EXPECT_EQ(fabricOfGpu("AMD Instinct MI300X")->name, "xgmi");
  EXPECT_EQ(fabricOfGpu("some device"), nullptr);
  EXPECT_EQ(fabricOfNetwork("IB", 400)->name, "ib-ndr");
  EXPECT_EQ(fabricOfNetwork("IB", 0), nullptr) << "the rate decides";
  const auto choice = fabricChoice("ib-ndr:8");
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->ports, 8);
  EXPECT_FALSE(fabricChoice("ib-ndr:").has_value());
  EXPECT_FALSE(fabricChoice("warp").has_value());
  std::set<std::string_view> names;
  for (const Fabric& fabric : fabrics()) {
    EXPECT_TRUE(names.insert(fabric.name).second) << fabric.name;
    EXPECT_GT(fabric.gbS, 0);
    EXPECT_GT(fabric.reached, 0);
    EXPECT_LE(fabric.reached, 1);
  }
}

TEST(Bandwidth, whatLinksGiveDependsOnAlgorithmAndNodes) {
  const auto allReduce = CollectiveOperation::AllReduce;
  EXPECT_NEAR(*expectedBusbw(links("nvlink4", "ib-ndr", 8), allReduce, "", 8, 1), 450 * 0.82, 1e-9);
  EXPECT_NEAR(*expectedBusbw(links("nvlink4", "ib-ndr", 8), allReduce, "NVLS", 8, 1), 450 * 1.06, 1e-9);
  // Two hosts of 8: the network would give 400 GB/s, NVLink 369.
  EXPECT_NEAR(*expectedBusbw(links("nvlink4", "ib-ndr", 8), allReduce, "", 16, 2), 368, 2);
  EXPECT_NEAR(*expectedBusbw(links("nvlink4", "ib-hdr", 8), allReduce, "", 16, 2), 200 * 0.92, 1e-9);
  // AllToAll over two hosts of 8 with 200 GB/s each: at most 46.9.
  EXPECT_NEAR(*expectedBusbw(links("nvlink4", "ib-hdr", 8), CollectiveOperation::AllToAll, "", 16, 2) / 0.92,
              46.9, 0.1);
  EXPECT_FALSE(expectedBusbw({}, allReduce, "", 8, 1).has_value());
  EXPECT_FALSE(expectedBusbw(links("nvlink4", "?", 1), allReduce, "", 16, 2).has_value());
  EXPECT_FALSE(
      expectedBusbw(links("nvlink4", "ib-hdr", 1), CollectiveOperation::Barrier, "", 8, 1).has_value());
}

TEST(Predictions, idealFormsGrowAsTheirStepsDo) {
  const StepModel model{2, 100, 6.6};
  const auto op = CollectiveOperation::AllReduce;
  EXPECT_NEAR(*idealUs(op, IdealForm::Ring, 8, 8e8, model), 6.6 + 14 * 2 + 1.75 * 8e8 / 1e5, 1e-6);
  EXPECT_NEAR(*idealUs(op, IdealForm::Tree, 8, 8e8, model), 6.6 + 6 * 2 + 2 * 8e8 / 1e5, 1e-6);
  EXPECT_EQ(crossoverBytes(model, 3), 0) << "always a ring";
  const double crossover = crossoverBytes(model, 64);
  EXPECT_GT(crossover, 0);
  EXPECT_FALSE(idealUs(CollectiveOperation::Barrier, IdealForm::Ring, 8, 1, model).has_value());
  EXPECT_FALSE(idealUs(op, IdealForm::Ring, 1, 1, model).has_value());
}

TEST(Predictions, ofATableStayInItsRangeOrSayThatTheyDoNot) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "nccl/tests"), test::kNoRecordings);
  const JobBandwidth bandwidth = ofTable("sophia-a100-16r-all_reduce.txt");
  ASSERT_EQ(bandwidth.series.size(), 1U);
  const BandwidthSeries& series = bandwidth.series[0];
  EXPECT_EQ(series.between, true);
  EXPECT_EQ(series.nodes, 2);
  ASSERT_NE(series.links.within, nullptr);
  EXPECT_EQ(series.links.within->name, "nvlink3");
  EXPECT_NEAR(std::ranges::max(series.sizes, {}, &BandwidthSize::busbwGbS).busbwGbS, 183.66, 2);
  PredictionRequest request;
  request.bytes = {1.5e6, 1e12};
  for (const Prediction& of : predictions(bandwidth, request)) {
    EXPECT_LE(of.lowUs, of.us);
    EXPECT_GE(of.highUs, of.us);
    EXPECT_GT(of.us, 0);
    EXPECT_EQ(of.extrapolated, of.bytes > 1e9 || of.ranks != 16);
  }
  EXPECT_FALSE(predictions(bandwidth, request).empty());
  EXPECT_FALSE(matchesNothing(bandwidth, request));
  request.group = "another";
  EXPECT_TRUE(predictions(bandwidth, request).empty());
  EXPECT_TRUE(matchesNothing(bandwidth, request));
  EXPECT_FALSE(predictionsText(bandwidth, predictions(bandwidth)).empty());
  EXPECT_NE(bandwidthText(bandwidth).find("AllReduce"), std::string::npos);
}

TEST(Predictions, tellSizesApartThatRoundToTheSame) {
  std::vector<Prediction> rows(3);
  rows[0].bytes = 26'214'400;
  rows[1].bytes = 26'216'448;
  rows[2].bytes = 1'048'576;
  const std::string text = predictionsText({}, rows);
  EXPECT_NE(text.find("26 214 400 B"), std::string::npos) << text;
  EXPECT_NE(text.find("26 216 448 B"), std::string::npos) << text;
  EXPECT_EQ(text.find("1 048 576 B"), std::string::npos) << text;
}

// Of all tables: a larger message never takes less, whatever the ranks are.
TEST(Predictions, riseWithTheSize) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "nccl/tests"), test::kNoRecordings);
  std::size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(test::sharedFolder() / "nccl/tests")) {
    if (entry.path().extension() != ".txt") continue;
    const JobBandwidth bandwidth = ofTable(entry.path().filename().string());
    PredictionRequest request;
    for (double bytes = 1024; bytes <= 4e9; bytes *= 1.5) request.bytes.push_back(bytes);
    for (const std::int64_t ranks : {4, 8, 16, 64, 128, 1024}) {
      request.ranks = ranks;
      std::map<std::pair<std::string, std::string>, double> last; // by group and form
      for (const Prediction& of : predictions(bandwidth, request)) {
        double& before = last[{of.group, of.form}];
        EXPECT_GE(of.us, before * (1 - 1e-9))
            << of.group << " " << of.form << " " << of.ranks << " " << of.bytes;
        before = of.us;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 1000U);
}

// Ranks of one host say nothing of links between hosts: those must be known, and then bound the time.
TEST(Predictions, onOtherHostsNeedTheirLinks) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "nccl/tests"), test::kNoRecordings);
  PredictionRequest request;
  request.ranks = 16;
  request.nodes = 2;
  request.bytes = {1 << 30};
  const JobBandwidth unknown = ofTable("h100-nvlink-allreduce.txt");
  EXPECT_TRUE(predictions(unknown, request).empty());
  EXPECT_NE(predictionRefusal(unknown, request).find("--fabric"), std::string::npos);
  const auto over = [&](const char* fabric) {
    FabricSettings settings;
    settings.chosen.push_back(*fabricChoice(fabric));
    const JobBandwidth bandwidth =
        jobBandwidth(noRanks(),
                     jobNetwork(std::make_shared<const NcclRecords>(readNcclFiles(
                         {(test::sharedFolder() / "nccl/tests/h100-nvlink-allreduce.txt").string()}))),
                     settings);
    return predictions(bandwidth, request);
  };
  // 50 GB/s of one port: a tree sends each byte once between two hosts, a ring 1.875 times.
  const std::vector<Prediction> slow = over("ib-ndr:1");
  ASSERT_EQ(slow.size(), 2U);
  for (const Prediction& of : slow) {
    EXPECT_EQ(of.nodes, 2);
    EXPECT_TRUE(of.extrapolated);
    EXPECT_GE(of.lowUs, 1.0737e9 / 50e3 * 0.99) << of.form;
    EXPECT_GE(of.us, of.lowUs);
    EXPECT_GE(of.highUs, of.us);
  }
  const std::vector<Prediction> fast = over("ib-ndr:8");
  ASSERT_EQ(fast.size(), 2U);
  EXPECT_LT(fast[0].us, slow[0].us / 4);
  // Eight ranks of one host stay on its links.
  request.ranks = 8;
  request.nodes.reset();
  EXPECT_FALSE(predictions(unknown, request).empty());
  // More hosts than ranks there cannot be.
  request.ranks = 3;
  request.nodes = 5;
  EXPECT_TRUE(predictions(unknown, request).empty());
  EXPECT_NE(predictionRefusal(unknown, request).find("fewer ranks"), std::string::npos);
  request.group = "no such group";
  request.ranks.reset();
  EXPECT_NE(predictionRefusal(unknown, request).find("is called no such group"), std::string::npos);
}

// Without the algorithm the latency of one step is not known, so neither is where a tree becomes better.
TEST(Predictions, theCrossoverNeedsTheAlgorithm) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "nccl/tests"), test::kNoRecordings);
  BandwidthSeries series = ofTable("alps-gh200-512r-allreduce.txt").series.at(0);
  EXPECT_FALSE(crossoverOf(series).has_value());
  series.algorithm = "TREE";
  const auto crossover = crossoverOf(series);
  ASSERT_TRUE(crossover.has_value());
  EXPECT_LT(crossover->lowBytes, crossover->bytes);
  EXPECT_GT(crossover->highBytes, crossover->bytes);
}

TEST(Bandwidth, aChosenFabricJudgesLargeSizesOnly) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "nccl/tests"), test::kNoRecordings);
  const Analysis analysis = noRanks();
  FabricSettings settings;
  settings.chosen.push_back(*fabricChoice("ib-hdr:8"));
  const JobBandwidth bandwidth =
      jobBandwidth(analysis,
                   jobNetwork(std::make_shared<const NcclRecords>(readNcclFiles(
                       {(test::sharedFolder() / "nccl/tests/sophia-a100-16r-all_reduce.txt").string()}))),
                   settings);
  for (const BandwidthSize& size : bandwidth.series.at(0).sizes) {
    EXPECT_EQ(size.efficiencyPct.has_value(), size.bytes >= (std::int64_t{256} << 20)) << size.bytes;
    if (size.bytes == std::int64_t{1} << 30) {
      EXPECT_NEAR(*size.efficiencyPct, 97, 4);
    }
  }
}

TEST(Bandwidth, ofOneRankAloneIsRefused) {
  const Analysis analysis = noRanks();
  const JobBandwidth bandwidth = jobBandwidth(analysis, jobNetwork(nullptr), {});
  EXPECT_TRUE(bandwidth.series.empty());
  EXPECT_FALSE(bandwidth.refused.empty());
  EXPECT_EQ(fitsTable(bandwidth).rowCount(), 0U);
}

// Calls beside another communication of their rank share its links: they have a fit of their own.
TEST(Bandwidth, contendedCallsAreFittedApart) {
  const test::TemporaryFolder folder;
  for (const int rank : {0, 1}) {
    test::TraceText text;
    text.distributedInfo(rank, 2).hostProcess(100 + rank);
    std::int64_t correlation = 0, begin = 1'000'000;
    for (int step = 0; step < 8; ++step) {
      text.addStep(step + 5, begin, 99'000'000);
      std::int64_t at = begin + 1'000'000;
      for (std::int64_t elements = 1 << 16; elements <= 1 << 22; elements *= 4) {
        // 4 bytes each over 2 GB/s; half as fast where two run at once.
        const std::int64_t alone = 20'000 + elements * 2;
        const bool beside = step % 2 == 1;
        for (int stream = 20; stream < (beside ? 22 : 21); ++stream) {
          text.addRuntime(1, at - 50'000, 1'000, "cudaLaunchKernel", ++correlation);
          text.addCollective(0, stream, at + stream - 20, beside ? 2 * alone : alone, "allreduce", elements,
                             2, correlation);
        }
        at += 2 * alone + 1'000'000;
      }
      begin += 100'000'000;
    }
    test::writeTraceFile(folder / ("rank" + std::to_string(rank) + ".json"), text.text());
  }
  Progress progress;
  const Analysis analysis(*loadTraces({folder.path().string()}, {}, progress));
  const JobBandwidth bandwidth = jobBandwidth(analysis, jobNetwork(nullptr), {});
  ASSERT_EQ(bandwidth.series.size(), 1U);
  const BandwidthSeries& series = bandwidth.series.front();
  ASSERT_EQ(series.sizes.size(), 4U);
  for (const BandwidthSize& size : series.sizes) {
    EXPECT_EQ(size.samples, 4);
    EXPECT_EQ(size.contended, 8);
    EXPECT_NEAR(size.contendedUs / size.medianUs, 2, 0.05);
    EXPECT_EQ(size.excluded, size.first + size.unmatched + size.untimed);
  }
  EXPECT_NEAR(series.curve.fit().betaGbS / series.contendedFit.betaGbS, 2, 0.05);
  const ResultTable fits = fitsTable(bandwidth);
  EXPECT_EQ(fits.at(0, *fits.columnNamed("contended")), Cell(std::int64_t{32}));
  const Cell why = fits.at(0, *fits.columnNamed("left_out"));
  EXPECT_EQ(std::get<std::string_view>(why), "32 beside other communication (2.00 times as long)");
  EXPECT_NE(bandwidthText(bandwidth).find("(2.00 times as long); contended"), std::string::npos);
}

// Each capture has groups of its own, of one name.
TEST(Bandwidth, groupsOfCapturesAreToldApart) {
  test::JobOptions options;
  options.captures = 2;
  options.ranks = 2;
  const test::TemporaryFolder folder;
  test::generateJob(options, folder.path());
  Progress progress;
  const Analysis analysis(*loadTraces({folder.path().string()}, {}, progress));
  const JobBandwidth bandwidth = jobBandwidth(analysis, jobNetwork(nullptr), {});
  std::set<std::string> rows;
  for (const BandwidthSeries& series : bandwidth.series) {
    EXPECT_NE(series.group.find(", capture "), std::string::npos) << series.group;
    EXPECT_TRUE(rows.insert(series.group + std::string(operationText(series.operation))).second)
        << series.group;
  }
  EXPECT_GE(rows.size(), 2U);
}

TEST(Bandwidth, transfersOfAJobGiveTheirMedians) {
  test::JobOptions options;
  const test::TemporaryFolder folder;
  test::generateJob(options, folder.path());
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  ASSERT_TRUE(loaded.ok());
  const Analysis analysis(*loaded);
  const JobBandwidth bandwidth = jobBandwidth(analysis, jobNetwork(nullptr), {});
  ASSERT_FALSE(bandwidth.series.empty());
  EXPECT_TRUE(bandwidth.refused.empty());
  for (const BandwidthSeries& series : bandwidth.series)
    for (const BandwidthSize& size : series.sizes) {
      EXPECT_EQ(size.instances.size(), static_cast<std::size_t>(size.samples));
      if (size.samples == 0) continue;
      EXPECT_LE(size.p10Us, size.medianUs);
      EXPECT_GE(size.p90Us, size.medianUs);
      EXPECT_NEAR(size.algbwGbS * size.medianUs * 1e3, static_cast<double>(size.bytes), 1);
    }
  EXPECT_FALSE(toCsv(bandwidthTable(bandwidth)).empty());
}

} // namespace rankscope
