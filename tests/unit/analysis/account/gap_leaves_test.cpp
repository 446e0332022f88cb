// SPDX-License-Identifier: GPL-3.0-or-later
// Which leaf a gap of the device is in: one gap of 100 us to 4 ms, and what the host did meanwhile. Covers
// core/analysis/account/host_marks.
#include "core/analysis/account/gap_leaves.h"

#include "core/analysis/account/attribution.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace rankscope {

namespace {

constexpr TimeNs kBegin = 100 * kUs; // of the gap
constexpr TimeNs kEnd = 4'000 * kUs;

// A kernel until the gap begins, and one that is launched shortly before it ends.
HandMadeRank lateRank(TimeNs call = kEnd - 10 * kUs, const std::string& thread = "1") {
  HandMadeRank rank;
  rank.op(0, 15 * kUs, "aten::relu");
  rank.launched(10 * kUs, 7, 20 * kUs, 80 * kUs, "first");
  rank.launched(call, 7, kEnd, 50 * kUs, "second", thread);
  return rank;
}

// The leaf that holds the middle of the gap, and the event that stands for it.
std::pair<std::string, std::string> leafAndEvent(HandMadeRank rank) {
  HandMadeJob job;
  job.add(0, std::move(rank));
  const auto trace = job.build();
  const Analysis analysis(trace);
  const RankAccount account = rankAccount(analysis, RankIndex(0), accountFacts(analysis, 1));
  std::pair<std::string, std::string> found;
  account.pieces.forEachWithin(
      {(kBegin + kEnd) / 2, (kBegin + kEnd) / 2 + 1}, [&](TimeRange, const TimePieces::Piece& piece) {
        EXPECT_EQ(piece.timeClass, TimeClass::Idle);
        found.first = leafText(piece.leaf);
        if (piece.event.valid())
          found.second = trace->names()[trace->rank(RankIndex(0)).trace->events.name[piece.event]];
      });
  return found;
}

std::string leafOf(HandMadeRank rank) {
  return leafAndEvent(std::move(rank)).first;
}

HandMadeRank busy(HandMadeRank rank, const std::string& thread = "1") {
  rank.op(kBegin + 10 * kUs, kEnd - kBegin - 30 * kUs, "aten::conv2d", thread);
  return rank;
}

} // namespace

TEST(GapLeaves, theHostWasLaunchingAsFastAsItCould) {
  EXPECT_EQ(leafOf(busy(lateRank())), "host.dispatch.forward");
  HandMadeRank backward = busy(lateRank());
  backward.annotation(50 * kUs, kEnd, "backward");
  EXPECT_EQ(leafOf(std::move(backward)), "host.dispatch.backward");
  HandMadeRank optimizer = busy(lateRank());
  optimizer.annotation(50 * kUs, kEnd, "Optimizer.step#SGD.step");
  EXPECT_EQ(leafOf(std::move(optimizer)), "host.dispatch.optimizer");
  HandMadeRank outside = busy(lateRank());
  outside.annotation(0, 15 * kUs, "forward");
  EXPECT_EQ(leafOf(std::move(outside)), "host.dispatch.other");
}

TEST(GapLeaves, theThreadOfAutogradRunsTheBackwardPass) {
  HandMadeRank rank = busy(lateRank(kEnd - 10 * kUs, "2"), "2");
  rank.op(kEnd + 60 * kUs, 10 * kUs, "autograd::engine::evaluate_function: MmBackward0", "2");
  rank.annotation(0, kEnd + 200 * kUs, "ProfilerStep#1").annotation(0, kEnd, "forward");
  EXPECT_EQ(leafOf(std::move(rank)), "host.dispatch.backward");
}

