// SPDX-License-Identifier: GPL-3.0-or-later
// Findings whose cause is a call, an operator or a set of ranks, one hand-made job each. Covers
// core/analysis/findings/exposed_parts, core/analysis/findings/finding_allocation,
// core/analysis/findings/finding_host_work, core/analysis/findings/finding_kernels,
// core/analysis/findings/finding_names, core/analysis/findings/finding_profiler,
// core/analysis/findings/finding_ranks, core/analysis/findings/leaf_parts, core/analysis/findings/named_spans
#include "core/analysis/findings/finding_names.h"
#include "core/analysis/findings/findings.h"
#include "core/analysis/findings/named_spans.h"
#include "tests/support/job_generator.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/io/opened_trace.h"
#include "tests/unit/times.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr TimeNs kStep = 1000 * kUs;
constexpr int kSteps = 4;

std::vector<Finding> findingsIn(std::shared_ptr<const TraceSet> traces) {
  const Analysis analysis(std::move(traces));
  return findingsOf(analysis, jobAccount(analysis, 1));
}

const Finding* ofKind(const std::vector<Finding>& findings, FindingKind kind) {
  const auto found = std::ranges::find(findings, kind, &Finding::kind);
  return found != findings.end() ? &*found : nullptr;
}

std::string titles(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += finding.title;
    text += '\n';
  }
  return text;
}

std::shared_ptr<const TraceSet> jobOf(HandMadeRank rank) {
  HandMadeJob job;
  job.add(0, std::move(rank));
  return job.build();
}

template <class Fill> HandMadeRank training(Fill&& fill, int steps = kSteps) {
  HandMadeRank rank;
  for (int step = 0; step < steps; ++step) {
    const TimeNs begin = step * kStep;
    rank.annotation(begin, kStep, "ProfilerStep#" + std::to_string(step));
    rank.annotation(begin + 990 * kUs, 9 * kUs, "Optimizer.step#SGD.step");
    fill(rank, begin);
  }
  return rank;
}

// A device that is idle from 300 to 710 us of each step, while the host does what fill says.
template <class Fill> std::vector<Finding> idleWhile(Fill&& fill, int steps = kSteps) {
  return findingsIn(jobOf(training(
      [&](HandMadeRank& rank, TimeNs begin) {
        rank.launched(begin, 7, begin + 20 * kUs, 280 * kUs, "gemm");
        fill(rank, begin);
        rank.launched(begin + 700 * kUs, 7, begin + 710 * kUs, 280 * kUs, "gemm");
      },
      steps)));
}

RawDevice launchedBy(std::uint64_t correlation, float blocks = -1) {
  RawDevice detail;
  detail.correlation = correlation;
  detail.blocksPerSm = blocks;
  return detail;
}

} // namespace

TEST(FindingCauses, aBarrierIsToldApartFromOtherWaitsForHosts) {
  const auto findings = idleWhile(
      [](HandMadeRank& rank, TimeNs begin) { rank.op(begin + 300 * kUs, 395 * kUs, "c10d::barrier"); });
  const Finding* const barrier = ofKind(findings, FindingKind::BarrierInStep);
  ASSERT_NE(barrier, nullptr) << titles(findings);
  EXPECT_EQ(barrier->leaf, "host.comm");
  EXPECT_EQ(barrier->time, 410 * kUs);
  EXPECT_EQ(barrier->gain->high, 410 * kUs);
  EXPECT_EQ(ofKind(findings, FindingKind::ObjectCollectives), nullptr) << "counted once";
}

TEST(FindingCauses, aWaitForTheDeviceBelongsToWhatAskedForIt) {
  const auto waiting = [](const char* before, const char* within) {
    return idleWhile([=](HandMadeRank& rank, TimeNs begin) {
      rank.op(begin + 280 * kUs, 10 * kUs, before);
      rank.annotation(begin + 281 * kUs, 100 * kUs, within);
      rank.op(begin + 292 * kUs, 18 * kUs, "aten::item");
      rank.runtime(begin + 293 * kUs, 16 * kUs, "cudaStreamSynchronize");
    });
  };
  const std::pair<std::vector<Finding>, FindingKind> cases[] = {
      {waiting("aten::add", "x"), FindingKind::Synchronization},
      {waiting("aten::_foreach_norm", "x"), FindingKind::GradClipSync},
      {waiting("aten::add", "FullyShardedDataParallel._pre_forward"), FindingKind::FsdpRateLimited}};
  for (const auto& [findings, kind] : cases) {
    for (const FindingKind other :
         {FindingKind::Synchronization, FindingKind::GradClipSync, FindingKind::FsdpRateLimited}) {
      const Finding* const found = ofKind(findings, other);
      EXPECT_EQ(found != nullptr, other == kind) << titles(findings);
      if (found != nullptr) {
        EXPECT_EQ(found->leaf, "host.sync");
      }
    }
  }
}

