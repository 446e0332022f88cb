// SPDX-License-Identifier: GPL-3.0-or-later
// The step's account from peak to achieved, on recordings of all kinds: parts are whole nanoseconds that add
// up to the step, and MFU is what the same figures give by themselves. Covers core/report/reported_part and
// core/analysis/efficiency/plausibility, core/analysis/efficiency/mfu_difference and
// core/analysis/efficiency/calls_of_steps and core/analysis/findings/finding_plausibility too.
#include "core/report/efficiency_tables.h"

#include "core/io/load/trace_loader.h"
#include "core/report/efficiency_checklist.h"
#include "core/report/efficiency_view.h"
#include "core/report/reported_part.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace rankscope {

namespace {

std::unique_ptr<JobReport> reportOf(const std::filesystem::path& path,
                                    const EfficiencySettings& settings = {}) {
  Progress progress;
  auto job = loadTraces({path.string()}, {}, progress);
  if (!job.ok()) return nullptr;
  return std::make_unique<JobReport>(std::make_shared<const Analysis>(*job), settings);
}

void expectExactParts(const JobReport& report) {
  for (const RankIndex rank : report.analysis().ranks()) {
    const std::vector<StepAccount>& account = report.account().of(rank).steps;
    const std::vector<StepEfficiency>& steps = report.efficiency().of(rank);
    ASSERT_EQ(steps.size(), account.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      TimeNs sum = 0;
      bool whole = true;
      for (const std::optional<TimeNs>& part : steps[i].parts) {
        whole = whole && part.has_value();
        EXPECT_GE(part.value_or(0), 0);
        sum += part.value_or(0);
      }
      // Without a peak: the classes beside compute, and nothing of it.
      const TimeNs compute = timeOf(account[i].times, TimeClass::Compute);
      EXPECT_EQ(whole ? sum : sum + compute, steps[i].duration());
      EXPECT_EQ(whole, report.flops().of(rank).peaks.known() &&
                           !report.analysis().trace().rank(rank).trace->deviceDetails.empty());
      EXPECT_LE(steps[i].covered, steps[i].compute);
    }
  }
}

// From the table of operators' calls and nothing else.
void expectIndependentMfu(const JobReport& report) {
  for (const RankIndex rank : report.analysis().ranks()) {
    const RankTrace& trace = *report.analysis().trace().rank(rank).trace;
    const JobFlops::Rank& of = report.flops().of(rank);
    const bool areSteps = report.analysis().stepWindows(rank).areSteps();
    for (std::size_t i = 0; i < report.efficiency().of(rank).size(); ++i) {
      const StepEfficiency& step = report.efficiency().of(rank)[i];
      const TimeRange host = areSteps ? report.analysis().stepWindows(rank).steps[i].host : kAllTime;
      double flops = 0;
      double recomputed = 0;
      double atPeak = 0; // seconds
      for (const FlopCall& call : of.flops.calls) {
        if (!call.counts() || !host.contains(trace.events.begin[call.op])) continue;
        const auto work = static_cast<double>(call.work.flops);
        flops += work;
        recomputed += call.recomputed ? work : 0;
        atPeak += work / (of.peaks.of(call.work.format) * 1e12);
      }
      if (!step.mfuPct() || flops <= 0) continue;
      const double time = static_cast<double>(step.duration()) * 1e-9;
      EXPECT_NEAR(*step.hfuPct(), 100 * atPeak / time, 1e-6 * *step.hfuPct());
      EXPECT_NEAR(*step.mfuPct(), 100 * atPeak / time * (1 - recomputed / flops), 1e-6 * *step.hfuPct());
      EXPECT_LE(*step.hfuPct(), 100);
    }
  }
}

class EfficiencyOfSets : public testing::TestWithParam<std::string> {};

} // namespace

