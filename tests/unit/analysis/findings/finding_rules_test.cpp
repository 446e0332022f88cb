// SPDX-License-Identifier: GPL-3.0-or-later
// The rules behind findings, one hand-made job each, with the gain that follows from it. Together with
// findings_test, which injects faults into whole jobs, and the golden tables they cover
// core/analysis/findings/finding_communication, core/analysis/findings/finding_exposed,
// core/analysis/findings/finding_compute, core/analysis/findings/finding_copies,
// core/analysis/findings/finding_dispatch, core/analysis/findings/finding_host,
// core/analysis/findings/finding_memory, core/analysis/findings/finding_quality,
// core/analysis/findings/finding_recording and core/analysis/findings/finding_stragglers.
#include "core/analysis/findings/finding_rules.h"

#include "core/analysis/findings/findings.h"
#include "core/analysis/job/scope.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/io/opened_trace.h"
#include "tests/unit/times.h"

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr TimeNs kStep = 1000 * kUs;
constexpr int kSteps = 4;
constexpr std::int64_t kGiB = std::int64_t{1} << 30;

std::vector<Finding> findingsIn(std::shared_ptr<const TraceSet> traces) {
  const Analysis analysis(std::move(traces));
  return findingsOf(analysis, jobAccount(analysis, 1));
}

std::vector<Finding> findingsOfKind(FindingKind kind, std::shared_ptr<const TraceSet> traces) {
  std::vector<Finding> found;
  for (Finding& finding : findingsIn(std::move(traces)))
    if (finding.kind == kind) found.push_back(std::move(finding));
  return found;
}

std::shared_ptr<const TraceSet> jobOf(HandMadeRank rank) {
  HandMadeJob job;
  job.add(0, std::move(rank));
  return job.build();
}

// Steps of a training, that fill(rank, begin) gives their work.
template <class Fill> HandMadeRank training(Fill&& fill, int steps = kSteps) {
  HandMadeRank rank;
  for (int step = 0; step < steps; ++step) {
    const TimeNs begin = step * kStep;
    rank.annotation(begin, kStep, "ProfilerStep#" + std::to_string(step));
    rank.annotation(begin + 900 * kUs, 90 * kUs, "Optimizer.step#SGD.step");
    fill(rank, begin);
  }
  return rank;
}

// The same in a file, with a device of some memory and compute capability.
template <class Fill> test::TraceText trainingText(const std::string& device, Fill&& fill) {
  test::TraceText text;
  text.metadata("deviceProperties", "[{" + device + "}]");
  for (int step = 0; step < kSteps; ++step) {
    text.addStep(step, step * kStep, kStep);
    text.addAnnotation(1, step * kStep + 900 * kUs, 90 * kUs, "Optimizer.step#SGD.step");
    fill(text, step);
  }
  return text;
}

} // namespace

TEST(FindingRules, communicationWithoutComputationBesideItIsNotOverlapped) {
  const auto job = [](TimeNs communicationBegin) {
    return jobOf(training([&](HandMadeRank& rank, TimeNs begin) {
      rank.launched(begin, 7, begin + 20 * kUs, 480 * kUs, "gemm");
      rank.launched(begin + 5 * kUs, 20, begin + communicationBegin, 300 * kUs, "gemm2");
      rank.collective(20, begin + communicationBegin, 300 * kUs, "ncclDevKernel_AllReduce_Sum_f32");
      rank.launched(begin + 10 * kUs, 7, begin + 800 * kUs, 200 * kUs, "gemm");
    }));
  };
  EXPECT_TRUE(findingsOfKind(FindingKind::NoOverlap, job(100 * kUs)).empty()) << "hidden";
  const auto ofRanks = [](int ranks) {
    HandMadeJob all;
    for (int rank = 0; rank < ranks; ++rank)
      all.add(rank, training([](HandMadeRank& of, TimeNs begin) {
                of.launched(begin, 7, begin + 20 * kUs, 480 * kUs, "gemm");
                of.collective(20, begin + 500 * kUs, 300 * kUs, "ncclDevKernel_AllReduce_Sum_f32");
                of.launched(begin + 10 * kUs, 7, begin + 800 * kUs, 200 * kUs, "gemm");
              }));
    return all.build();
  };
  const auto alone = findingsOfKind(FindingKind::NoOverlap, ofRanks(1));
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].gain, (Gain{0, 300 * kUs})) << "all of it may be waiting";
  EXPECT_EQ(alone[0].severity, Severity::Info);
  const auto found = findingsOfKind(FindingKind::NoOverlap, ofRanks(2));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].time, 300 * kUs);
  EXPECT_EQ(found[0].gain, (Gain{270 * kUs, 300 * kUs})) << "computation slows down by a tenth beside it";
  EXPECT_EQ(found[0].leaf, "comm.transfer");
  EXPECT_EQ(found[0].severity, Severity::Critical);
  EXPECT_EQ(found[0].cost, kSteps * 270 * kUs);
}