TEST(FindingCauses, allocationNamesWhyTheDriverIsAsked) {
  const auto allocating = [](int burstSteps) {
    return idleWhile([=](HandMadeRank& rank, TimeNs begin) {
      TimeNs at = begin + 305 * kUs;
      for (int i = 0; i < 12; ++i, at += 20 * kUs)
        rank.runtime(at, 19 * kUs, begin < burstSteps * kStep ? "cudaFree" : "cudaMalloc");
      rank.runtime(at, 150 * kUs, "cudaMalloc");
    });
  };
  const auto each = allocating(kSteps);
  ASSERT_NE(ofKind(each, FindingKind::EmptyCache), nullptr) << titles(each);
  EXPECT_NE(ofKind(each, FindingKind::EmptyCache)->fix.find("empty_cache"), std::string::npos);
  EXPECT_NE(ofKind(allocating(1), FindingKind::OomRetry), nullptr);
  EXPECT_NE(ofKind(allocating(0), FindingKind::DeviceAllocation), nullptr);
  EXPECT_EQ(ofKind(each, FindingKind::DeviceAllocation), nullptr) << "counted once";
  const auto uncached = idleWhile([](HandMadeRank& rank, TimeNs begin) {
    for (TimeNs i = 0; i < 120; ++i) {
      const TimeNs at = begin + 302 * kUs + i * 3 * kUs;
      rank.runtime(at, 1500, "cudaMalloc");
      rank.runtime(at + 1500, 1400, "cudaFree");
      RawMemory memory;
      memory.bytes = 512;
      memory.deviceType = 1;
      memory.device = 0;
      rank.memory(at, memory);
    }
  });
  EXPECT_NE(ofKind(uncached, FindingKind::CachingOff), nullptr) << titles(uncached);
  EXPECT_EQ(ofKind(uncached, FindingKind::CachingOff)->evidence.find("aten::empty"), std::string::npos)
      << "memory was recorded";
  const auto pinning = idleWhile(
      [](HandMadeRank& rank, TimeNs begin) { rank.runtime(begin + 302 * kUs, 390 * kUs, "cudaHostAlloc"); });
  EXPECT_NE(ofKind(pinning, FindingKind::PinningInLoop), nullptr) << titles(pinning);
  EXPECT_EQ(ofKind(pinning, FindingKind::DeviceAllocation), nullptr);
}

// An allocator without cache reports nothing to the profiler, and frees gradients in a row.
TEST(FindingCauses, aCacheThatIsOffIsToldByOperatorsThatAllAskTheDriver) {
  const auto allocating = [](int asking) {
    return idleWhile([=](HandMadeRank& rank, TimeNs begin) {
      for (TimeNs i = 0; i < 75; ++i) rank.runtime(begin + 302 * kUs + i * 1600, 1500, "cudaFree");
      for (TimeNs i = 0; i < 150; ++i) {
        const TimeNs at = begin + 425 * kUs + i * 1700;
        rank.op(at, 1600, i % 2 == 0 ? "aten::empty" : "aten::empty_strided");
        if (i < asking) rank.runtime(at + 100, 1400, "cudaMalloc");
      }
    });
  };
  const auto off = allocating(130);
  const Finding* const found = ofKind(off, FindingKind::CachingOff);
  ASSERT_NE(found, nullptr) << titles(off);
  EXPECT_TRUE(found->evidence.starts_with(
      "Of 600 operators that allocate in the kept steps (aten::empty, aten::empty_strided), "
      "520 asked the driver for memory."))
      << found->evidence;
  EXPECT_NE(found->fix.find("PYTORCH_NO_CUDA_MEMORY_CACHING"), std::string::npos);
  EXPECT_EQ(ofKind(off, FindingKind::EmptyCache), nullptr) << titles(off);
  const auto emptied = allocating(110);
  EXPECT_EQ(ofKind(emptied, FindingKind::CachingOff), nullptr) << "a quarter was in the cache";
  EXPECT_NE(ofKind(emptied, FindingKind::EmptyCache), nullptr) << titles(emptied);
}