TEST_P(EfficiencyOfSets, partsAddUpToTheStep) {
  RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
  const auto report = reportOf(test::sharedFolder() / "traces" / GetParam());
  if (report == nullptr) return; // no recording of the profiler
  expectExactParts(*report);
  expectIndependentMfu(*report);
  const EfficiencyView view = efficiencyView(*report, {});
  double sum = view.partsKnown ? 0 : view.computeTime;
  for (const double part : view.parts) sum += part;
  const bool hasDevice = !report->analysis().trace().ranks().front().trace->deviceDetails.empty();
  if (hasDevice) {
    EXPECT_NEAR(sum, view.stepTime, 1e-6 * view.stepTime);
    EXPECT_NEAR(view.stepTime, report->keptAccount().stepTime, 1e-6 * view.stepTime);
  }
  EXPECT_EQ(whyNoMfu(view).empty(), view.mfuPct.has_value());
  for (const EfficiencyCheck& check : efficiencyChecklist(*report, view))
    EXPECT_FALSE(check.measured.empty());
  // With a peak for what has none.
  if (report->flops().of(RankIndex(0)).peaks.known()) return;
  const auto given = reportOf(test::sharedFolder() / "traces" / GetParam(), {{100.0, 1000.0}, {}, {}});
  ASSERT_NE(given, nullptr);
  expectExactParts(*given);
}

INSTANTIATE_TEST_SUITE_P(All, EfficiencyOfSets, testing::ValuesIn(test::sharedTraceSets()),
                         [](const auto& set) { return test::testNameOf(set.param); });

