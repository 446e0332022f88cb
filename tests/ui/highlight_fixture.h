// SPDX-License-Identifier: GPL-3.0-or-later
// A small job with highlights: every rank idles from 4 to 6 ms while the host loads data, and the last one
// arrives at its AllReduces later than the others. Times are those of timeline_fixture.h.
#pragma once

#include "tests/ui/timeline_fixture.h"
#include "ui/job/job_highlights.h"

namespace rankscope::ui::test_timeline {

inline constexpr int kStream = 7;
inline constexpr int kNcclStream = 20;

// Two AllReduces: begun by the last rank at 8.5 and 9.4 ms, by the others at 6 and 9.2 ms (each 10 us after
// the one before it); all end them at 9 and 9.6 ms. Each rank computes from 1 to 4 and from 6 to 7 ms.
// Each of the steps, which last 10 ms, is like the first.
inline std::string waitingRankText(int rank, int ranks, int steps = 1) {
  const bool last = rank == ranks - 1;
  const auto arrival = [&](TimeNs early, TimeNs late) { return last ? late : early + TimeNs{rank} * 10'000; };
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(rank, ranks);
  for (int step = 0; step < steps; ++step) {
    const TimeNs at = TimeNs{step} * 10 * kMs;
    const int launch = 100 * step + 11;
    trace.addStep(step + 1, at, 10 * kMs);
    trace.addCpuOp(kMainThread, at + kMs / 2, 400'000, "aten::mm");
    trace.addRuntime(kMainThread, at + kMs / 2 + 2000, 20'000, "cudaLaunchKernel", launch);
    trace.addKernel(0, kStream, at + kMs, 3 * kMs, "gemm_kernel", launch);
    trace.addAnnotation(kMainThread, at + 3 * kMs, 5 * kMs / 2,
                        "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
    trace.addCpuOp(kMainThread, at + 56 * kMs / 10, 300'000, "aten::relu");
    trace.addRuntime(kMainThread, at + 57 * kMs / 10, 20'000, "cudaLaunchKernel", launch + 1);
    trace.addKernel(0, kStream, at + 6 * kMs, kMs, "relu_kernel", launch + 1);
    trace.addCpuOp(kMainThread, at + 591 * kMs / 100, 60'000, "nccl:all_reduce");
    trace.addRuntime(kMainThread, at + 592 * kMs / 100, 20'000, "cudaLaunchKernel", launch + 2);
    const TimeNs first = arrival(6 * kMs, 85 * kMs / 10);
    trace.addCollective(0, kNcclStream, at + first, 9 * kMs - first, "allreduce", 1 << 20, ranks, launch + 2);
    const TimeNs second = arrival(92 * kMs / 10, 94 * kMs / 10);
    trace.addCollective(0, kNcclStream, at + second, 96 * kMs / 10 - second, "allreduce", 4096, ranks);
  }
  return trace.text();
}

inline std::shared_ptr<const TraceSet> loadWaitingRanks(int ranks, int steps = 1) {
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) texts.push_back(waitingRankText(rank, ranks, steps));
  return load(texts);
}

// The timeline with everything known about the job.
struct Highlighted : Shown {
  explicit Highlighted(std::shared_ptr<const TraceSet> trace) : Shown(std::move(trace)) {
    session.setHighlights(
        std::make_shared<const JobHighlights>(std::make_shared<const JobReport>(session.analysis())));
    QApplication::processEvents();
  }

  [[nodiscard]] const JobHighlights& highlights() const { return *session.highlights(); }
  // The nth collective of a rank.
  [[nodiscard]] EventRef collective(std::size_t rank, std::size_t nth = 0) const {
    return {RankIndex(rank), session.analysis()->collectiveCalls(RankIndex(rank))[nth].event};
  }
  // A point of the lane in which a rank's idle time is drawn.
  [[nodiscard]] QPoint pointInGap(TimeNs sinceOrigin, std::size_t rank = 0) {
    const EventRef kernel = find("gemm_kernel", rank);
    return {static_cast<int>(canvas().xOf(origin() + sinceOrigin)), pointOn(kernel).y()};
  }
};

} // namespace rankscope::ui::test_timeline