TEST(FindingCauses, noCallIsRemovedThatPythonStacksDoNotHave) {
  const auto emptying = [](const char* frame) {
    return idleWhile([=](HandMadeRank& rank, TimeNs begin) {
      if (frame != nullptr) rank.python(begin + 301 * kUs, 395 * kUs, frame);
      for (TimeNs i = 0; i < 12; ++i) rank.runtime(begin + 305 * kUs + i * 20 * kUs, 19 * kUs, "cudaFree");
      rank.runtime(begin + 545 * kUs, 150 * kUs, "cudaMalloc");
    });
  };
  const auto retried = emptying("train.py(7): step");
  ASSERT_NE(ofKind(retried, FindingKind::OomRetry), nullptr) << titles(retried);
  EXPECT_EQ(ofKind(retried, FindingKind::OomRetry)->fix.find("empty_cache"), std::string::npos);
  // Without stacks, and with those of modules alone, it is not known who asked.
  for (const char* const frame :
       {static_cast<const char*>(nullptr), "torch/cuda/memory.py(162): empty_cache", "nn.Module: Linear_0"})
    EXPECT_NE(ofKind(emptying(frame), FindingKind::EmptyCache), nullptr) << (frame ? frame : "no stacks");
}

TEST(FindingCauses, zerosOfGradientsAreCountedOnlyInZeroGrad) {
  const auto job = [](const char* within) {
    return findingsIn(jobOf(training([&](HandMadeRank& rank, TimeNs begin) {
      rank.annotation(begin, 890 * kUs, within);
      for (TimeNs i = 0; i < 60; ++i) {
        const TimeNs call = begin + i * 14 * kUs;
        rank.op(call, 13 * kUs, "aten::zero_");
        rank.launched(call + 9 * kUs, 7, call + 12 * kUs, 1 * kUs, "fill");
      }
    })));
  };
  const auto findings = job("Optimizer.zero_grad#SGD.zero_grad");
  const Finding* const found = ofKind(findings, FindingKind::ZeroGrad);
  ASSERT_NE(found, nullptr) << titles(findings);
  EXPECT_NE(found->evidence.find("60 launches"), std::string::npos) << found->evidence;
  EXPECT_NE(found->evidence.find("Included in \"Eager dispatch"), std::string::npos) << found->evidence;
  EXPECT_GE(10 * found->gain->low, 9 * found->gain->high) << "the launches are not made";
  EXPECT_EQ(ofKind(job("forward"), FindingKind::ZeroGrad), nullptr);
}

TEST(FindingCauses, whatIsMadeOnTheCpuAndCopiedIsNamed) {
  const auto random = idleWhile([](HandMadeRank& rank, TimeNs begin) {
    const auto correlation = static_cast<std::uint32_t>(5000 + begin / kStep);
    rank.op(begin + 301 * kUs, 300 * kUs, "aten::randperm");
    rank.op(begin + 605 * kUs, 60 * kUs, "aten::to");
    rank.runtime(begin + 610 * kUs, 20 * kUs, "cudaMemcpyAsync", correlation);
    rank.device(EventKind::Copy, 7, begin + 640 * kUs, 50 * kUs, "Memcpy HtoD (Pageable -> Device)",
                launchedBy(correlation));
  });
  const Finding* const found = ofKind(random, FindingKind::HostRandom);
  ASSERT_NE(found, nullptr) << titles(random);
  EXPECT_EQ(found->leaf, "host.dispatch");
  EXPECT_EQ(found->gain->high, 340 * kUs);
  EXPECT_EQ(ofKind(random, FindingKind::HostConstant), nullptr);
  const auto constants = [](int count) {
    return findingsIn(jobOf(training([&](HandMadeRank& rank, TimeNs begin) {
      for (TimeNs i = 0; i < count; ++i) {
        const TimeNs at = begin + i * 60 * kUs;
        const auto correlation = static_cast<std::uint32_t>(5000 + 20 * (begin / kStep) + i);
        rank.op(at, 30 * kUs, "aten::fill_");
        rank.op(at + 32 * kUs, 25 * kUs, "aten::to");
        rank.runtime(at + 35 * kUs, 5 * kUs, "cudaMemcpyAsync", correlation);
        rank.device(EventKind::Copy, 7, at + 42 * kUs, 5 * kUs, "Memcpy HtoD (Pageable -> Device)",
                    launchedBy(correlation));
      }
      rank.launched(begin + 760 * kUs, 7, begin + 770 * kUs, 200 * kUs, "gemm");
    })));
  };
  EXPECT_NE(ofKind(constants(12), FindingKind::HostConstant), nullptr) << titles(constants(12));
  EXPECT_EQ(ofKind(constants(5), FindingKind::HostConstant), nullptr) << "a few are no matter";
}