TEST(FindingRules, communicationThatTheHostWasLateAfterGainsNothing) {
  HandMadeJob job;
  for (int rank = 0; rank < 2; ++rank)
    job.add(rank, training([](HandMadeRank& of, TimeNs begin) {
              of.launched(begin, 7, begin + 20 * kUs, 280 * kUs, "gemm");
              of.collective(20, begin + 300 * kUs, 300 * kUs, "ncclDevKernel_AllReduce_Sum_f32");
              // Operators until the next launch: the host dispatches.
              of.op(begin + 300 * kUs, 500 * kUs, "aten::add");
              of.launched(begin + 800 * kUs, 7, begin + 810 * kUs, 190 * kUs, "gemm");
            }));
  const auto found = findingsOfKind(FindingKind::NoOverlap, job.build());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].gain, (Gain{0, 300 * kUs}));
}

// What begins while a collective still runs was launched late and did not wait for it.
TEST(FindingRules, communicationThatComputationBeginsBesideGainsNothing) {
  const auto gainOf = [](TimeNs nextKernel) {
    HandMadeJob job;
    for (int rank = 0; rank < 2; ++rank)
      job.add(rank, training([&](HandMadeRank& of, TimeNs begin) {
                of.launched(begin, 7, begin + 20 * kUs, 280 * kUs, "gemm");
                of.collective(20, begin + 300 * kUs, 300 * kUs, "ncclDevKernel_AllReduce_Sum_f32");
                of.launched(begin + nextKernel - 10 * kUs, 7, begin + nextKernel, 300 * kUs, "gemm");
                of.launched(begin + nextKernel, 7, begin + nextKernel + 300 * kUs, 50 * kUs, "gemm");
              }));
    for (const Finding& finding : findingsIn(job.build()))
      if (finding.leaf == "comm.transfer" && finding.gain) return *finding.gain;
    return Gain{};
  };
  EXPECT_EQ(gainOf(500 * kUs), (Gain{0, 200 * kUs}));
  EXPECT_EQ(gainOf(600 * kUs), (Gain{270 * kUs, 300 * kUs}));
}

TEST(FindingRules, convolutionWithoutTensorCoresIsAdvisedByDevice) {
  const auto job = [](const char* kernel, int major) {
    const test::TraceText text =
        trainingText(R"("id": 0, "name": "GPU", "computeMajor": )" + std::to_string(major),
                     [&](test::TraceText& of, int step) {
                       const TimeNs begin = step * kStep;
                       for (int i = 0; i < 4; ++i) {
                         const std::int64_t id = 10 * step + i + 1;
                         of.addCpuOp(1, begin + i * 20 * kUs, 15 * kUs, "aten::mm");
                         of.addRuntime(1, begin + (i * 20 + 2) * kUs, 5 * kUs, "cudaLaunchKernel", id);
                         of.addKernel(0, 7, begin + (100 + i * 200) * kUs, 200 * kUs, kernel, id);
                       }
                     });
    const test::Opened file(text.text());
    return findingsOfKind(FindingKind::NoTensorCores, file.set);
  };
  const auto volta = job("volta_sgemm_128x64_nn", 7);
  ASSERT_EQ(volta.size(), 1U);
  EXPECT_NE(volta[0].fix.find("torch.float16"), std::string::npos) << volta[0].fix;
  EXPECT_EQ(volta[0].fix.find("float32_matmul_precision"), std::string::npos) << "has no TF32";
  EXPECT_EQ(volta[0].subject, "volta_sgemm_128x64_nn");
  EXPECT_EQ(volta[0].leaf, "compute.simt");
  EXPECT_LE(volta[0].gain->high, *volta[0].time);
  const auto ampere = job("ampere_sgemm_128x64_nn", 8);
  ASSERT_EQ(ampere.size(), 1U);
  EXPECT_NE(ampere[0].fix.find("float32_matmul_precision"), std::string::npos) << ampere[0].fix;
  EXPECT_TRUE(job("sm80_xmma_gemm_bf16bf16_tensor16x8x16", 8).empty()) << "uses them";
  EXPECT_TRUE(job("maxwell_sgemm_128x64_nn", 6).empty()) << "has none";
}