TEST(EfficiencyTables, splitAStepThatIsKnown) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.metadata(
      "deviceProperties",
      R"([{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42300000000, "computeMajor": 8,
                     "computeMinor": 0, "numSms": 108}])");
  text.addStep(1, 0, 10'000'000);
  // 2·1000³ at 312 TFLOP/s need 6,410 ns; it takes 10 us.
  text.addCpuOp(1, 1'000, 50'000, "aten::mm",
                R"("Input Dims": [[1000, 1000], [1000, 1000]], "Input type": ["c10::Half", "c10::Half"])");
  text.addRuntime(1, 2'000, 1'000, "cudaLaunchKernel", 1);
  text.addKernel(0, 7, 100'000, 10'000, "ampere_fp16_s16816gemm_fp16_128x128_tn", 1);
  // The same in a kernel of no known operator, and work that is no product.
  text.addRuntime(1, 60'000, 1'000, "cudaLaunchKernel", 2);
  text.addKernel(0, 7, 200'000, 20'000, "ampere_fp16_s16816gemm_fp16_128x128_tn", 2);
  text.addRuntime(1, 70'000, 1'000, "cudaLaunchKernel", 3);
  text.addKernel(0, 7, 300'000, 30'000, "void at::native::vectorized_elementwise_kernel<4>", 3);
  // A layout conversion multiplies nothing, whatever launched it.
  text.addCpuOp(1, 90'000, 5'000, "aten::cudnn_convolution");
  text.addRuntime(1, 91'000, 1'000, "cudaLaunchKernel", 4);
  text.addKernel(0, 7, 400'000, 40'000, "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>",
                 4);
  // An operator that launched nothing did not run.
  text.addCpuOp(1, 80'000, 1'000, "aten::mm",
                R"("Input Dims": [[9, 9], [9, 9]], "Input type": ["c10::Half", "c10::Half"])");
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto report = reportOf(folder.path());
  ASSERT_NE(report, nullptr);
  const StepEfficiency& step = report->efficiency().of(RankIndex(0)).front();
  EXPECT_EQ(static_cast<std::int64_t>(step.flops), 2'000'000'000);
  EXPECT_EQ(step.calls, 1);
  EXPECT_EQ(step.part(EfficiencyPart::NonGemm), 70'000);
  EXPECT_EQ(step.part(EfficiencyPart::Unmodelled), 20'000);
  EXPECT_EQ(step.part(EfficiencyPart::ModelFlops), 6'410);
  EXPECT_EQ(step.part(EfficiencyPart::MemoryBound), 0);
  EXPECT_EQ(step.part(EfficiencyPart::Inefficient), 3'590);
  EXPECT_EQ(step.part(EfficiencyPart::Recompute), 0);
  EXPECT_NEAR(*step.mfuPct(), 100 * 6'410.256 / 10e6, 1e-6);
  EXPECT_NEAR(*step.coveragePct(), 100.0 / 10, 1e-9);
  expectExactParts(*report);
  const ResultTable table = gemmsTable(*report);
  ASSERT_EQ(table.rowCount(), 1U);
  EXPECT_EQ(exactText(table, 0, *table.columnNamed("tile")), "128x128");
  const EfficiencyView view = efficiencyView(*report, {});
  EXPECT_NEAR(*view.mfuPct, *step.mfuPct(), 1e-9);
  EXPECT_NEAR(view.stepTime, static_cast<double>(step.duration()), 1e-3);
  EXPECT_TRUE(view.partsKnown);
  EXPECT_EQ(whyNoMfu(view), "");
  ASSERT_EQ(view.gemms.size(), 1U);
  EXPECT_NEAR(*view.bestTflops, 200, 1e-6);
  const ResultTable points = pointsTable(view, PointGroups::Shapes);
  ASSERT_EQ(points.rowCount(), 1U);
  EXPECT_EQ(exactText(points, 0, *points.columnNamed("shapes")), "1 000 × 1 000 × 1 000");
  EXPECT_EQ(pointsTable(view, PointGroups::Operators).rowCount(), 3U);
  // Another peak, of the same reading of the file.
  EXPECT_NEAR(*efficiencyView(*report, {{624.0, {}}, {}, {}}).mfuPct, *view.mfuPct / 2, 1e-9);
  // Of a peak that is too low the figure says that it cannot be.
  EXPECT_EQ(whyImplausible(view), "");
  const EfficiencyView low = efficiencyView(*report, {{0.01, {}}, {}, {}});
  ASSERT_GT(low.mfuPct.value_or(0), 100);
  EXPECT_EQ(whyImplausible(low), "not possible: check peak and number format");
  EXPECT_NE(efficiencyText(low).find("not possible"), std::string::npos);
  EXPECT_EQ(mfuText(low).value, "") << "no headline";
  EXPECT_NE(mfuText(low).note.find("not possible: check peak and number format"), std::string::npos);
  const auto wrong = reportOf(folder.path(), {{0.01, {}}, {}, {}});
  const auto peakFrom = [](const JobReport& of) {
    const ResultTable mfu = mfuTable(of);
    return exactText(mfu, 0, *mfu.columnNamed("peak_from"));
  };
  EXPECT_EQ(peakFrom(*wrong), "given; not possible: check peak and number format");
  EXPECT_EQ(peakFrom(*report), "A100 40GB");
  EfficiencySettings tooMany;
  tooMany.model.parameters = 1e12;
  tooMany.model.tokensPerStep = 1e6;
  EXPECT_EQ(peakFrom(*reportOf(folder.path(), tooMany)),
            "A100 40GB; not possible: check parameters, tokens a step, GPUs and peak");
  // Its one operator is of no backward pass: a model that infers.
  EfficiencySettings inferring;
  inferring.model.parameters = 1e9;
  inferring.model.tokensPerStep = 1;
  EXPECT_EQ(efficiencyView(*report, inferring).convention, "inference: 2 FLOPs a parameter and token, 2Ψ");
  EfficiencyView covered = view;
  covered.coveragePct = 100;
  for (const EfficiencyCheck& check : efficiencyChecklist(*report, covered)) {
    EXPECT_FALSE(check.measured.empty()) << check.title;
    EXPECT_FALSE(check.rule.empty()) << check.title;
    if (check.title == "Mixed precision") {
      EXPECT_EQ(check.measured, "100 % of FLOPs in fp16");
      EXPECT_EQ(check.answer, CheckAnswer::Good);
    }
  }
  // Of a part of the kernel time nothing is concluded about all of it.
  EfficiencyView partial = view;
  partial.coveragePct = 3.5;
  for (const EfficiencyCheck& check : efficiencyChecklist(*report, partial)) {
    if (check.title != "Mixed precision") continue;
    EXPECT_EQ(check.measured, "100 % of FLOPs in fp16; only 3.5 % of kernel time has FLOPs");
    EXPECT_EQ(check.answer, CheckAnswer::Unknown);
  }
  // What the user says of the model goes before shapes.
  EfficiencySettings settings;
  settings.model.flopsPerToken = 1e9;
  settings.model.tokensPerStep = 31.2;
  const auto told = reportOf(folder.path(), settings);
  EXPECT_NEAR(*told->efficiency().mfuPct(told->efficiency().of(RankIndex(0)).front()), 1.0, 1e-9);
}

EfficiencyCheck checkNamed(const JobReport& report, std::string_view title) {
  for (EfficiencyCheck& check : efficiencyChecklist(report, efficiencyView(report, {})))
    if (check.title == title) return std::move(check);
  return {};
}

// Nothing is fine about what could not be seen.
TEST(EfficiencyTables, withoutADeviceChecksOfDevicesAreUnknown) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.addStep(1, 0, 10'000'000);
  text.addCpuOp(1, 1'000, 5'000'000, "aten::mm",
                R"("Input Dims": [[1000, 1000], [1000, 1000]], "Input type": ["float", "float"])");
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto report = reportOf(folder.path());
  ASSERT_NE(report, nullptr);
  const EfficiencyCheck shapes = checkNamed(*report, "Shapes");
  EXPECT_EQ(shapes.answer, CheckAnswer::Unknown);
  EXPECT_EQ(shapes.measured, "no GEMM ran on a device") << "its shapes are in the table below";
  for (const auto& [title, why] : {std::pair("Optimizer", "no compute kernel was recorded"),
                                   std::pair("Attention", "no compute kernel was recorded"),
                                   std::pair("Synchronization", "no device activity was recorded"),
                                   std::pair("Device allocation", "no device activity was recorded"),
                                   std::pair("Exposed communication", "no collective was recorded")}) {
    const EfficiencyCheck check = checkNamed(*report, title);
    EXPECT_EQ(check.answer, CheckAnswer::Unknown) << title;
    EXPECT_EQ(check.measured, why) << title;
  }
  // The thread records nothing for half of the step.
  EXPECT_EQ(checkNamed(*report, "Other idle").answer, CheckAnswer::Bad);
}

namespace {

// Half of a step of 10 ms is in one kernel.
std::unique_ptr<JobReport> reportOfKernel(const char* name) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.addStep(1, 0, 10'000'000);
  text.addKernel(0, 7, 1'000, 5'000'000, name);
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  return reportOf(folder.path());
}

} // namespace

TEST(EfficiencyTables, longKernelsNeedNoLargerBatch) {
  const auto report = reportOfKernel("ampere_sgemm_128x64_nn");
  ASSERT_NE(report, nullptr);
  const EfficiencyCheck batch = checkNamed(*report, "Batch");
  EXPECT_EQ(batch.answer, CheckAnswer::Good);
  EXPECT_EQ(batch.measured.rfind("kernels are long enough: median ", 0), 0U) << batch.measured;
}

// Ranks that only communicate have waits all the same.
TEST(EfficiencyTables, waitsAreToldWithoutComputeKernels) {
  const auto report = reportOfKernel("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)");
  ASSERT_NE(report, nullptr);
  EXPECT_EQ(checkNamed(*report, "Attention").measured, "no compute kernel was recorded");
  EXPECT_EQ(checkNamed(*report, "Synchronization").answer, CheckAnswer::Good);
}

// Of 21 transfers between pairs of ranks, 18 have no partner.
TEST(EfficiencyTables, transfersWithoutAPartnerHoldUnknownWaiting) {
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(test::sharedFolder()), test::kNoRecordings);
  const auto report = reportOf(test::sharedFolder() / "traces" / "p2p-4rank-t4");
  ASSERT_NE(report, nullptr);
  EXPECT_NE(checkNamed(*report, "Exposed communication").measured.find(" transfer or unknown waiting, "),
            std::string::npos);
}

// A name that tells no tensor cores is no proof of either.
TEST(EfficiencyTables, tensorCoresAreThoseOfKernelsWhoseNamesTell) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.addStep(1, 0, 10'000'000);
  text.addRuntime(1, 2'000, 1'000, "cudaLaunchKernel", 1);
  text.addKernel(0, 7, 100'000, 10'000, "ampere_fp16_s16816gemm_fp16_128x128_tn", 1);
  text.addRuntime(1, 60'000, 1'000, "cudaLaunchKernel", 2);
  text.addKernel(0, 7, 200'000, 30'000, "_matmul_ogs_NNT_bf16xbf16xmxfp4_128x128x128x1", 2);
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto report = reportOf(folder.path());
  ASSERT_NE(report, nullptr);
  const EfficiencyCheck check = checkNamed(*report, "Tensor cores");
  EXPECT_EQ(check.measured,
            "used in all of the 25.0 % of GEMM and convolution time whose kernels tell by name");
  EXPECT_EQ(check.answer, CheckAnswer::Unknown);
}

// The formula counts more than such kernels compute.
TEST(EfficiencyTables, rowsAboveThePeakSayWhyAndLoseNothing) {
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(test::sharedFolder()), test::kNoRecordings);
  const auto report = reportOf(test::sharedFolder() / "traces" / "resnet50-v100-workers0");
  ASSERT_NE(report, nullptr);
  const EfficiencyView view = efficiencyView(*report, {});
  const auto expectNoGain = [](const ResultTable& table) {
    const auto advice = table.columnNamed("advice");
    int above = 0;
    for (std::size_t row = 0; row < table.rowCount(); ++row) {
      const Cell efficiency = table.at(row, *table.columnNamed("efficiency_pct"));
      const auto* const pct = std::get_if<double>(&efficiency);
      if (pct == nullptr) continue;
      const auto lost = std::get<std::int64_t>(table.at(row, *table.columnNamed("lost_us")));
      EXPECT_GE(lost, 0) << table.name() << ' ' << row;
      if (*pct <= 100) continue;
      ++above;
      EXPECT_EQ(lost, 0) << table.name() << ' ' << row;
      if (advice) {
        EXPECT_NE(exactText(table, row, *advice), "") << row;
      }
    }
    EXPECT_GT(above, 0) << table.name();
  };
  expectNoGain(pointsTable(view, PointGroups::Operators));
  expectNoGain(flopsTable(*report));
}

// What cannot be is a finding, with what may be wrong.
TEST(EfficiencyTables, figuresThatCannotBeAreFindings) {
  const auto titlesOf = [](const JobReport& report) {
    std::vector<std::string> titles;
    for (const Finding& finding : report.findings()) {
      if (!finding.title.starts_with("Impossible")) continue;
      EXPECT_EQ(findingRule(finding.kind), "R99");
      EXPECT_EQ(finding.severity, Severity::Info);
      EXPECT_FALSE(finding.evidence.empty());
      titles.push_back(finding.title);
      titles.push_back(finding.fix);
    }
    return titles;
  };
  const test::TemporaryFolder folder;
  const auto reportWith = [&](int rows, const EfficiencySettings& settings) {
    test::TraceText text;
    text.metadata("deviceProperties", R"([{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "numSms": 108}])");
    text.addStep(1, 0, 10'000);
    // 6.4 us at the peak with 1,000 rows.
    text.addCpuOp(1, 1'000, 5'000, "aten::mm",
                  std::string(R"("Input Dims": [[)").append(std::to_string(rows)) +
                      R"(, 1000], [1000, 1000]], "Input type": ["c10::Half", "c10::Half"])");
    text.addRuntime(1, 2'000, 1'000, "cudaLaunchKernel", 1);
    text.addKernel(0, 7, 3'000, 6'900, "ampere_fp16_s16816gemm_fp16_128x128_tn", 1);
    test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
    return reportOf(folder.path(), settings);
  };
  // 64 % of the nominal peak and 128 % of half of it; of the nominal one also where nobody said anything.
  EXPECT_TRUE(titlesOf(*reportWith(1'000, {})).empty());
  const auto nominal = titlesOf(*reportWith(2'000, {}));
  ASSERT_EQ(nominal.size(), 2U);
  EXPECT_EQ(nominal[0], "Impossible MFU: 128.2 % of 312 TFLOP/s (fp16, A100 40GB)");
  EfficiencySettings half;
  half.peaks.tflops = 156;
  const auto low = titlesOf(*reportWith(1'000, half));
  ASSERT_EQ(low.size(), 2U);
  EXPECT_EQ(low[0], "Impossible MFU: 128.2 % of 156 TFLOP/s (fp16, given)");
  EXPECT_EQ(low[1], "Check --peak-tflops: the dense rate of the number format, without sparsity.");
  EfficiencySettings large;
  large.model.parameters = 1e9;
  large.model.tokensPerStep = 1e6;
  const auto tooMuch = titlesOf(*reportWith(1'000, large));
  ASSERT_EQ(tooMuch.size(), 2U);
  EXPECT_TRUE(tooMuch[0].starts_with("Impossible MFU: ")) << tooMuch[0];
  EXPECT_NE(tooMuch[1].find("--tokens-per-step"), std::string::npos) << tooMuch[1];
  // Parts of a model that are more than all of it.
  EfficiencySettings mixed;
  mixed.model.parameters = 7e9;
  mixed.model.activeParameters = 8e9;
  mixed.model.vocabulary = 1e6;
  mixed.model.hidden = 1e5;
  const auto parts = titlesOf(*reportWith(1'000, mixed));
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0], "Impossible model: 8e+09 of 7e+09 parameters active");
  EXPECT_EQ(parts[2], "Impossible model: 1e+11 of 8e+09 parameters in the embedding");
}

// Why MFU is not the share of the part at the peak, each cause known: of the step's 100 us at 312 TFLOP/s,
// 1000³ is 6.41 us.
TEST(EfficiencyTables, causesOfTheDifferenceBetweenMfuAndTheAccountAreApart) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.metadata("deviceProperties", R"([{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "numSms": 108}])");
  text.addStep(1, 0, 100'000);
  int correlation = 0;
  const auto call = [&](std::int64_t op, std::int64_t kernel, std::int64_t duration, int stream,
                        const char* name) {
    ++correlation;
    text.addCpuOp(1, op, 2'000, "aten::mm",
                  R"("Input Dims": [[1000, 1000], [1000, 1000]], "Input type": ["c10::Half", "c10::Half"])");
    text.addRuntime(1, op + 100, 1'000, "cudaLaunchKernel", correlation);
    text.addKernel(0, stream, kernel, duration, name, correlation);
  };
  call(1'000, 10'000, 10'000, 7, "ampere_fp16_s16816gemm_fp16_128x128_tn");
  call(4'000, 30'000, 2'000, 7, "volta_fp16_scudnn_winograd_fp16_128x128");  // 4.41 us too fast
  call(7'000, 40'000, 3'000, 7, "ampere_fp16_s16816gemm_fp16_64x64_sparse"); // 3.41
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto report = reportOf(folder.path());
  ASSERT_NE(report, nullptr);
  const JobFlops::Rank& of = report->flops().of(RankIndex(0));
  const std::vector<StepEfficiency>& steps = report->efficiency().of(RankIndex(0));
  const auto differences = mfuDifferences(report->analysis(), RankIndex(0),
                                          report->account().of(RankIndex(0)), of.flops, of.peaks, steps);
  ASSERT_EQ(differences.size(), 1U);
  ASSERT_TRUE(differences[0]);
  EXPECT_NEAR(differences[0]->fastKernels, 2 * 6'410.26 - 5'000, 1);
  EXPECT_NEAR(differences[0]->fewerFlops, 6'410.26 - 2'000, 1);
  EXPECT_NEAR(differences[0]->overlapped, 0, 1e-6);
  EXPECT_NEAR(differences[0]->causal, 0, 1e-6);
  EXPECT_NEAR(differences[0]->anotherStep, 0, 2) << "rounding";
  const EfficiencyView view = efficiencyFigures(*report, {});
  EXPECT_EQ(mfuDifferenceText(view), "MFU is 7.8 points more: 4.4 from convolutions by Winograd or FFT, "
                                     "which compute less than counted; 3.4 "
                                     "from kernels faster than the peak");
  EXPECT_TRUE(isFastConvolution("miopenSp3AsmConv_v21_1_3_gfx9_fp32_f3x2_stride1"));
  EXPECT_TRUE(isFastConvolution("void fft2d_r2c_32x32<float, false, 0u, false>(float2*, float const*)"));
  EXPECT_FALSE(isFastConvolution("ampere_fp16_s16816gemm_fp16_128x128_tn"));
}

TEST(EfficiencyTables, causesOfTheDifferenceAddUpOnRealSteps) {
  for (const auto& [set, cause] :
       {std::pair("resnet50-v100-workers0", "Winograd"), std::pair("h100-qwen", "causal mask")}) {
    const std::filesystem::path folder = test::sharedFolder() / "traces" / set;
    RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    const auto report = reportOf(folder);
    ASSERT_NE(report, nullptr);
    const JobFlops::Rank& of = report->flops().of(RankIndex(0));
    const std::vector<StepEfficiency>& steps = report->efficiency().of(RankIndex(0));
    const auto differences = mfuDifferences(report->analysis(), RankIndex(0),
                                            report->account().of(RankIndex(0)), of.flops, of.peaks, steps);
    ASSERT_EQ(differences.size(), steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      ASSERT_TRUE(differences[i]);
      const auto time = static_cast<double>(steps[i].duration());
      const auto atPeak = static_cast<double>(*steps[i].part(EfficiencyPart::ModelFlops));
      EXPECT_NEAR(differences[i]->sum(), *steps[i].mfuPct() / 100 * time - atPeak, 1e-3);
      // All work of these steps is in them: what is left is rounding.
      EXPECT_LT(std::abs(differences[i]->anotherStep), 1e-4 * time) << set;
    }
    const std::string text = mfuDifferenceText(efficiencyFigures(*report, {}));
    EXPECT_NE(text.find(cause), std::string::npos) << text;
  }
}

// A product in 16 bits is no measure for one in 32: the share of the best never exceeds all.
TEST(EfficiencyTables, theBestOperatorIsOneOfEachNumberFormat) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.metadata("deviceProperties", R"([{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "numSms": 108}])");
  text.addStep(1, 0, 1'000'000);
  // 2 GFLOP each: in 16 bits 100 and 50 TFLOP/s, in 32 bits 10 and 5.
  const std::array<std::pair<const char*, std::int64_t>, 4> calls{
      {{"c10::Half", 20'000}, {"c10::Half", 40'000}, {"float", 200'000}, {"float", 400'000}}};
  std::int64_t at = 100'000;
  int correlation = 0;
  for (const auto& [type, duration] : calls) {
    ++correlation;
    // As many FLOPs in another shape.
    const std::string shape =
        correlation % 2 == 1 ? "[[1000, 1000], [1000, 1000]]" : "[[500, 1000], [1000, 2000]]";
    text.addCpuOp(1, std::int64_t{1'000} * correlation, 900, "aten::mm",
                  std::string(R"("Input Dims": )").append(shape) + R"(, "Input type": [")" + type +
                      R"(", ")" + type + R"("])");
    text.addRuntime(1, 1'000 * correlation + 100, 100, "cudaLaunchKernel", correlation);
    text.addKernel(0, 7, at, duration,
                   type == std::string("float") ? "ampere_sgemm_128x64_nn"
                                                : "ampere_fp16_s16816gemm_fp16_128x128_tn",
                   correlation);
    at += duration;
  }
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto report = reportOf(folder.path());
  ASSERT_NE(report, nullptr);
  const EfficiencyView view = efficiencyView(*report, {});
  // 8 GFLOP in 2 · 20 + 2 · 200 us.
  ASSERT_TRUE(view.bestMixTflops);
  EXPECT_NEAR(*view.bestMixTflops, 8e9 / 440e-6 / 1e12, 1e-6);
  EXPECT_NEAR(*view.mfuOfBestPct(), 100 * 440.0 / 1'000, 1e-6);
}

TEST(EfficiencyTables, theShareOfTheBestOfRealStepsIsNotAboveAll) {
  for (const char* set : {"h100-matmul", "h100-qwen", "mi300-sd35-inference"}) {
    const std::filesystem::path folder = test::sharedFolder() / "traces" / set;
    RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    const auto report = reportOf(folder);
    ASSERT_NE(report, nullptr);
    const std::optional<double> share = efficiencyView(*report, {}).mfuOfBestPct();
    ASSERT_TRUE(share) << set;
    EXPECT_GT(*share, 0) << set;
    EXPECT_LE(*share, 100.5) << set;
  }
}

TEST(EfficiencyTables, wavesAreThoseOfTheRecordedGrid) {
  const std::filesystem::path folder = test::sharedFolder() / "traces" / "mi300-sd35-inference";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
  const auto report = reportOf(folder);
  ASSERT_NE(report, nullptr);
  const auto check = [](const ResultTable& table, std::size_t row) {
    EXPECT_EQ(exactText(table, row, *table.columnNamed("waves")), "1");
    EXPECT_EQ(exactText(table, row, *table.columnNamed("advice")), "");
  };
  bool found = false;
  const ResultTable table = gemmsTable(*report);
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    if (exactText(table, row, *table.columnNamed("m")) != "666" ||
        exactText(table, row, *table.columnNamed("n")) != "9728")
      continue;
    found = true;
    check(table, row); // 304 blocks of 304 multiprocessors
  }
  EXPECT_TRUE(found);
  const ResultTable points = pointsTable(efficiencyView(*report, {}), PointGroups::Shapes);
  for (std::size_t row = 0; row < points.rowCount(); ++row)
    if (exactText(points, row, *points.columnNamed("shapes")) == "666 × 9 728 × 2 432") check(points, row);
}

TEST(EfficiencyTables, aModelThatOnlyInfersHasAThirdOfTheFlops) {
  const std::filesystem::path folder = test::sharedFolder() / "traces" / "h100-qwen";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
  EfficiencySettings settings;
  settings.model.parameters = 4.6e8;
  settings.model.tokensPerStep = 8944;
  const auto report = reportOf(folder, settings);
  ASSERT_NE(report, nullptr);
  const ResultTable table = mfuTable(*report);
  EXPECT_NEAR(std::stod(exactText(table, 0, *table.columnNamed("mfu_pct"))), 70.943 / 3, 1e-3);
  EXPECT_NE(
      mfuText(efficiencyFigures(*report, settings)).note.find("inference: 2 FLOPs a parameter and token"),
      std::string::npos);
}

TEST(EfficiencyTables, twoCapturesOfARankAreOneRank) {
  HandMadeJob job;
  for (const int capture : {1, 2}) {
    HandMadeRank rank;
    rank.annotation(0, 100 * kUs, "ProfilerStep#7").kernel(7, 10 * kUs, 20 * kUs, "k");
    job.add(3, std::move(rank), capture);
  }
  const EfficiencyView view = efficiencyFigures(JobReport(std::make_shared<const Analysis>(job.build())), {});
  EXPECT_EQ(view.ranks, 1U);
}

// Operators launch ahead of the device: FLOPs of a range inside a step are what ran in it, so that they agree
// with its kernels, and those of adjacent ranges add up.
TEST(EfficiencyTables, aRangeInsideAStepHasTheFlopsOfItsKernels) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.metadata("deviceProperties", R"([{"id": 0, "name": "NVIDIA A100-SXM4-40GB"}])");
  text.addStep(1, 0, 10'000'000);
  text.addCpuOp(1, 1'000, 50'000, "aten::mm",
                R"("Input Dims": [[1000, 1000], [1000, 1000]], "Input type": ["c10::Half", "c10::Half"])");
  text.addRuntime(1, 2'000, 1'000, "cudaLaunchKernel", 1);
  text.addKernel(0, 7, 100'000, 10'000, "ampere_fp16_s16816gemm_fp16_128x128_tn", 1);
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto whole = reportOf(folder.path());
  ASSERT_NE(whole, nullptr);
  const RankTrace& trace = *whole->analysis().trace().rank(RankIndex(0)).trace;
  const TimeNs kernel = trace.events.begin[trace.deviceBegin];
  const auto flopsWithin = [&](TimeNs begin, TimeNs end) {
    const AnalysisScope scope{{RankIndex(0)}, {RankRange::of({kernel + begin, kernel + end})}};
    const JobReport part(std::make_shared<const Analysis>(whole->analysis(), scope));
    EXPECT_EQ(reportedPart(part), "range");
    const EfficiencyView view = efficiencyView(part, {});
    EXPECT_EQ(view.coveragePct, view.flopsPerStep ? std::optional(100.0) : std::nullopt);
    for (const EfficiencyCheck& check : efficiencyChecklist(part, view))
      EXPECT_EQ(check.measured.find("step"), std::string::npos) << check.measured;
    return view.flopsPerStep.value_or(0);
  };
  EXPECT_EQ(flopsWithin(-90'000, 0), 0); // its operator is there
  EXPECT_EQ(flopsWithin(-90'000, 2'500), 0.5e9);
  EXPECT_EQ(flopsWithin(2'500, 50'000), 1.5e9);
  EXPECT_EQ(reportedPart(*whole), "step");
}

} // namespace rankscope