TEST(FindingCauses, loopsOverElementsAreFoundByTheirRounds) {
  const auto job = [](int rounds) {
    return findingsIn(jobOf(training([&](HandMadeRank& rank, TimeNs begin) {
      for (TimeNs i = 0; i < 16; ++i) {
        const TimeNs at = begin + i * 50 * kUs;
        rank.op(at, 10 * kUs, "aten::select");
        // Another operator breaks the round.
        rank.op(at + 12 * kUs, 30 * kUs, i % rounds == 0 ? "aten::mul" : "aten::add");
        rank.launched(at + 20 * kUs, 7, at + 45 * kUs, 3 * kUs, "elementwise");
      }
    })));
  };
  const auto findings = job(16);
  const Finding* const found = ofKind(findings, FindingKind::IndexingLoop);
  ASSERT_NE(found, nullptr) << titles(findings);
  EXPECT_LE(found->gain->high, *found->time + 1);
  EXPECT_EQ(ofKind(job(4), FindingKind::IndexingLoop), nullptr) << "no ten equal rounds";
}

TEST(FindingCauses, anotherPythonThreadThatRunsBesideIsAHint) {
  const auto job = [](const char* frame) {
    return idleWhile([=](HandMadeRank& rank, TimeNs begin) {
      rank.python(begin, 990 * kUs, "/data/me/train.py(10): step");
      rank.python(begin + 250 * kUs, 600 * kUs, frame, "2");
    });
  };
  const auto findings = job("/data/me/log.py(5): write_log");
  const Finding* const found = ofKind(findings, FindingKind::InterpreterLock);
  ASSERT_NE(found, nullptr) << titles(findings);
  EXPECT_EQ(found->severity, Severity::Info);
  EXPECT_NE(found->evidence.find("write_log"), std::string::npos) << found->evidence;
  EXPECT_EQ(ofKind(job("threading.py(300): wait"), FindingKind::InterpreterLock), nullptr);
}

TEST(FindingCauses, slowLaunchesPromiseNothingForSure) {
  // nested: every second launch is in an operator within another.
  const auto job = [](TimeNs apart, bool nested = false) {
    return findingsIn(jobOf(training([&](HandMadeRank& rank, TimeNs begin) {
      for (int i = 0; i < 12; ++i) {
        const TimeNs call = begin + i * apart;
        rank.op(call, apart - 1 * kUs, "aten::add");
        if (nested && i % 2 == 1) rank.op(call + 1 * kUs, apart - 3 * kUs, "aten::add_");
        rank.launched(call + apart - 6 * kUs, 7, call + apart - 3 * kUs, 2 * kUs, "elementwise");
      }
    })));
  };
  const auto findings = job(75 * kUs);
  const Finding* const found = ofKind(findings, FindingKind::SlowHostLaunch);
  ASSERT_NE(found, nullptr) << titles(findings);
  EXPECT_EQ(found->gain->low, 0);
  EXPECT_LT(found->gain->high, ofKind(findings, FindingKind::LaunchBound)->gain->high);
  EXPECT_EQ(ofKind(job(40 * kUs), FindingKind::SlowHostLaunch), nullptr);
  EXPECT_EQ(ofKind(job(40 * kUs, true), FindingKind::SlowHostLaunch), nullptr) << "at any depth";
}

