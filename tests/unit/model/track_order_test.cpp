// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/track_order.h"

#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/report_of.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace rankscope {

namespace {

std::string mainThreadOf(HandMadeRank& rank) {
  StringInterner names;
  const auto trace = rank.build(names);
  for (const Track& track : trace->tracks)
    if (track.mainThread) return track.thread;
  return {};
}

// Operators, of which autograd often has more than the loop.
void addOperators(HandMadeRank& rank, const std::string& thread, int count) {
  for (TimeNs i = 0; i < count; ++i) rank.op(10 * i, 5, "operator", thread);
}

} // namespace

TEST(TrackOrder, theFirstThreadOfTheProcessRunsTheLoopIfNoStepIsMarked) {
  HandMadeRank rank; // process 100
  addOperators(rank, "100", 20);
  addOperators(rank, "7", 30);
  EXPECT_EQ(mainThreadOf(rank), "100");

  HandMadeRank bystander; // of a server, whose threads run the model
  addOperators(bystander, "100", 1);
  addOperators(bystander, "7", 30);
  EXPECT_EQ(mainThreadOf(bystander), "7");

  HandMadeRank marked;
  addOperators(marked, "100", 30);
  marked.annotation(0, 100, "ProfilerStep#3", "7");
  EXPECT_EQ(mainThreadOf(marked), "7");
}

TEST(TrackOrder, pythonFramesTellTheLoopWhereNoThreadIsTheFirstOfItsProcess) {
  HandMadeRank rank;
  addOperators(rank, "2", 20);
  addOperators(rank, "7", 30);
  rank.python(0, 100, "train.py(10): main", "2").python(0, 100, "<frozen runpy>(1): run", "0");
  EXPECT_EQ(mainThreadOf(rank), "2");
}

TEST(TrackOrder, autogradRunsNoLoopWhateverElseItsThreadIsNamed) {
  // The thread has the name of the process until it names itself; files differ in the order of both.
  constexpr std::int64_t kProcess = 100;
  for (const bool workFirst : {true, false}) {
    test::TraceText text;
    for (TimeNs i = 0; i < 20; ++i) text.addCpuOp(2, 10'000 * i, 5'000, "aten::mm");
    for (TimeNs i = 0; i < 30; ++i) text.addCpuOp(7, 10'000 * i, 5'000, "MmBackward0");
    for (const bool byWork : {workFirst, !workFirst})
      text.addThreadName(kProcess, 7, byWork ? "thread 7 (pt_autograd_0)" : "thread 7 (python3)");
    const test::TemporaryFolder folder;
    test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
    const auto report = reportOf(folder.path());
    std::size_t threads = 0;
    for (const Track& track : report->analysis().trace().rank(RankIndex(0)).trace->tracks) {
      if (track.kind != TrackKind::Thread) continue;
      ++threads;
      EXPECT_EQ(track.mainThread, track.thread == "2");
      if (track.thread == "7") {
        EXPECT_EQ(track.threadName, "thread 7 (pt_autograd_0)");
      }
    }
    EXPECT_EQ(threads, 2U);
  }
}

TEST(TrackOrder, threadsBeyondTheMostShareATrackAndAreReported) {
  constexpr int kBeyond = 50;
  const int threads = static_cast<int>(kMaxTracks) + kBeyond;
  HandMadeRank rank;
  for (TimeNs t = 0; t < threads; ++t) rank.op(10 * t, 5, "operator", std::to_string(t));
  rank.annotation(0, 100, "step", "3").annotation(50, 10, "step", std::to_string(threads - 1));
  StringInterner names;
  const auto trace = rank.build(names);
  EXPECT_EQ(trace->events.size(), static_cast<std::size_t>(threads) + 2);
  const auto isThread = [](const Track& track) { return track.kind == TrackKind::Thread; };
  ASSERT_EQ(std::ranges::count_if(trace->tracks, isThread), static_cast<std::ptrdiff_t>(kMaxTracks) + 1);
  const auto rest =
      std::ranges::find_if(trace->tracks, [](const Track& track) { return track.process.empty(); });
  ASSERT_NE(rest, trace->tracks.end());
  EXPECT_EQ(rest->kind, TrackKind::Thread);
  EXPECT_EQ(rest->endEvent.value - rest->firstEvent.value, static_cast<std::uint32_t>(kBeyond));
  EXPECT_EQ(trace->events.begin[rest->firstEvent], 10 * static_cast<TimeNs>(kMaxTracks));
  EXPECT_EQ(trace->diagnostics.count(DiagnosticKind::Repaired), static_cast<std::uint64_t>(kBeyond));
  // Another kind of track has room: those that are few keep their own.
  EXPECT_EQ(
      std::ranges::count_if(trace->tracks, [](const Track& t) { return t.kind == TrackKind::Annotations; }),
      2);
}

TEST(TrackOrder, asManyAsAreToldApartNeedNoCommonTrack) {
  HandMadeRank rank;
  for (std::size_t t = 0; t < kMaxTracks; ++t) rank.op(0, 5, "operator", std::to_string(t));
  StringInterner names;
  const auto trace = rank.build(names);
  EXPECT_EQ(trace->tracks.size(), kMaxTracks);
  EXPECT_EQ(trace->diagnostics.count(DiagnosticKind::Repaired), 0U);
}

} // namespace rankscope
