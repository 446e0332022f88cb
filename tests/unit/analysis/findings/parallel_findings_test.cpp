// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about the parallelism of a job: small jobs that have exactly one problem, the same jobs without
// it, and recorded pipelines, experts and replicas. Covers core/analysis/findings/finding_parallel,
// core/analysis/findings/finding_replicas and core/analysis/findings/finding_layers.
#include "core/analysis/findings/finding_kinds.h"
#include "core/io/load/trace_loader.h"
#include "core/report/findings_table.h"
#include "core/report/job_report.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/analysis/findings/finding_jobs.h"
#include "tests/unit/report_of.h"
#include "tests/unit/times.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace rankscope {

namespace {

constexpr int kSteps = 3;
constexpr std::int64_t kStepMs = 100;
constexpr const char* kGemm = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_tn";
constexpr const char* kFloatGemm = "ampere_sgemm_128x64_tn";

struct Collective {
  double launch = 0; // ms of the step
  double begin = 0;
  double length = 0;
  std::int64_t elements = 0;
  const char* operation = "allreduce";
  const char* dtype = "BFloat16";
  const char* description = "default_pg";
};

// A rank of two: steps of 100 ms with a forward pass from 0 to 20 and a backward pass from 20 to 60 on the
// host.
class RankWriter {
 public:
  explicit RankWriter(int rank) { m_text.distributedInfo(rank, 2); }

  void beginStep(int step) {
    m_step = step * kStepMs * kMs;
    m_text.addStep(step + 1, m_step, kStepMs * kMs);
    m_text.addCpuOp(1, at(20), 40 * kMs, "autograd::engine::evaluate_function: AddmmBackward0");
    kernel(61, 96, 3, "multi_tensor_apply_kernel");
  }
  void label(double begin, double length, const char* name) {
    m_text.addAnnotation(1, at(begin), span(length), name);
  }
  void operation(double begin, double length, const char* name) {
    m_text.addCpuOp(1, at(begin), span(length), name);
  }
  void kernel(double launch, double begin, double length, const char* name) {
    m_text.addRuntime(1, at(launch), 2'000, "cudaLaunchKernel", ++m_correlation);
    m_text.addKernel(0, 7, at(begin), span(length), name, m_correlation);
  }
  void collective(const Collective& of) {
    m_text.addRuntime(1, at(of.launch), 2'000, "cudaLaunchKernelExC", ++m_correlation);
    const bool gathers = std::string_view(of.operation) == "_allgather_base";
    const bool scatters = std::string_view(of.operation) == "_reduce_scatter_base";
    m_text.addKernel(0, 20, at(of.begin), span(of.length),
                     fmt::format("ncclDevKernel_{}_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                                 gathers    ? "AllGather"
                                 : scatters ? "ReduceScatter_Sum_bf16"
                                            : "AllReduce_Sum_bf16"),
                     m_correlation,
                     fmt::format(R"("Collective name": "{}", "In msg nelems": {}, "Out msg nelems": {},
 "Group size": 2, "dtype": "{}", "In split size": "[]", "Out split size": "[]", "Process Group Name": "{}",
 "Process Group Description": "{}", "Process Group Ranks": "[0, 1]")",
                                 of.operation, of.elements, gathers ? 2 * of.elements : of.elements, of.dtype,
                                 of.description, of.description));
  }
  test::TraceText& text() { return m_text; }

 private:
  [[nodiscard]] std::int64_t at(double ms) const { return m_step + span(ms); }
  static std::int64_t span(double ms) { return static_cast<std::int64_t>(ms * kMs); }

  test::TraceText m_text;
  std::int64_t m_step = 0;
  std::int64_t m_correlation = 0;
};

// write(writer, rank, step) for each step of two ranks.
template <class Write> std::unique_ptr<JobReport> jobOf(Write&& write) {
  const test::TemporaryFolder folder;
  for (const int rank : {0, 1}) {
    RankWriter writer(rank);
    for (int step = 0; step < kSteps; ++step) {
      writer.beginStep(step);
      write(writer, rank, step);
    }
    test::writeTraceFile((folder.path() / fmt::format("rank{}.json", rank)).string(), writer.text().text());
  }
  return reportOf(folder.path());
}

// Of the rules about parallelism.
std::set<std::string> kindsIn(const JobReport& report) {
  std::set<std::string> kinds;
  for (const Finding& finding : report.findings()) {
    const int rule = std::stoi(std::string(findingRule(finding.kind).substr(1)));
    if ((rule >= 110 && rule <= 130) || rule == 15 || rule == 34)
      kinds.emplace(findingKindText(finding.kind));
  }
  return kinds;
}

using Kinds = std::set<std::string>;

// DDP: compute from 5 to 60, then these buckets on the communication stream.
std::unique_ptr<JobReport> replicas(const std::vector<Collective>& buckets, const char* gemm = kGemm,
                                    std::int64_t moreOnRank1 = 0) {
  return jobOf([&](RankWriter& writer, int rank, int) {
    writer.label(0, 19, "DistributedDataParallel.forward");
    writer.kernel(2, 5, 15, gemm);
    writer.kernel(21, 21, 39, gemm);
    for (Collective bucket : buckets) {
      bucket.elements += rank * moreOnRank1;
      writer.collective(bucket);
    }
  });
}

constexpr std::int64_t kMillion = 1'000'000;

} // namespace

TEST(ParallelFindings, ofReplicasWithEvenBucketsAreNone) {
  const auto report = replicas({{25, 26, 4, 5 * kMillion},
                                {35, 36, 4, 5 * kMillion},
                                {45, 46, 4, 5 * kMillion},
                                {58, 60, 6, 5 * kMillion}});
  EXPECT_EQ(kindsIn(*report), Kinds{}) << findingsText(*report);
}

TEST(ParallelFindings, nameBucketsThatCannotOverlap) {
  const auto one = replicas({{59, 60, 30, 20 * kMillion}});
  EXPECT_EQ(kindsIn(*one), Kinds{"ddp_one_bucket"}) << findingsText(*one);
  const Finding* finding = findingIn(*one, FindingKind::DdpOneBucket);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->gain->low, 0);
  EXPECT_NEAR(static_cast<double>(finding->gain->high), 30e6, 1e6);
  const auto last = replicas({{35, 36, 4, kMillion}, {59, 60, 30, 20 * kMillion}});
  EXPECT_EQ(kindsIn(*last), Kinds{"ddp_buckets_too_large"}) << findingsText(*last);
  const auto late =
      replicas({{48, 49, 5, 10 * kMillion}, {55, 56, 10, 8 * kMillion}, {59, 66, 10, 6 * kMillion}});
  EXPECT_EQ(kindsIn(*late), Kinds{"ddp_late_first_bucket"}) << findingsText(*late);
}