TEST(GapLeaves, aParallelModelHandsItsBuffersRoundBeforeItRuns) {
  const auto rankBeginningWith = [](const std::string& first) {
    HandMadeRank rank = lateRank();
    rank.annotation(50 * kUs, kEnd, "DistributedDataParallel.forward");
    rank.op(200 * kUs, 3'700 * kUs, first);
    rank.op(kEnd + 10 * kUs, 20 * kUs, "aten::conv2d");
    return rank;
  };
  EXPECT_EQ(leafOf(rankBeginningWith("aten::flatten_dense_tensors")), "host.dispatch.ddp");
  EXPECT_EQ(leafOf(rankBeginningWith("aten::linear")), "host.dispatch.forward");
}

TEST(GapLeaves, theHostReturnsFromWaitingForTheDevice) {
  HandMadeRank rank = lateRank();
  rank.runtime(50 * kUs, 60 * kUs, "cudaStreamSynchronize").python(0, kEnd, "train.py(10): log");
  EXPECT_EQ(leafAndEvent(std::move(rank)),
            (std::pair<std::string, std::string>("host.sync", "cudaStreamSynchronize")));
  // One that found nothing to wait for is not the reason.
  HandMadeRank idle = lateRank();
  idle.runtime(300 * kUs, 5 * kUs, "cudaStreamSynchronize").python(0, kEnd, "train.py(10): log");
  EXPECT_EQ(leafOf(std::move(idle)), "host.python");
  HandMadeRank barrier = lateRank();
  barrier.op(30 * kUs, 90 * kUs, "c10d::barrier").runtime(50 * kUs, 60 * kUs, "cudaStreamSynchronize");
  EXPECT_EQ(leafOf(std::move(barrier)), "host.comm");
}

TEST(GapLeaves, theFirstReasonThatHoldsIsTaken) {
  HandMadeRank rank = lateRank();
  rank.runtime(50 * kUs, 60 * kUs, "cudaStreamSynchronize");
  rank.annotation(200 * kUs, 3'000 * kUs, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  EXPECT_EQ(leafOf(std::move(rank)), "host.input");
  HandMadeRank allocating = lateRank();
  allocating.annotation(200 * kUs, 3'000 * kUs, "enumerate(DataLoader)#x.__next__");
  allocating.runtime(300 * kUs, 2'500 * kUs, "cudaMalloc");
  EXPECT_EQ(leafOf(std::move(allocating)), "host.alloc");
  HandMadeRank saving = lateRank();
  saving.python(200 * kUs, 3'000 * kUs, "torch/serialization.py(892): save");
  EXPECT_EQ(leafOf(std::move(saving)), "host.checkpoint");
  HandMadeRank collecting = lateRank();
  collecting.python(200 * kUs, 3'000 * kUs, "<built-in function collect>");
  EXPECT_EQ(leafOf(std::move(collecting)), "host.gc");
}

TEST(GapLeaves, onlyLongCompilationIsCompilation) {
  HandMadeRank rank;
  rank.launched(10 * kUs, 7, 20 * kUs, 80 * kUs, "first");
  rank.launched(7'990 * kUs, 7, 8'000 * kUs, 50 * kUs, "second");
  rank.op(kBegin, 7'800 * kUs, "compile_fx (dynamo_timed)");
  EXPECT_EQ(leafOf(std::move(rank)), "host.compile");
  HandMadeRank running = lateRank();
  running.op(kBegin, 3'800 * kUs, "Torch-Compiled Region: 0/0");
  EXPECT_EQ(leafOf(std::move(running)), "host.dispatch.forward");
}

TEST(GapLeaves, aHostWithoutOperatorsIsInPythonOrNotRunning) {
  HandMadeRank python = lateRank();
  python.python(0, kEnd, "train.py(10): train");
  EXPECT_EQ(leafOf(std::move(python)), "host.python");
  EXPECT_EQ(leafOf(lateRank()), "host.descheduled");
}

TEST(GapLeaves, whatWasLaunchedInTimeIsNotTheHostsFault) {
  EXPECT_EQ(leafOf(lateRank(30 * kUs)), "queue.unexplained");
  HandMadeRank brief;
  brief.launched(10 * kUs, 7, 20 * kUs, 2'026 * kUs, "first");
  brief.launched(2'030 * kUs, 7, 2'060 * kUs, 50 * kUs, "second");
  EXPECT_EQ(leafOf(std::move(brief)), "queue.latency");
}

TEST(GapLeaves, shortGapsAreLatencyWhateverTheHostDid) {
  HandMadeRank rank;
  rank.launched(10 * kUs, 7, 20 * kUs, 2'028 * kUs, "first");
  rank.launched(2'049 * kUs, 7, 2'052 * kUs, 50 * kUs, "second");
  EXPECT_EQ(leafOf(std::move(rank)), "queue.latency");
}

TEST(GapLeaves, workFromBeforeTheRecordingIsItsEdge) {
  // Queued before anybody waited, and begun when that wait is over.
  HandMadeRank rank = lateRank(30 * kUs);
  rank.runtime(60 * kUs, kEnd - 60 * kUs + 20 * kUs, "cudaStreamSynchronize");
  EXPECT_EQ(leafOf(std::move(rank)), "capture.edge");
  // The same after somebody has waited once: what ran before the recording is over.
  HandMadeRank later = lateRank(56 * kUs);
  later.runtime(0, 55 * kUs, "cudaDeviceSynchronize");
  later.runtime(60 * kUs, kEnd - 60 * kUs + 20 * kUs, "cudaStreamSynchronize");
  EXPECT_EQ(leafOf(std::move(later)), "queue.unexplained");
  // Nothing says what the host did before its first event.
  HandMadeRank first;
  first.launched(kEnd - 10 * kUs, 7, kEnd, 50 * kUs, "first").annotation(0, kEnd, "train");
  EXPECT_EQ(leafOf(std::move(first)), "capture.edge");
  // A device that is waited for from the first instant on is busy.
  HandMadeRank waited;
  waited.runtime(0, kEnd - 40 * kUs, "cudaDeviceSynchronize");
  waited.launched(kEnd - 10 * kUs, 7, kEnd, 50 * kUs, "first");
  EXPECT_EQ(leafOf(std::move(waited)), "capture.edge");
  // Python before the first kernel is the host's.
  HandMadeRank preparing;
  preparing.launched(kEnd - 10 * kUs, 7, kEnd, 50 * kUs, "first").python(0, kEnd, "processor.py(7): resize");
  EXPECT_EQ(leafOf(std::move(preparing)), "host.python");
}

TEST(GapLeaves, startUpIsAskedForBeforeAnyFaultOfTheHost) {
  HandMadeRank rank = lateRank();
  rank.runtime(300 * kUs, 3'000 * kUs, "cuModuleLoadData");
  EXPECT_EQ(leafOf(std::move(rank)), "capture.init");
  HandMadeRank later = lateRank();
  later.annotation(0, 50 * kUs, "ProfilerStep#1").annotation(51 * kUs, kEnd, "ProfilerStep#2");
  later.runtime(300 * kUs, 3'000 * kUs, "cuModuleLoadData");
  EXPECT_NE(leafOf(std::move(later)), "capture.init");
}

} // namespace rankscope