TEST(FindingCauses, statisticsOfNormsAreToldFromOtherCommunication) {
  const auto job = [](const char* op) {
    return findingsIn(jobOf(training([&](HandMadeRank& rank, TimeNs begin) {
      rank.launched(begin, 7, begin + 10 * kUs, 90 * kUs, "gemm");
      for (TimeNs i = 0; i < 12; ++i) {
        const TimeNs at = begin + 60 * kUs + i * 60 * kUs;
        const auto correlation = static_cast<std::uint32_t>(5000 + 20 * (begin / kStep) + i);
        rank.op(at, 20 * kUs, op);
        rank.runtime(at + 5 * kUs, 3 * kUs, "cudaLaunchKernel", correlation);
        rank.device(EventKind::Collective, 20, at + 41 * kUs, 39 * kUs, "ncclDevKernel_AllGather_RING_LL",
                    launchedBy(correlation));
        rank.launched(at + 10 * kUs, 7, at + 80 * kUs, 20 * kUs, "gemm");
      }
    })));
  };
  const auto findings = job("SyncBatchNorm");
  const Finding* const found = ofKind(findings, FindingKind::SyncBatchNorm);
  ASSERT_NE(found, nullptr) << titles(findings);
  EXPECT_EQ(found->leaf, "comm.transfer");
  EXPECT_EQ(ofKind(findings, FindingKind::ExposedCommunication), nullptr) << "counted once";
  EXPECT_EQ(ofKind(job("aten::mm"), FindingKind::SyncBatchNorm), nullptr);
}

TEST(FindingCauses, gradientsThatEarlierPassesReduceNeedNoSync) {
  const auto job = [](bool reducesEarly) {
    return findingsIn(jobOf(training([&](HandMadeRank& rank, TimeNs begin) {
      const auto reduce = [&](TimeNs call, TimeNs at, std::uint32_t correlation) {
        rank.runtime(begin + call, 3 * kUs, "cudaLaunchKernel", correlation);
        rank.device(EventKind::Collective, 20, begin + at, 150 * kUs, "ncclDevKernel_AllReduce_Sum_f32",
                    launchedBy(correlation));
      };
      const auto correlation = static_cast<std::uint32_t>(5000 + 20 * (begin / kStep));
      rank.annotation(begin + 1 * kUs, 90 * kUs, "forward")
          .annotation(begin + 100 * kUs, 200 * kUs, "backward");
      rank.annotation(begin + 310 * kUs, 90 * kUs, "forward")
          .annotation(begin + 410 * kUs, 200 * kUs, "backward");
      rank.launched(begin + 5 * kUs, 7, begin + 20 * kUs, 280 * kUs, "gemm");
      if (reducesEarly) reduce(250 * kUs, 300 * kUs, correlation);
      rank.launched(begin + 320 * kUs, 7, begin + 450 * kUs, 200 * kUs, "gemm");
      reduce(600 * kUs, 650 * kUs, correlation + 1);
      rank.launched(begin + 605 * kUs, 7, begin + 800 * kUs, 190 * kUs, "gemm");
    })));
  };
  const auto findings = job(true);
  const Finding* const found = ofKind(findings, FindingKind::AccumulationWithoutNoSync);
  ASSERT_NE(found, nullptr) << titles(findings);
  EXPECT_EQ(found->time, 150 * kUs) << "the last pass must reduce";
  EXPECT_NE(found->evidence.find("Included in \""), std::string::npos);
  EXPECT_EQ(ofKind(job(false), FindingKind::AccumulationWithoutNoSync), nullptr);
}

TEST(FindingCauses, groupsAndShardsGiveExposedCommunicationItsReason) {
  const auto job = [](test::Parallelism parallelism) {
    const test::TemporaryFolder folder;
    test::JobOptions options;
    options.parallelism = parallelism;
    options.communicationPermille = 3000;
    options.layers = 3;
    generateJob(options, folder.path());
    return findingsIn(test::loadJob(folder.path().string()));
  };
  const auto tensor = job(test::Parallelism::Tensor);
  EXPECT_NE(ofKind(tensor, FindingKind::TpExposed), nullptr) << titles(tensor);
  const auto sharded = job(test::Parallelism::FullySharded);
  EXPECT_NE(ofKind(sharded, FindingKind::FsdpExposedGather), nullptr) << titles(sharded);
  const auto data = job(test::Parallelism::Data);
  EXPECT_EQ(ofKind(data, FindingKind::FsdpExposedGather), nullptr);
  EXPECT_EQ(ofKind(data, FindingKind::TpExposed), nullptr);
}