// Kernels of a few microseconds that the host launches one by one.
std::shared_ptr<const TraceSet> dispatchingJob(const char* phase, const char* moreName) {
  return jobOf(training([&](HandMadeRank& rank, TimeNs begin) {
    rank.annotation(begin, 880 * kUs, phase);
    rank.op(begin, 880 * kUs, moreName);
    for (int i = 0; i < 22; ++i) {
      const TimeNs call = begin + i * 40 * kUs;
      rank.op(call, 38 * kUs, "aten::add");
      rank.launched(call + 30 * kUs, 7, call + 34 * kUs, 4 * kUs, "elementwise");
    }
  }));
}

TEST(FindingRules, eagerDispatchNamesItsPhaseAndWhatIsInUse) {
  const auto found = findingsOfKind(FindingKind::LaunchBound, dispatchingJob("forward", "model"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].leaf, "host.dispatch.forward");
  EXPECT_NEAR(static_cast<double>(found[0].gain->low), static_cast<double>(found[0].gain->high) / 2, 1.0)
      << "a host twice as fast, at least";
  EXPECT_EQ(found[0].severity, Severity::Critical);
  EXPECT_EQ(found[0].fix.find("Compiled regions"), std::string::npos);
  const auto compiled =
      findingsOfKind(FindingKind::LaunchBound, dispatchingJob("forward", "Torch-Compiled Region: 0/0"));
  ASSERT_EQ(compiled.size(), 1U);
  EXPECT_NE(compiled[0].fix.find("Compiled regions"), std::string::npos) << compiled[0].fix;
}

TEST(FindingRules, anOptimizerWithAKernelForEachParameterIsUnfused) {
  const auto job = [](const char* op) {
    return jobOf(training([&](HandMadeRank& rank, TimeNs begin) {
      rank.annotation(begin, 890 * kUs, "Optimizer.step#Adam.step");
      for (int i = 0; i < 220; ++i) {
        const TimeNs call = begin + i * 4 * kUs;
        rank.op(call, 3'900, op);
        rank.launched(call + 1 * kUs, 7, call + 2 * kUs, 1 * kUs, "elementwise");
      }
    }));
  };
  const auto found = findingsOfKind(FindingKind::UnfusedOptimizer, job("aten::add_"));
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found[0].evidence.find("220 launches"), std::string::npos) << found[0].evidence;
  for (const Finding& finding : findingsOfKind(FindingKind::UnfusedOptimizer, job("aten::_foreach_add_")))
    EXPECT_EQ(finding.leaf, "compute.optimizer") << "launches in groups are no fault";
}

TEST(FindingRules, fragmentationIsAWarningOnANearlyFullDeviceOnly) {
  const auto job = [](std::int64_t deviceGiB, std::int64_t reserved) {
    const test::TraceText text =
        trainingText(R"("id": 0, "name": "GPU", "totalGlobalMem": )" + std::to_string(deviceGiB * kGiB),
                     [&](test::TraceText& of, int step) {
                       of.addKernel(0, 7, step * kStep, kStep, "gemm");
                       if (step == 0) of.addMemory(1, 10 * kUs, kGiB, kGiB, reserved);
                       if (step == 0) of.addMemory(1, 20 * kUs, -kGiB / 2, kGiB / 2, 2 * reserved);
                     });
    const test::Opened file(text.text());
    return findingsOfKind(FindingKind::Fragmentation, file.set);
  };
  const auto full = job(3, 2 * kGiB);
  ASSERT_EQ(full.size(), 1U);
  EXPECT_EQ(full[0].costBytes, kGiB) << "later, when less is allocated, it does not matter";
  EXPECT_EQ(full[0].severity, Severity::Warning);
  EXPECT_FALSE(full[0].gain);
  const auto empty = job(80, 2 * kGiB);
  ASSERT_EQ(empty.size(), 1U);
  EXPECT_EQ(empty[0].severity, Severity::Info);
  EXPECT_TRUE(job(80, kGiB + kGiB / 8).empty());
}