TEST(ParallelFindings, compareTheFormatOfGradientsWithThatOfProducts) {
  const std::vector<Collective> buckets{{25, 26, 30, 10 * kMillion, "allreduce", "Float"},
                                        {45, 56, 4, 10 * kMillion, "allreduce", "Float"},
                                        {58, 60, 20, 5 * kMillion, "allreduce", "Float"}};
  const auto half = replicas(buckets);
  EXPECT_EQ(kindsIn(*half), Kinds{"ddp_fp32_gradients"}) << findingsText(*half);
  EXPECT_EQ(kindsIn(*replicas(buckets, kFloatGemm)), Kinds{});
}

TEST(ParallelFindings, nameBucketsThatDifferBetweenRanks) {
  const auto report =
      replicas({{25, 26, 4, 5 * kMillion}, {45, 46, 4, 5 * kMillion}, {58, 60, 3, 3 * kMillion}}, kGemm, 64);
  EXPECT_EQ(kindsIn(*report), Kinds{"ddp_order_differs"}) << findingsText(*report);
  const Finding* finding = findingIn(*report, FindingKind::DdpOrderDiffers);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::Warning);
}

namespace {

struct Shards {
  int units = 4;
  int gathers = 2; // of a unit in each step
  const char* dtype = "BFloat16";
  double copies = 0;
  std::int64_t elements = 2 * kMillion; // of a rank in each gather
  std::int64_t reserved = 0;            // bytes of a device of 80 GB; 0: not recorded
};

// FSDP of the same layout; gathers of forward and backward and the reduction of each unit.
std::unique_ptr<JobReport> shards(const Shards& of) {
  return jobOf([&](RankWriter& writer, int, int step) {
    if (of.reserved > 0 && step == 0) {
      writer.text().metadata(
          "deviceProperties",
          R"([{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 80000000000}])");
      writer.text().addMemory(1, kMs, of.reserved, of.reserved, of.reserved);
    }
    const double each = 12.0 / of.units;
    for (int unit = 0; unit < of.units; ++unit) {
      const std::string name = fmt::format("layers.{}", unit);
      const double begin = 1 + unit * each;
      const std::string gather = fmt::format("FSDP::all_gather ({})", name);
      for (int again = 0; again < of.gathers; ++again) {
        // The second is that of the backward pass.
        const double launch = again == 1 ? 21 + unit * each : begin + again * each / 4;
        writer.label(launch, each / 8, gather.c_str());
        writer.collective({launch + each / 16, launch + each / 8, each / 8, of.elements, "_allgather_base"});
      }
      const std::string reduce = fmt::format("FSDP::post_backward_reduce ({})", name);
      writer.label(45 + unit * each, each / 2, reduce.c_str());
      writer.collective({45 + unit * each + each / 4, 60 + unit * each * 2, each * 1.9, 2 * of.elements,
                         "_reduce_scatter_base", of.dtype});
    }
    if (of.copies > 0) {
      writer.label(15, 3, "FSDP::all_gather_copy_out (layers.0)");
      writer.operation(15.2, 2, "fsdp::split_with_sizes_copy");
      writer.kernel(15.5, 90 - of.copies, of.copies, "split_with_sizes_copy_out_contiguous_dim0");
    }
    writer.kernel(16, 16, 4, kGemm);
    writer.kernel(21, 38, 20, kGemm);
  });
}

} // namespace