TEST(FindingCauses, aClockThatDropsIsSeenInTheSameKernels) {
  const auto job = [](TimeNs slower) {
    return findingsIn(jobOf(training(
        [&](HandMadeRank& rank, TimeNs begin) {
          for (TimeNs i = 0; i < 4; ++i)
            rank.device(EventKind::Kernel, 7, begin + i * 200 * kUs, 100 * kUs + begin / kStep * slower,
                        "gemm", launchedBy(0, 2));
        },
        9)));
  };
  const auto findings = job(1 * kUs);
  const Finding* const found = ofKind(findings, FindingKind::Throttling);
  ASSERT_NE(found, nullptr) << titles(findings);
  EXPECT_NE(found->evidence.find("6 % longer"), std::string::npos) << found->evidence;
  EXPECT_EQ(ofKind(job(0), FindingKind::Throttling), nullptr);
}

// Of many ranks, some rise by chance: each of these would be found in a job of its own.
TEST(FindingCauses, aClockThatDropsIsToldFromChanceAmongManyRanks) {
  constexpr int kRanks = 200;
  const auto rank = [](int number, TimeNs slower) {
    std::mt19937 chance(static_cast<std::mt19937::result_type>(number));
    return training(
        [&](HandMadeRank& events, TimeNs begin) {
          const TimeNs length = (97 + static_cast<TimeNs>(chance() % 7)) * kUs + begin / kStep * slower;
          for (TimeNs i = 0; i < 4; ++i)
            events.device(EventKind::Kernel, 7, begin + i * 200 * kUs, length, "gemm", launchedBy(0, 2));
        },
        6);
  };
  const auto findingOf = [&](TimeNs slower) {
    HandMadeJob job;
    for (int i = 0; i < kRanks; ++i) job.add(i, rank(i, i == 7 ? slower : 0));
    const auto findings = findingsIn(job.build());
    const Finding* const found = ofKind(findings, FindingKind::Throttling);
    return found != nullptr ? found->title : std::string();
  };
  int alone = 0;
  for (int i = 0; i < kRanks; ++i)
    alone += ofKind(findingsIn(jobOf(rank(i, 0))), FindingKind::Throttling) != nullptr;
  EXPECT_GT(alone, 0);
  EXPECT_EQ(findingOf(0), "");
  EXPECT_NE(findingOf(5 * kUs).find("rank 7"), std::string::npos) << findingOf(5 * kUs);
}

TEST(FindingCauses, kernelsWithoutALeafAreFoundByTheirOperators) {
  const auto job = [](const char* next) {
    return findingsIn(jobOf(training([&](HandMadeRank& rank, TimeNs begin) {
      rank.op(begin, 100 * kUs, "aten::conv2d").op(begin + 1 * kUs, 98 * kUs, "aten::_convolution");
      rank.op(begin + 60 * kUs, 30 * kUs, "aten::add_");
      rank.launched(begin + 65 * kUs, 7, begin + 200 * kUs, 60 * kUs, "add_kernel");
      rank.op(begin + 102 * kUs, 20 * kUs, next);
      rank.launched(begin + 105 * kUs, 7, begin + 260 * kUs, 200 * kUs,
                    "void cub::DeviceRadixSortOnesweepKernel<Policy>(int)");
      rank.op(begin + 130 * kUs, 40 * kUs, "aten::contiguous").op(begin + 132 * kUs, 36 * kUs, "aten::clone");
      rank.op(begin + 140 * kUs, 20 * kUs, "aten::copy_");
      rank.launched(
          begin + 145 * kUs, 7, begin + 460 * kUs, 400 * kUs,
          "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
          "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}>>(int)");
    })));
  };
  const auto findings = job("aten::batch_norm");
  ASSERT_NE(ofKind(findings, FindingKind::ConvBias), nullptr) << titles(findings);
  EXPECT_EQ(ofKind(findings, FindingKind::ConvBias)->time, 60 * kUs);
  EXPECT_EQ(ofKind(job("aten::relu"), FindingKind::ConvBias), nullptr);
  const Finding* const sorting = ofKind(findings, FindingKind::SortTopk);
  ASSERT_NE(sorting, nullptr) << titles(findings);
  EXPECT_EQ(sorting->severity, Severity::Info) << "a hint";
  EXPECT_EQ(sorting->gain, (Gain{0, 100 * kUs}));
  const Finding* const copies = ofKind(findings, FindingKind::ContiguityCopies);
  ASSERT_NE(copies, nullptr) << titles(findings);
  EXPECT_EQ(copies->gain->high, 320 * kUs);
}