TEST(FindingRules, memoryNearItsLimitIsInformationWhereAServerReservesIt) {
  constexpr const char* kDevice = R"("id": 0, "name": "GPU", "totalGlobalMem": 107374182400)"; // 100 GiB
  const auto found = [](const test::TraceText& text) {
    const test::Opened file(text.text());
    return findingsOfKind(FindingKind::NearLimit, file.set);
  };
  const auto training = [&](std::int64_t reserved) {
    return found(trainingText(kDevice, [&](test::TraceText& of, int step) {
      of.addKernel(0, 7, step * kStep, kStep, "gemm");
      if (step == 0) of.addMemory(1, 10 * kUs, kGiB, kGiB, reserved);
    }));
  };
  EXPECT_TRUE(training(90 * kGiB).empty());
  ASSERT_EQ(training(94 * kGiB).size(), 1U);
  EXPECT_EQ(training(94 * kGiB)[0].severity, Severity::Warning);
  EXPECT_EQ(training(94 * kGiB)[0].costBytes, 94 * kGiB);
  ASSERT_EQ(training(96 * kGiB).size(), 1U);
  EXPECT_EQ(training(96 * kGiB)[0].severity, Severity::Critical);
  const auto withoutSteps = [&](const char* kernel) {
    test::TraceText text;
    text.metadata("deviceProperties", "[{" + std::string(kDevice) + "}]");
    text.addKernel(0, 7, 0, kStep, kernel).addMemory(1, 10 * kUs, kGiB, kGiB, 96 * kGiB);
    return found(text);
  };
  ASSERT_EQ(withoutSteps("gemm").size(), 1U);
  EXPECT_EQ(withoutSteps("gemm")[0].severity, Severity::Critical) << "nothing tells that this is a server";
  const auto served = withoutSteps("void vllm::paged_attention_v2_kernel<float>()");
  ASSERT_EQ(served.size(), 1U);
  EXPECT_EQ(served[0].severity, Severity::Info);
  EXPECT_NE(served[0].evidence.find("on purpose"), std::string::npos) << served[0].evidence;
}

TEST(FindingRules, fragmentationIsNotJudgedOnAPartOfTheRecording) {
  const test::TraceText text = trainingText(R"("id": 0, "name": "GPU", "totalGlobalMem": 3221225472)",
                                            [](test::TraceText& of, int step) {
                                              of.addKernel(0, 7, step * kStep, kStep, "gemm");
                                              if (step == 0)
                                                of.addMemory(1, 10 * kUs, 2 * kGiB, 2 * kGiB, 2 * kGiB);
                                              if (step == 2)
                                                of.addMemory(1, 2 * kStep + 600 * kUs, -kGiB, kGiB, 2 * kGiB);
                                            });
  const test::Opened file(text.text());
  const Analysis whole(file.set);
  const JobTime begin = whole.extent().begin;
  const Analysis part(whole, scopeOfRange(whole, JobRange{begin + 2 * kStep, begin + 3 * kStep}));
  for (const Analysis* analysis : {&whole, &part}) {
    for (const Finding& finding : findingsOf(*analysis, jobAccount(*analysis, 1)))
      EXPECT_NE(finding.kind, FindingKind::Fragmentation) << finding.title;
  }
}

TEST(FindingRules, memoryGrowthIsCriticalWhereTheDeviceIsSoonFull) {
  const auto job = [](std::int64_t deviceGiB) {
    const test::TraceText text =
        trainingText(R"("id": 0, "name": "GPU", "totalGlobalMem": )" + std::to_string(deviceGiB * kGiB),
                     [&](test::TraceText& of, int step) {
                       of.addKernel(0, 7, step * kStep, kStep, "gemm");
                       const std::int64_t total = (step + 1) * (std::int64_t{4} << 20);
                       of.addMemory(1, step * kStep + 10 * kUs, std::int64_t{4} << 20, total, total);
                     });
    const test::Opened file(text.text());
    return findingsOfKind(FindingKind::MemoryGrowth, file.set);
  };
  ASSERT_EQ(job(4).size(), 1U);
  EXPECT_EQ(job(4)[0].severity, Severity::Critical) << "about 1000 steps";
  EXPECT_NE(job(4)[0].evidence.find("full in about"), std::string::npos) << job(4)[0].evidence;
  EXPECT_EQ(job(80)[0].severity, Severity::Warning) << "about 20,000 steps";
}

TEST(FindingRules, aKernelBeforeItsLaunchMeansThatClocksDisagree) {
  const auto job = [](TimeNs early) {
    return jobOf(training([&](HandMadeRank& rank, TimeNs begin) {
      rank.launched(begin + 200 * kUs, 7, begin + 200 * kUs - early, 300 * kUs, "gemm");
    }));
  };
  const auto found = findingsOfKind(FindingKind::ClockDisagreement, job(50 * kUs));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rank, RankIndex(0));
  EXPECT_TRUE(found[0].event.valid());
  EXPECT_FALSE(found[0].gain) << "no time that a step would be shorter by";
  EXPECT_TRUE(findingsOfKind(FindingKind::ClockDisagreement, job(3 * kUs)).empty()) << "within tolerance";
}