TEST(ParallelFindings, judgeUnitsOfFsdp) {
  const auto good = shards({});
  EXPECT_EQ(kindsIn(*good), Kinds{}) << findingsText(*good);
  const auto one = shards({.units = 1});
  EXPECT_EQ(kindsIn(*one), Kinds{"fsdp_one_unit"}) << findingsText(*one);
  const auto again = shards({.gathers = 5});
  EXPECT_EQ(kindsIn(*again), Kinds{"fsdp_regather"}) << findingsText(*again);
  const auto wide = shards({.dtype = "Float"});
  EXPECT_EQ(kindsIn(*wide), Kinds{"fsdp_reduce_fp32"}) << findingsText(*wide);
  const auto copies = shards({.copies = 6});
  EXPECT_EQ(kindsIn(*copies), Kinds{"fsdp_copy_overhead"}) << findingsText(*copies);
}

TEST(ParallelFindings, gathersInBackwardAreNeedlessWhereMemoryIsFree) {
  const std::int64_t gigabyte = 1'000'000'000;
  const auto roomy = shards({.reserved = 20 * gigabyte});
  const Finding* const proven = findingIn(*roomy, FindingKind::FsdpNoReshardNeeded);
  ASSERT_NE(proven, nullptr) << findingsText(*roomy);
  EXPECT_EQ(proven->confidence, Confidence::Proven);
  EXPECT_NE(proven->evidence.find("25 % of the device"), std::string::npos) << proven->evidence;
  EXPECT_NE(proven->fix.find("reshard_after_forward=False"), std::string::npos);
  // Of what is exposed, those of the forward pass are needed: four of 0.375 ms.
  ASSERT_TRUE(proven->time.has_value());
  EXPECT_EQ(*proven->time, 4 * 375'000);

  const auto full = shards({.reserved = 60 * gigabyte});
  EXPECT_EQ(findingIn(*full, FindingKind::FsdpNoReshardNeeded), nullptr) << findingsText(*full);
  const auto unknown = shards({});
  const Finding* const hint = findingIn(*unknown, FindingKind::FsdpNoReshardNeeded);
  ASSERT_NE(hint, nullptr) << findingsText(*unknown);
  EXPECT_EQ(hint->confidence, Confidence::Hint);
  const auto once = shards({.gathers = 1, .reserved = 20 * gigabyte});
  EXPECT_EQ(findingIn(*once, FindingKind::FsdpNoReshardNeeded), nullptr) << findingsText(*once);
}

TEST(ParallelFindings, manySmallGathersAreSmallUnits) {
  const auto small = shards({.units = 40, .elements = 20'000});
  const Finding* const finding = findingIn(*small, FindingKind::FsdpUnitsTooSmall);
  ASSERT_NE(finding, nullptr) << findingsText(*small);
  EXPECT_EQ(finding->leaf, "comm.fragmented");
  EXPECT_NE(finding->fix.find("transformer block"), std::string::npos);
  const auto large = shards({});
  EXPECT_EQ(findingIn(*large, FindingKind::FsdpUnitsTooSmall), nullptr) << findingsText(*large);
  EXPECT_EQ(findingIn(*large, FindingKind::FragmentedCollectives), nullptr);
}

namespace {

struct Layers {
  const char* description = "mesh_tp";
  std::int64_t elements = 4 * kMillion;
  double exposed = 1;
  double norm = 0;
  double moreOnRank1 = 0;
  bool hosts = false;
  const char* kernel = kGemm;
};

// Four layers forward: a product of 6 ms and a collective after it.
std::unique_ptr<JobReport> layers(const Layers& of) {
  return jobOf([&](RankWriter& writer, int rank, int step) {
    if (of.hosts && step == 0) writer.text().metadata("host_name", fmt::format("\"node-{}\"", rank));
    for (int layer = 0; layer < 4; ++layer) {
      const double begin = 20 * layer;
      if (of.norm > 0)
        writer.kernel(1 + layer * 3, begin + 1, of.norm, "void vectorized_layer_norm_kernel<float>(int)");
      writer.kernel(2 + layer * 3, begin + 4, 6 + rank * of.moreOnRank1, of.kernel);
      writer.collective({3 + layer * 3.0, begin + 10 + of.moreOnRank1, of.exposed, of.elements, "allreduce",
                         "BFloat16", of.description});
    }
  });
}

} // namespace

TEST(ParallelFindings, judgeTensorParallelLayers) {
  EXPECT_EQ(kindsIn(*layers({})), Kinds{}) << "messages of 8 MB on one host";
  const auto small = layers({.elements = 1000});
  EXPECT_EQ(kindsIn(*small), Kinds{"tp_small_messages"}) << findingsText(*small);
  const auto hosts = layers({.hosts = true});
  EXPECT_EQ(kindsIn(*hosts), Kinds{"tp_across_hosts"}) << findingsText(*hosts);
  const auto norms = layers({.norm = 2});
  EXPECT_EQ(kindsIn(*norms), Kinds{"tp_no_sequence_parallel"}) << findingsText(*norms);
  const auto unequal = layers({.moreOnRank1 = 3});
  ASSERT_TRUE(kindsIn(*unequal).contains("tp_imbalance")) << findingsText(*unequal);
  const Finding* finding = findingIn(*unequal, FindingKind::TpImbalance);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(unequal->analysis().trace().rank(finding->rank).rank, 1);
}

TEST(ParallelFindings, judgeContextParallelism) {
  const auto report =
      layers({.description = "mesh_cp",
              .moreOnRank1 = 4,
              .kernel = "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4> >(int)"});
  EXPECT_EQ(kindsIn(*report), (Kinds{"cp_exposed", "cp_imbalance"})) << findingsText(*report);
}

TEST(ParallelFindings, nameExposedSendsOfAPipeline) {
  const auto report = layers({.description = "mesh_pp", .exposed = 2});
  EXPECT_EQ(kindsIn(*report), Kinds{"pipeline_p2p_exposed"}) << findingsText(*report);
}

TEST(ParallelFindings, ofRecordedPipelinesNameTheBubbleAndItsCauses) {
  const std::filesystem::path folder = test::sharedFolder() / "captures" / "parallel";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
  const auto report = reportOf(folder / "torch-2.6.0" / "pp4_1f1b");
  const Kinds kinds = kindsIn(*report);
  // The first stage sleeps in forward only, so the others work longer; 8 microbatches on 4 ranks are few.
  for (const char* const kind : {"pipeline_bubble", "pipeline_few_microbatches", "pipeline_imbalance"})
    EXPECT_TRUE(kinds.contains(kind)) << kind << '\n' << findingsText(*report);
  for (const Finding& finding : report->findings()) {
    if (!finding.gain) continue;
    EXPECT_LE(finding.gain->high, static_cast<TimeNs>(report->keptAccount().stepTime) + 1) << finding.title;
  }
  const auto experts = reportOf(folder / "torch-2.6.0" / "ep4_skewed");
  for (const std::string& kind : kindsIn(*experts)) EXPECT_EQ(kind, "expert_imbalance");
  for (const char* const set :
       {"torch-2.6.0/tp2_dp2", "torch-2.14.1/fsdp2_api4", "torch-2.6.0/recompute_causal"})
    EXPECT_EQ(kindsIn(*reportOf(folder / set)), Kinds{}) << set;
}

TEST(ParallelFindings, ofRecordedReplicasAreNone) {
  for (const char* const set : {"torch-2.6.0/ddp4_healthy", "torch-2.6.0/collectives4",
                                "torch-2.14.1/ddp2_stack", "torch-2.14.1/fsdp2", "torch-2.6.0/infer1"})
    EXPECT_EQ(kindsIn(*reportOf(test::captureFolder(set))), Kinds{}) << set;
}

} // namespace rankscope