TEST(FindingCauses, eventsThatAreMissingLimitWhatIsSaidOfIdleTime) {
  const auto job = [](bool allLaunched) {
    return findingsIn(jobOf(training(
        [&](HandMadeRank& rank, TimeNs begin) {
          rank.launched(begin, 7, begin + 20 * kUs, 200 * kUs, "gemm");
          rank.launched(begin + 5 * kUs, 7, begin + 820 * kUs, 170 * kUs, "gemm");
          if (!allLaunched) rank.device(EventKind::Kernel, 8, begin + 30 * kUs, 10 * kUs, "graph node");
        },
        10)));
  };
  const auto findings = job(true);
  const Finding* const dropped = ofKind(findings, FindingKind::EventsDropped);
  ASSERT_NE(dropped, nullptr) << titles(findings);
  EXPECT_FALSE(dropped->gain);
  for (const Finding& finding : findings) EXPECT_EQ(finding.severity, Severity::Info) << finding.title;
  EXPECT_EQ(ofKind(findings, FindingKind::OtherProcess), nullptr) << "the same gaps have one explanation";
  const auto regular = job(false);
  EXPECT_EQ(ofKind(regular, FindingKind::EventsDropped), nullptr) << titles(regular);
  const Finding* const other = ofKind(regular, FindingKind::OtherProcess);
  ASSERT_NE(other, nullptr) << titles(regular);
  EXPECT_EQ(other->confidence, Confidence::Hint);
}

TEST(FindingCauses, aFullLaunchQueueIsHealthy) {
  const auto findings = findingsIn(jobOf(training([](HandMadeRank& rank, TimeNs begin) {
    for (TimeNs i = 0; i < 10; ++i) {
      const auto correlation = static_cast<std::uint32_t>(5000 + 20 * (begin / kStep) + i);
      rank.runtime(begin + i * 10 * kUs, i == 9 ? 400 * kUs : 5 * kUs, "cudaLaunchKernel", correlation);
      rank.device(EventKind::Kernel, 7, begin + 20 * kUs + i * 97 * kUs, 97 * kUs, "gemm",
                  launchedBy(correlation));
    }
  })));
  const Finding* const found = ofKind(findings, FindingKind::LaunchQueueFull);
  ASSERT_NE(found, nullptr) << titles(findings);
  EXPECT_FALSE(found->gain);
  EXPECT_TRUE(found->fix.empty());
}

TEST(FindingCauses, profilerRowsWithinStepsAreItsOverhead) {
  const auto job = [](const char* name) {
    test::TraceText text;
    for (int step = 0; step < kSteps; ++step) {
      const TimeNs begin = step * kStep;
      text.addStep(step, begin, kStep);
      text.addAnnotation(1, begin + 900 * kUs, 90 * kUs, "Optimizer.step#SGD.step");
      text.addKernel(0, 7, begin, 900 * kUs, "gemm");
      text.addSlice("overhead", 100, 0, begin + 100 * kUs, 50 * kUs, name);
    }
    const test::Opened file(text.text());
    return findingsIn(file.set);
  };
  const auto findings = job("Buffer Flush");
  ASSERT_NE(ofKind(findings, FindingKind::ProfilerOverhead), nullptr) << titles(findings);
  EXPECT_NE(ofKind(findings, FindingKind::ProfilerOverhead)->title.find("50.0 µs"), std::string::npos);
  EXPECT_EQ(ofKind(job("Unrecognized"), FindingKind::ProfilerOverhead), nullptr);
}