TEST(FindingRules, aRecordingOfSingleOperationsHasNoCosts) {
  HandMadeRank rank;
  rank.annotation(0, kStep, "ProfilerStep#0");
  for (int i = 0; i < 10; ++i) {
    rank.op(i * 100 * kUs, 90 * kUs, "aten::mm");
    rank.launched(i * 100 * kUs + 80 * kUs, 7, i * 100 * kUs + 85 * kUs, 5 * kUs, "gemm");
  }
  const auto found = findingsIn(jobOf(std::move(rank)));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::Benchmark);
  EXPECT_EQ(found[0].severity, Severity::Info);
  // Steps are marked already.
  EXPECT_TRUE(
      found[0].evidence.starts_with("Only one step per recording, with fewer than 50 compute kernels"))
      << found[0].evidence;
  EXPECT_EQ(found[0].fix.find("profiler.step()"), std::string::npos) << found[0].fix;
}

// A range of a few kernels, or of one step, is a part of a job whatever little it has.
TEST(FindingRules, aPartOfATrainingIsNoBenchmark) {
  const auto traces = jobOf(training([](HandMadeRank& of, TimeNs begin) {
    for (int i = 0; i < 40; ++i)
      of.launched(begin + i * 20 * kUs, 7, begin + i * 20 * kUs + 5 * kUs, 10 * kUs, "gemm");
  }));
  const Analysis whole(traces);
  const JobTime begin = whole.extent().begin;
  for (const JobRange range :
       {JobRange{begin + 100 * kUs, begin + 300 * kUs}, JobRange{begin, begin + kStep}}) {
    const Analysis part(whole, scopeOfRange(whole, range));
    for (const Finding& finding : findingsOf(part, jobAccount(part, 1)))
      EXPECT_NE(finding.kind, FindingKind::Benchmark) << finding.evidence;
  }
  EXPECT_TRUE(findingsOfKind(FindingKind::Benchmark, traces).empty());
}

TEST(FindingRules, startUpTakesThePlaceOfFindingsAboutTheHost) {
  HandMadeRank rank = training(
      [](HandMadeRank& of, TimeNs begin) {
        if (begin == 0) of.runtime(10 * kUs, 3900 * kUs, "cudaMalloc");
        of.launched(begin + 950 * kUs, 7, begin + 960 * kUs, 30 * kUs, "gemm");
      },
      1);
  rank.annotation(0, 4 * kStep, "train");
  for (int i = 0; i < 60; ++i)
    rank.launched(4100 * kUs + i * 10 * kUs, 7, 4105 * kUs + i * 10 * kUs, 5 * kUs, "gemm");
  const auto traces = jobOf(std::move(rank));
  EXPECT_TRUE(findingsOfKind(FindingKind::Python, traces).empty());
}

TEST(FindingRules, fewStepsAreSaidBesideTheirGains) {
  const auto job = [](int steps) {
    HandMadeRank rank = training(
        [](HandMadeRank& of, TimeNs begin) {
          of.launched(begin, 7, begin + 20 * kUs, 480 * kUs, "gemm");
          of.collective(20, begin + 500 * kUs, 300 * kUs, "ncclDevKernel_AllReduce_Sum_f32");
          of.launched(begin + 10 * kUs, 7, begin + 800 * kUs, 200 * kUs, "gemm");
        },
        steps);
    return jobOf(std::move(rank));
  };
  EXPECT_EQ(findingsOfKind(FindingKind::OneStep, job(2)).size(), 1U);
  EXPECT_TRUE(findingsOfKind(FindingKind::OneStep, job(4)).empty());
  EXPECT_NE(findingsOfKind(FindingKind::NoOverlap, job(2))[0].evidence.find("Based on two steps only"),
            std::string::npos);
}

TEST(FindingKinds, haveAWordATitleAndARuleEach) {
  std::set<std::string_view> words;
  std::set<std::string_view> titles;
  for (int kind = 0; kind < kFindingKindCount; ++kind) {
    words.insert(findingKindText(static_cast<FindingKind>(kind)));
    titles.insert(findingKindTitle(static_cast<FindingKind>(kind)));
    EXPECT_TRUE(findingRule(static_cast<FindingKind>(kind)).starts_with("R"));
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(kFindingKindCount));
  EXPECT_EQ(titles.size(), static_cast<std::size_t>(kFindingKindCount));
}

} // namespace rankscope
