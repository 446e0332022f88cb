// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about experts: a small job of two ranks whose experts have few rows, whose tokens leave the host
// or both, and the same job without. Covers core/analysis/findings/finding_experts and
// core/analysis/findings/dimension_costs.
#include "core/analysis/findings/finding_kinds.h"
#include "core/io/load/trace_loader.h"
#include "core/report/findings_table.h"
#include "core/report/job_report.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/analysis/findings/finding_jobs.h"
#include "tests/unit/times.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

namespace rankscope {

namespace {

constexpr std::int64_t kStep = 100 * kMs;
constexpr int kLayers = 2;

struct Experts {
  std::int64_t rows = 256;   // of a product
  std::string product = {};  // "_grouped_mm", "bmm"; empty: "mm"
  bool severalHosts = false; // a host for each rank
  bool shapes = true;        // record_shapes
};

class RankText {
 public:
  RankText(int rank, const Experts& of) : m_of(of) {
    m_text.distributedInfo(rank, 2);
    m_text.metadata("host_name", fmt::format("\"node-{}\"", of.severalHosts ? rank : 0));
  }

  // Attention, then for each layer a dispatch of 6 ms, products of 8 ms and a combine of 6 ms, all in a row.
  void addStep(int step) {
    m_host = step * kStep + kMs;
    m_device = step * kStep + 2 * kMs;
    m_text.addStep(step + 1, step * kStep, kStep);
    // Without a backward pass it would be a benchmark.
    m_text.addCpuOp(1, step * kStep + 60 * kMs, 20 * kMs,
                    "autograd::engine::evaluate_function: AddmmBackward0");
    kernel(7, 8 * kMs, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64");
    for (int layer = 0; layer < kLayers; ++layer) {
      exchange();
      for (int expert = 0; expert < 4; ++expert) product();
      exchange();
    }
  }
  [[nodiscard]] std::string text() const { return m_text.text(); }

 private:
  void kernel(std::int64_t stream, std::int64_t length, const std::string& name,
              const std::string& args = {}) {
    m_text.addRuntime(1, m_host, 2'000, "cudaLaunchKernel", ++m_correlation);
    m_text.addKernel(0, stream, m_device, length, name, m_correlation, args);
    m_host += 10'000;
    m_device += length;
  }

  void exchange() {
    m_text.addCpuOp(1, m_host - 2'000, 8'000, "c10d::alltoall_base_",
                    R"("Input Dims": [[1024, 64], [1024, 64], [], [], []],
 "Concrete Inputs": ["", "", "", "[256, 768]", "[256, 768]"])");
    kernel(20, 6 * kMs, "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
           R"("Collective name": "all_to_allv", "In msg nelems": 65536, "Out msg nelems": 65536,
 "Group size": 2, "dtype": "BFloat16", "In split size": "[256, 768]", "Out split size": "[256, 768]",
 "Process Group Name": "3", "Process Group Description": "mesh_ep", "Process Group Ranks": "[0, 1]")");
  }

  void product() {
    std::string dims = fmt::format("[[{}, 512], [512, 2048]]", m_of.rows);
    if (m_of.product == "_grouped_mm")
      dims = fmt::format("[[{}, 512], [4, 512, 2048]]", 4 * m_of.rows);
    else if (m_of.product == "bmm")
      dims = fmt::format("[[4, {}, 512], [4, 512, 2048]]", m_of.rows);
    m_text.addCpuOp(1, m_host - 2'000, 8'000,
                    "aten::" + (m_of.product.empty() ? std::string("mm") : m_of.product),
                    m_of.shapes ? "\"Input Dims\": " + dims : std::string());
    kernel(7, 2 * kMs, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x128x64");
  }

  const Experts& m_of;
  test::TraceText m_text;
  std::int64_t m_host = 0;
  std::int64_t m_device = 0;
  std::int64_t m_correlation = 0;
};

std::unique_ptr<JobReport> jobOf(const Experts& of) {
  const test::TemporaryFolder folder;
  for (const int rank : {0, 1}) {
    RankText text(rank, of);
    for (int step = 0; step < 3; ++step) text.addStep(step);
    test::writeTraceFile((folder.path() / fmt::format("rank{}.json", rank)).string(), text.text());
  }
  Progress progress;
  auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  auto report = std::make_unique<JobReport>(std::make_shared<const Analysis>(*loaded));
  // Shapes and splits are read again from the files, which are removed then.
  static_cast<void>(report->findings());
  return report;
}

using Kinds = std::set<std::string>;

Kinds kindsIn(const JobReport& report) {
  Kinds kinds;
  for (const Finding& finding : report.findings()) {
    const std::string_view kind = findingKindText(finding.kind);
    if (kind.starts_with("expert_")) kinds.emplace(kind);
  }
  return kinds;
}

} // namespace

TEST(ExpertFindings, ofLargeExpertsOnOneHostAreNone) {
  for (const char* const product : {"", "bmm", "_grouped_mm"}) {
    const auto report = jobOf({.product = product});
    EXPECT_EQ(kindsIn(*report), Kinds{}) << findingsText(*report);
  }
}

TEST(ExpertFindings, nameTokensThatLeaveTheHost) {
  const auto report = jobOf({.severalHosts = true});
  EXPECT_EQ(kindsIn(*report), Kinds{"expert_across_hosts"}) << findingsText(*report);
  const Finding* const finding = findingIn(*report, FindingKind::ExpertAcrossHosts);
  ASSERT_NE(finding, nullptr);
  // Rank 0 sends three quarters to rank 1, rank 1 one quarter of its own to rank 0.
  EXPECT_NE(finding->evidence.find("50"), std::string::npos) << finding->evidence;
  ASSERT_TRUE(finding->gain.has_value());
  EXPECT_GT(finding->gain->high, 0);
  EXPECT_LE(finding->gain->high, 4 * 6 * kMs);
}

TEST(ExpertFindings, nameProductsWithFewRows) {
  for (const char* const product : {"", "bmm", "_grouped_mm"}) {
    const auto report = jobOf({.rows = 16, .product = product});
    EXPECT_EQ(kindsIn(*report), Kinds{"expert_tiny"}) << findingsText(*report);
    const Finding* const finding = findingIn(*report, FindingKind::ExpertTiny);
    ASSERT_NE(finding, nullptr);
    EXPECT_NE(finding->title.find("16 rows"), std::string::npos) << finding->title;
    // Two layers of four products of 2 ms; 16 of 64 rows.
    ASSERT_TRUE(finding->gain.has_value());
    EXPECT_EQ(finding->gain->low, 0);
    EXPECT_NEAR(static_cast<double>(finding->gain->high), 0.75 * 16 * kMs, 1e5);
  }
  EXPECT_EQ(kindsIn(*jobOf({.rows = 16, .shapes = false})), Kinds{}) << "without shapes it is not known";
}

} // namespace rankscope
