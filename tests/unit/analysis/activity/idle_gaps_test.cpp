// SPDX-License-Identifier: GPL-3.0-or-later
// When and why a device stood still. Covers core/analysis/activity/gap_causes and
// core/analysis/activity/idle_gap too.
#include "core/analysis/activity/idle_gaps.h"

#include "core/analysis/job/analysis.h"
#include "core/io/load/trace_loader.h"
#include "core/report/gaps_table.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <string>

namespace rankscope {

namespace {

struct Found {
  std::shared_ptr<const RankTrace> trace;
  StringTable names;
  IdleGaps gaps;

  [[nodiscard]] std::string name(EventIndex event) const {
    return event.valid() ? std::string(names[trace->events.name[event]]) : std::string();
  }
};

Found gapsIn(HandMadeRank rank, TimeRange window = kAllTime) {
  StringInterner interner;
  Found found;
  found.trace = rank.build(interner);
  found.names = interner.snapshot();
  const StepWindows steps = stepWindows(*found.trace, found.names, stepsOf(*found.trace, found.names));
  found.gaps = idleGaps(*found.trace, found.names, steps, window);
  return found;
}

// A kernel until 100 us, and one that is launched at 990 us and begins at 1000.
HandMadeRank waitingRank() {
  HandMadeRank rank;
  rank.launched(10 * kUs, 7, 20 * kUs, 80 * kUs, "first")
      .launched(990 * kUs, 7, 1000 * kUs, 50 * kUs, "second");
  return rank;
}

void expectCause(HandMadeRank rank, GapCause cause, const std::string& hostEvent) {
  const Found found = gapsIn(std::move(rank));
  ASSERT_EQ(found.gaps.ofDevices.size(), 1U);
  const IdleGap& gap = found.gaps.ofDevices[0];
  EXPECT_EQ(gap.range, (TimeRange{100 * kUs, 1000 * kUs}));
  EXPECT_EQ(gapCauseText(gap.cause), gapCauseText(cause));
  EXPECT_EQ(found.name(gap.hostEvent), hostEvent);
  EXPECT_EQ(found.name(gap.next), "second");
  EXPECT_EQ(found.gaps.total(cause).time, 900 * kUs);
}

} // namespace

TEST(IdleGaps, theHostWasLoadingData) {
  HandMadeRank rank = waitingRank();
  rank.runtime(90 * kUs, 15 * kUs, "cudaStreamSynchronize")
      .annotation(120 * kUs, 600 * kUs, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
      .op(130 * kUs, 500 * kUs, "aten::stack");
  expectCause(std::move(rank), GapCause::DataLoader,
              "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
}

TEST(IdleGaps, theHostWaitedForTheDevice) {
  HandMadeRank rank = waitingRank();
  rank.op(40 * kUs, 910 * kUs, "aten::item").runtime(50 * kUs, 890 * kUs, "cudaStreamSynchronize");
  expectCause(std::move(rank), GapCause::Synchronization, "cudaStreamSynchronize");
}

TEST(IdleGaps, aHostThatComesBackFromWaitingIsStillSynchronizing) {
  HandMadeRank rank;
  rank.launched(10 * kUs, 7, 20 * kUs, 80 * kUs, "first")
      .launched(150 * kUs, 7, 160 * kUs, 50 * kUs, "second");
  rank.runtime(50 * kUs, 55 * kUs, "cudaDeviceSynchronize").op(120 * kUs, 40 * kUs, "aten::mm");
  const Found found = gapsIn(std::move(rank));
  ASSERT_EQ(found.gaps.ofDevices.size(), 1U);
  EXPECT_EQ(found.gaps.ofDevices[0].cause, GapCause::Synchronization);
  HandMadeRank late = waitingRank();
  late.runtime(50 * kUs, 55 * kUs, "cudaDeviceSynchronize").op(120 * kUs, 860 * kUs, "aten::sort");
  expectCause(std::move(late), GapCause::HostOperators, "aten::sort");
}

TEST(IdleGaps, aCopyThatReturnsWhenItIsDoneIsWaitedFor) {
  HandMadeRank rank;
  RawDevice copy;
  copy.correlation = 77;
  rank.runtime(10 * kUs, 500 * kUs, "cudaMemcpyAsync", 77)
      .device(EventKind::Copy, 7, 20 * kUs, 480 * kUs, "Memcpy HtoD (Pageable -> Device)", copy)
      .launched(560 * kUs, 7, 570 * kUs, 50 * kUs, "second");
  const Found found = gapsIn(std::move(rank));
  ASSERT_EQ(found.gaps.ofDevices.size(), 1U);
  EXPECT_EQ(found.gaps.ofDevices[0].cause, GapCause::Synchronization);
  EXPECT_EQ(found.name(found.gaps.ofDevices[0].hostEvent), "cudaMemcpyAsync");
}

TEST(IdleGaps, theHostWasAllocating) {
  HandMadeRank rank = waitingRank();
  rank.op(90 * kUs, 800 * kUs, "aten::empty_strided").runtime(100 * kUs, 600 * kUs, "cudaMalloc");
  expectCause(std::move(rank), GapCause::MemoryAllocation, "cudaMalloc");
}

TEST(IdleGaps, theHostWasInPython) {
  HandMadeRank rank = waitingRank();
  rank.python(0, 2000 * kUs, "train.py(1): main")
      .python(110 * kUs, 800 * kUs, "train.py(88): collect")
      .python(120 * kUs, 100 * kUs, "json.py(3): dumps")
      .op(950 * kUs, 45 * kUs, "aten::mm");
  expectCause(std::move(rank), GapCause::Python, "train.py(88): collect");
}

TEST(IdleGaps, theHostWasInOperators) {
  HandMadeRank rank = waitingRank();
  rank.python(0, 2000 * kUs, "train.py(1): main")
      .op(110 * kUs, 700 * kUs, "aten::unique")
      .op(120 * kUs, 600 * kUs, "aten::sort")
      .op(130 * kUs, 20 * kUs, "aten::empty");
  expectCause(std::move(rank), GapCause::HostOperators, "aten::sort");
}

TEST(IdleGaps, amongManyOperatorsTheLongestIsNamed) {
  HandMadeRank rank = waitingRank();
  for (int i = 0; i < 8; ++i)
    rank.op((110 + 100 * i) * kUs, (i == 5 ? 95 : 90) * kUs, "aten::op" + std::to_string(i));
  expectCause(std::move(rank), GapCause::HostOperators, "aten::op5");
}

TEST(IdleGaps, theHostDidWhatNobodyRecorded) {
  HandMadeRank rank = waitingRank();
  rank.annotation(0, 2000 * kUs, "ProfilerStep#1").annotation(5 * kUs, 990 * kUs, "evaluate");
  expectCause(std::move(rank), GapCause::Untraced, "evaluate");
  expectCause(waitingRank(), GapCause::Untraced, "");
}

// Autograd's thread had not begun; the main thread says why.
TEST(IdleGaps, anotherThreadThanTheLaunchersMayBeTheReason) {
  HandMadeRank rank;
  rank.launched(10 * kUs, 7, 20 * kUs, 80 * kUs, "first", "1")
      .launched(990 * kUs, 7, 1000 * kUs, 50 * kUs, "second", "2")
      .runtime(60 * kUs, 880 * kUs, "cudaStreamSynchronize", 0, "1")
      .annotation(0, 2000 * kUs, "ProfilerStep#1", "1");
  expectCause(std::move(rank), GapCause::Synchronization, "cudaStreamSynchronize");
}

TEST(IdleGaps, aStreamThatWasToldInTimeWaitedForAnother) {
  for (const bool collective : {false, true}) {
    HandMadeRank rank;
    rank.launched(10 * kUs, 7, 20 * kUs, 80 * kUs, "first")
        .launched(30 * kUs, 7, 503 * kUs, 50 * kUs, "second");
    rank.device(collective ? EventKind::Collective : EventKind::Kernel, 20, 90 * kUs, 410 * kUs, "other");
    const Found found = gapsIn(std::move(rank));
    EXPECT_TRUE(found.gaps.ofDevices.empty()) << "3 us";
    EXPECT_EQ(found.gaps.shorter.time, 3 * kUs);
    ASSERT_EQ(found.gaps.ofStreams.size(), 1U);
    const IdleGap& gap = found.gaps.ofStreams[0];
    EXPECT_EQ(gap.stream, 7);
    EXPECT_EQ(gap.range, (TimeRange{100 * kUs, 503 * kUs}));
    EXPECT_EQ(gap.cause, collective ? GapCause::CollectiveWait : GapCause::Dependency);
    EXPECT_EQ(found.name(gap.waitedFor), "other");
  }
}

TEST(IdleGaps, aShortGapOfAQueuedKernelIsLaunchLatencyAndALongOneIsNotExplained) {
  HandMadeRank rank;
  rank.launched(10 * kUs, 7, 20 * kUs, 80 * kUs, "first")
      .launched(13 * kUs, 7, 110 * kUs, 50 * kUs, "second")
      .launched(16 * kUs, 7, 400 * kUs, 50 * kUs, "third")
      .kernel(7, 500 * kUs, 10 * kUs, "of no launch");
  const Found found = gapsIn(std::move(rank));
  ASSERT_EQ(found.gaps.ofDevices.size(), 3U);
  EXPECT_EQ(found.gaps.ofDevices[0].cause, GapCause::LaunchLatency);
  EXPECT_EQ(found.gaps.ofDevices[1].cause, GapCause::NotRecorded);
  EXPECT_EQ(found.gaps.ofDevices[2].cause, GapCause::NotRecorded);
  EXPECT_FALSE(found.gaps.ofDevices[2].launch.valid());
}

TEST(IdleGaps, ofAWindowAreThePartInsideWithTheCauseOfTheWhole) {
  const auto whole = [] {
    HandMadeRank rank = waitingRank();
    rank.annotation(0, 500 * kUs, "ProfilerStep#8").annotation(500 * kUs, 800 * kUs, "ProfilerStep#9");
    rank.op(110 * kUs, 700 * kUs, "aten::sort");
    return rank;
  };
  const auto gapIn = [&](TimeRange window) {
    const Found found = gapsIn(whole(), window);
    EXPECT_EQ(found.gaps.ofDevices.size(), 1U);
    EXPECT_EQ(found.gaps.ofStreams.size(), 1U);
    const IdleGap& gap = found.gaps.ofDevices.at(0);
    EXPECT_EQ(found.gaps.ofStreams.at(0).range, gap.range);
    EXPECT_EQ(gap.cause, GapCause::HostOperators);
    EXPECT_EQ(found.gaps.total(GapCause::HostOperators).time, gap.range.length());
    EXPECT_EQ(found.name(gap.next), "second");
    return gap;
  };
  EXPECT_EQ(gapIn({50 * kUs, 150 * kUs}).range, (TimeRange{100 * kUs, 150 * kUs}));
  EXPECT_EQ(gapIn({50 * kUs, 150 * kUs}).step, 0U);
  EXPECT_EQ(gapIn({700 * kUs, 2000 * kUs}).range, (TimeRange{700 * kUs, 1000 * kUs}));
  EXPECT_EQ(gapIn({700 * kUs, 2000 * kUs}).step, 1U) << "the step of the part inside";
  EXPECT_EQ(gapIn({300 * kUs, 302 * kUs}).range.length(), 2 * kUs) << "a whole gap is long or short, no part";
  EXPECT_EQ(gapIn(kAllTime).range.length(), 900 * kUs);
  EXPECT_TRUE(gapsIn(whole(), {20 * kUs, 100 * kUs}).gaps.ofDevices.empty());
  EXPECT_TRUE(gapsIn(whole(), {1000 * kUs, 2000 * kUs}).gaps.ofDevices.empty());
}

TEST(IdleGaps, whatEndedLongBeforeIsNoDependency) {
  HandMadeRank rank;
  rank.launched(10 * kUs, 7, 20 * kUs, 80 * kUs, "first")
      .launched(30 * kUs, 7, 600 * kUs, 50 * kUs, "second")
      .kernel(20, 90 * kUs, 410 * kUs, "other");
  const Found found = gapsIn(std::move(rank));
  ASSERT_EQ(found.gaps.ofStreams.size(), 1U);
  EXPECT_EQ(found.gaps.ofStreams[0].cause, GapCause::NotRecorded);
}

// Windows that follow each other share the gaps at their edges: nothing twice, nothing lost.
TEST(IdleGaps, ofWindowsInARowAddUpToThoseOfTheWhole) {
  const auto rank = [] {
    std::mt19937 random(5);
    HandMadeRank made;
    for (int i = 0; i < 80; ++i) {
      const auto begin = static_cast<TimeNs>(random() % 4000);
      made.kernel(static_cast<int>(random() % 3), begin * kUs, static_cast<TimeNs>(1 + random() % 20) * kUs,
                  "k");
    }
    return made;
  };
  const auto idle = [](const IdleGaps& gaps) {
    TimeNs sum = gaps.shorter.time;
    for (const GapTotal& total : gaps.totals) sum += total.time;
    return sum;
  };
  const IdleGaps all = gapsIn(rank()).gaps;
  TimeNs parts = 0;
  constexpr TimeNs kWindow = 37 * kUs;
  for (TimeNs begin = 0; begin < 4100 * kUs; begin += kWindow) {
    const TimeRange window{begin, begin + kWindow};
    const IdleGaps part = gapsIn(rank(), window).gaps;
    EXPECT_LE(idle(part), kWindow);
    for (const std::vector<IdleGap>* const list : {&part.ofDevices, &part.ofStreams}) {
      for (const IdleGap& gap : *list) EXPECT_EQ(gap.range.clippedTo(window), gap.range);
    }
    parts += idle(part);
  }
  EXPECT_EQ(parts, idle(all));
}

// Random work on three streams of two devices, against an instant after the other.
TEST(IdleGaps, areWhereNoInstantIsBusy) {
  std::mt19937 random(3);
  constexpr std::size_t kInstants = 4000;
  for (int round = 0; round < 10; ++round) {
    HandMadeRank rank;
    std::array<std::vector<bool>, 2> busy{std::vector<bool>(kInstants), std::vector<bool>(kInstants)};
    for (int i = 0; i < 60; ++i) {
      RawDevice detail;
      detail.device = static_cast<int>(random() % 2);
      const std::size_t begin = random() % (kInstants - 100);
      const std::size_t length = 1 + random() % 40;
      rank.device(EventKind::Kernel, 10 * detail.device + static_cast<int>(random() % 3),
                  static_cast<TimeNs>(begin) * kUs, static_cast<TimeNs>(length) * kUs, "k", detail);
      for (std::size_t t = begin; t < begin + length; ++t)
        busy[static_cast<std::size_t>(detail.device)][t] = true;
    }
    std::vector<TimeRange> expected;
    TimeNs shorter = 0;
    for (const std::vector<bool>& device : busy) {
      std::size_t last = kInstants;
      for (std::size_t t = 0; t < kInstants; ++t) {
        if (!device[t]) continue;
        if (last != kInstants && t > last + 1) {
          const TimeRange gap{static_cast<TimeNs>(last + 1) * kUs, static_cast<TimeNs>(t) * kUs};
          if (gap.length() >= kMinGap)
            expected.push_back(gap);
          else
            shorter += gap.length();
        }
        last = t;
      }
    }
    const Found found = gapsIn(std::move(rank));
    std::vector<TimeRange> ours;
    for (const IdleGap& gap : found.gaps.ofDevices) ours.push_back(gap.range);
    EXPECT_EQ(ours, expected);
    EXPECT_EQ(found.gaps.shorter.time, shorter);
  }
}

TEST(IdleGaps, tableNamesTheOperatorAroundTheCall) {
  HandMadeRank rank = waitingRank();
  rank.annotation(0, 2000 * kUs, "ProfilerStep#8")
      .op(40 * kUs, 910 * kUs, "aten::item")
      .runtime(50 * kUs, 890 * kUs, "cudaStreamSynchronize");
  HandMadeJob job;
  job.add(3, std::move(rank));
  const Analysis analysis(job.build());
  const ResultTable table = gapsTable(analysis, jobAccount(analysis, 1));
  ASSERT_EQ(table.rowCount(), 2U) << "the device's and the stream's";
  const char* const expected[] = {
      "3", "1",      "0", "",         "100", "900", "synchronization", "aten::item > cudaStreamSynchronize",
      "1", "second", "8", "host.sync"};
  for (std::size_t c = 0; c < std::size(expected); ++c) EXPECT_EQ(exactText(table, 0, c), expected[c]) << c;
  EXPECT_EQ(exactText(table, 1, 3), "7");
}

namespace {

using test::GapRequest;
using test::GapTruth;

GapCause causeOf(test::GapCause injected, bool withStack) {
  switch (injected) {
  case test::GapCause::DataLoader:
    return GapCause::DataLoader;
  case test::GapCause::Sync:
    return GapCause::Synchronization;
  case test::GapCause::CudaMalloc:
    return GapCause::MemoryAllocation;
  case test::GapCause::Python:
    return withStack ? GapCause::Python : GapCause::Untraced;
  case test::GapCause::LaunchBound:
    return GapCause::HostOperators;
  }
  return GapCause::NotRecorded;
}

void expectInjected(const IdleGaps& gaps, const std::vector<StepWindow>& steps, const GapTruth& truth,
                    bool withStack) {
  const GapCause cause = causeOf(truth.cause, withStack);
  if (truth.cause == test::GapCause::LaunchBound) {
    // Many small gaps; most of their time must be found for what it is.
    const TimeRange range{truth.beginNs, truth.beginNs + truth.durationNs};
    TimeNs explained = 0;
    for (const IdleGap& gap : gaps.ofDevices) {
      if (gap.cause == cause) explained += gap.range.clippedTo(range).length();
    }
    EXPECT_GE(2 * explained, truth.idleNs);
    return;
  }
  const auto found =
      std::ranges::find(gaps.ofDevices, truth.beginNs, [](const IdleGap& gap) { return gap.range.begin; });
  ASSERT_NE(found, gaps.ofDevices.end());
  EXPECT_EQ(found->range.length(), truth.durationNs);
  EXPECT_EQ(gapCauseText(found->cause), gapCauseText(cause));
  EXPECT_TRUE(found->hostEvent.valid() || cause == GapCause::Untraced);
  // A gap that begins before the step's first mark is the one of before.
  ASSERT_TRUE(found->step);
  EXPECT_LE(steps[*found->step].number, truth.step);
}

} // namespace

TEST(IdleGaps, injectedCausesAreFoundWhereTheyAre) {
  for (const bool withStack : {false, true}) {
    for (const auto parallelism :
         {test::Parallelism::Data, test::Parallelism::FullySharded, test::Parallelism::Tensor}) {
      const test::TemporaryFolder folder;
      test::JobOptions options;
      options.ranks = 4;
      options.steps = 4;
      options.withStack = withStack;
      options.parallelism = parallelism;
      options.gaps = {GapRequest{0, 1, 3'000'000, test::GapCause::Sync},
                      GapRequest{1, 1, 2'000'000, test::GapCause::CudaMalloc},
                      GapRequest{2, 2, 4'000'000, test::GapCause::DataLoader},
                      GapRequest{0, 2, 2'500'000, test::GapCause::Python},
                      GapRequest{3, -1, 400'000, test::GapCause::Python},
                      GapRequest{1, 2, 1'500'000, test::GapCause::LaunchBound}};
      const test::JobTruth truth = generateJob(options, folder.path());
      Progress progress;
      const auto loaded = loadTraces({folder.path().string()}, {}, progress);
      ASSERT_TRUE(loaded.ok());
      const Analysis analysis(*loaded);
      std::size_t injected = 0;
      for (std::size_t i = 0; i < truth.files.size(); ++i) {
        SCOPED_TRACE(truth.files[i].file);
        const IdleGaps& gaps = analysis.gaps(RankIndex(i));
        TimeNs listed = gaps.shorter.time;
        for (const GapTotal& total : gaps.totals) listed += total.time;
        EXPECT_EQ(listed, truth.files[i].idleNs);
        for (const GapTruth& gap : truth.files[i].gaps) {
          SCOPED_TRACE(std::to_string(static_cast<int>(gap.cause)) + " in step " + std::to_string(gap.step));
          expectInjected(gaps, analysis.wholeStepWindows(RankIndex(i)).steps, gap, withStack);
          ++injected;
        }
      }
      EXPECT_GE(injected, 9U);
    }
  }
}

} // namespace rankscope