TEST(FindingCauses, ranksThatFollowTheirInputAreUneven) {
  const auto job = [](bool shapesDiffer) {
    const test::TemporaryFolder folder;
    for (int rank = 0; rank < 2; ++rank) {
      test::TraceText text;
      text.distributedInfo(rank, 2);
      for (int step = 0; step < 6; ++step) {
        const TimeNs begin = step * kStep;
        const std::int64_t more = (step + rank) % 2 == 0 ? 500 : 100;
        text.addStep(step, begin, 900 * kUs);
        text.addAnnotation(1, begin + 880 * kUs, 15 * kUs, "Optimizer.step#SGD.step");
        text.addCpuOp(1, begin + 2 * kUs, 20 * kUs, "aten::mm",
                      R"("Input Dims": [[)" + std::to_string(shapesDiffer ? more : 300) + ", 64], [64, 64]]");
        text.addRuntime(1, begin + 5 * kUs, 3 * kUs, "cudaLaunchKernel", 10 * step + 1);
        text.addKernel(0, 7, begin + 20 * kUs, more * kUs, "gemm", 10 * step + 1);
        text.addCollective(0, 20, begin + (20 + more) * kUs, (600 - more) * kUs, "allreduce", 1000, 2,
                           10 * step + 2);
        text.addRuntime(1, begin + 10 * kUs, 3 * kUs, "cudaLaunchKernel", 10 * step + 2);
      }
      test::writeTraceFile(folder / ("rank" + std::to_string(rank) + ".json"), text.text());
    }
    return findingsIn(test::loadJob(folder.path().string()));
  };
  const auto findings = job(true);
  const Finding* const found = ofKind(findings, FindingKind::UnevenInput);
  ASSERT_NE(found, nullptr) << titles(findings);
  EXPECT_EQ(found->leaf, "wait.rank");
  EXPECT_NEAR(static_cast<double>(found->gain->high), 200e3, 2e3) << "the longest less the mean";
  EXPECT_EQ(ofKind(job(false), FindingKind::UnevenInput), nullptr) << "equal work";
}

TEST(FindingCauses, ranksOfOneHostThatAreSlowAreOneFinding) {
  const auto job = [](int slowHost) {
    HandMadeJob all;
    for (int rank = 0; rank < 6; ++rank) {
      const bool slow = rank / 2 == slowHost;
      all.add(rank, training([&](HandMadeRank& of, TimeNs begin) {
                const TimeNs compute = (slow ? 400 : 150) * kUs + rank * kUs;
                of.launched(begin, 7, begin + 10 * kUs, compute, "gemm");
                of.collective(20, begin + 10 * kUs + compute, 600 * kUs - compute,
                              "ncclDevKernel_AllReduce_Sum_f32");
              }),
              1, "node" + std::to_string(rank / 2));
    }
    return findingsIn(all.build());
  };
  const auto findings = job(1);
  const Finding* const found = ofKind(findings, FindingKind::SlowHost);
  ASSERT_NE(found, nullptr) << titles(findings);
  EXPECT_EQ(found->ranks, (std::vector{RankIndex(2), RankIndex(3)}));
  EXPECT_NE(found->title.find("host node1"), std::string::npos) << found->title;
  EXPECT_NEAR(static_cast<double>(found->gain->high), 248e3, 3e3);
  EXPECT_EQ(ofKind(job(7), FindingKind::SlowHost), nullptr);
}

TEST(FindingNames, kernelsAreShort) {
  EXPECT_EQ(
      shortKernelName("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
                      "std::array<char*, 3ul> >(int)"),
      "vectorized_elementwise_kernel (CUDAFunctor_add)");
  EXPECT_EQ(shortKernelName("void at::native::(anonymous namespace)::softmax_warp_forward<float>(float*)"),
            "softmax_warp_forward");
  EXPECT_EQ(shortKernelName("volta_sgemm_128x64_nn"), "volta_sgemm_128x64_nn");
  EXPECT_EQ(shortKernelName(""), "");
}

TEST(NamedCalls, areFoundByTheirNames) {
  EXPECT_EQ(namedCallOf("Optimizer.zero_grad#AdamW.zero_grad"), NamedCall::ZeroGrad);
  EXPECT_EQ(namedCallOf("torch/nn/utils/clip_grad.py(40): clip_grad_norm_"), NamedCall::ClipGradients);
  EXPECT_EQ(namedCallOf("nccl:barrier"), NamedCall::Barrier);
  EXPECT_EQ(namedCallOf("aten::zeros"), NamedCall::HostConstant);
  EXPECT_EQ(namedCallOf("aten::mm"), NamedCall::Other);
}

} // namespace rankscope
