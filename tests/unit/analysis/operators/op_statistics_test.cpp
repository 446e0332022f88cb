// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/op_statistics.h"

#include "core/model/captured_in.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>

namespace rankscope {

namespace {

struct Profiled {
  std::shared_ptr<const RankTrace> trace;
  StringTable names;
  OperatorTree tree;
  OperatorProfile profile;

  explicit Profiled(HandMadeRank rank, TimeRange window = kAllTime) {
    StringInterner interner;
    trace = rank.build(interner);
    names = interner.snapshot();
    tree = operatorTree(*trace, names);
    profile = operatorProfile(*trace, tree, names, window);
  }
  [[nodiscard]] OperatorStatistics of(std::string_view name) const {
    for (const OperatorStatistics& op : profile.operators) {
      if (names[op.name] == name) return op;
    }
    return {};
  }
};

RawDevice launchedBy(std::uint64_t correlation, std::uint64_t externalId = 0) {
  RawDevice detail;
  detail.correlation = correlation;
  detail.externalId = externalId;
  return detail;
}

TimeNs deviceTime(const RankTrace& trace) {
  TimeNs sum = 0;
  for (EventIndex e = trace.deviceBegin; e < trace.deviceEnd; ++e.value) sum += trace.events.duration[e];
  return sum;
}

// linear > addmm > launch of a tensor-core kernel; linear > copy's launch of its own.
HandMadeRank linearLayer() {
  HandMadeRank rank;
  rank.op(0, 100, "aten::linear")
      .op(10, 50, "aten::addmm")
      .runtime(20, 10, "cudaLaunchKernel", 7)
      .runtime(70, 5, "cudaMemcpyAsync", 8)
      .device(EventKind::Kernel, 7, 200, 40, "nvjet_a", launchedBy(7))
      .device(EventKind::Copy, 7, 250, 10, "Memcpy DtoD", launchedBy(8));
  return rank;
}

} // namespace

// Two launches of a graph of one kernel, the first in the window: the operator around its capture has its
// time, whatever launches the graph.
TEST(OperatorStatistics, replaysAreTheWorkOfTheOperatorsOfTheirCapture) {
  const auto rank = [] {
    HandMadeRank made;
    made.op(0, 100, "aten::linear")
        .op(10, 50, "aten::addmm", "1", kCapturedIn + 1)
        .op(200, 100, "replay")
        .runtime(210, 10, "cudaGraphLaunch", 7)
        .op(400, 100, "replay")
        .runtime(410, 10, "cudaGraphLaunch", 8)
        .device(EventKind::Kernel, 7, 230, 40, "nvjet_a", launchedBy(7, kCapturedIn + 1))
        .device(EventKind::Kernel, 7, 280, 3, "of no capture", launchedBy(7))
        .device(EventKind::Kernel, 7, 430, 50, "nvjet_a", launchedBy(8, kCapturedIn + 1));
    return made;
  };
  const Profiled all(rank());
  EXPECT_EQ(all.of("aten::addmm").deviceSelf, 90);
  EXPECT_EQ(all.of("aten::addmm").tensorCoreSelf, 90);
  EXPECT_EQ(all.of("aten::linear").deviceSelf, 0);
  EXPECT_EQ(all.of("aten::linear").deviceTotal, 90);
  EXPECT_EQ(all.of("replay").deviceTotal, 3);
  EXPECT_EQ(all.profile.unattributedDevice, 0);
  const Profiled part(rank(), {200, 400});
  EXPECT_EQ(part.of("aten::addmm").calls, 0);
  EXPECT_EQ(part.of("aten::addmm").deviceSelf, 40);
  EXPECT_EQ(part.of("aten::linear").deviceTotal, 40);
  EXPECT_EQ(part.of("replay").deviceTotal, 3);
}

TEST(OperatorStatistics, timesOfTheOperatorItselfAndWithWhatItCalls) {
  const Profiled p(linearLayer());
  const OperatorStatistics linear = p.of("aten::linear");
  EXPECT_EQ(linear.calls, 1);
  EXPECT_EQ(linear.hostTotal, 100);
  EXPECT_EQ(linear.hostSelf, 50); // launches are its own work
  EXPECT_EQ(linear.deviceSelf, 10);
  EXPECT_EQ(linear.deviceTotal, 50);
  EXPECT_EQ(linear.tensorCoreSelfPct(), 0.0);
  EXPECT_EQ(linear.tensorCoreTotalPct(), 80.0);
  const OperatorStatistics addmm = p.of("aten::addmm");
  EXPECT_EQ(addmm.hostSelf, 50);
  EXPECT_EQ(addmm.deviceSelf, 40);
  EXPECT_EQ(addmm.tensorCoreSelfPct(), 100.0);
  EXPECT_EQ(p.profile.unattributedEvents, 0);
  ASSERT_EQ(p.profile.operators.size(), 2U);
  EXPECT_EQ(p.names[p.profile.operators[0].name], "aten::addmm"); // more device time of its own
}

TEST(OperatorStatistics, withoutDeviceTimeThereIsNoShareOfIt) {
  HandMadeRank rank;
  rank.op(0, 100, "aten::add");
  const Profiled p(std::move(rank));
  EXPECT_FALSE(p.of("aten::add").tensorCoreSelfPct());
  EXPECT_FALSE(p.of("aten::add").tensorCoreTotalPct());
}

TEST(OperatorStatistics, eligibleByNameByWhatItCallsAndByWhatItLaunched) {
  HandMadeRank rank;
  rank.op(0, 100, "block").op(10, 50, "inner").op(20, 10, "aten::mm").op(70, 10, "aten::relu");
  rank.op(200, 50, "fused").runtime(210, 5, "cudaLaunchKernel", 9).op(300, 5, "plain");
  rank.device(EventKind::Kernel, 7, 400, 10, "sm90_fused", launchedBy(9));
  const Profiled p(std::move(rank));
  for (const char* name : {"block", "inner", "aten::mm", "fused"})
    EXPECT_TRUE(p.of(name).tensorCoreEligible) << name;
  for (const char* name : {"aten::relu", "plain"}) EXPECT_FALSE(p.of(name).tensorCoreEligible) << name;
}

TEST(OperatorStatistics, nestedCallsOfOneNameAreSummed) {
  HandMadeRank rank;
  rank.op(0, 100, "f").op(10, 60, "f").runtime(20, 5, "cudaLaunchKernel", 1);
  rank.device(EventKind::Kernel, 7, 300, 30, "k", launchedBy(1));
  const OperatorStatistics f = Profiled(std::move(rank)).of("f");
  EXPECT_EQ(f.calls, 2);
  EXPECT_EQ(f.hostTotal, 160);
  EXPECT_EQ(f.hostSelf, 100);
  EXPECT_EQ(f.deviceSelf, 30);
  EXPECT_EQ(f.deviceTotal, 60);
}

TEST(OperatorStatistics, recordsOfCollectivesAreOperatorsAndAnnotationsAreNot) {
  HandMadeRank rank;
  rank.op(0, 100, "c10d::allreduce_")
      .hostCollective(5, 90, "nccl:all_reduce")
      .hostCollective(10, 80, "record_param_comms")
      .runtime(20, 5, "cudaLaunchKernelExC", 1)
      .device(EventKind::Collective, 20, 50, 500, "ncclDevKernel", launchedBy(1));
  const Profiled p(std::move(rank));
  ASSERT_EQ(p.profile.operators.size(), 2U);
  EXPECT_EQ(p.of("record_param_comms").deviceSelf, 500);
  EXPECT_EQ(p.of("c10d::allreduce_").deviceTotal, 500);
  EXPECT_EQ(p.of("c10d::allreduce_").hostSelf, 20); // the annotation between them takes nothing away
}

TEST(OperatorStatistics, threadsDoNotMix) {
  HandMadeRank rank;
  rank.op(0, 100, "a", "1").op(10, 20, "b", "2").runtime(50, 5, "cudaLaunchKernel", 1, "3");
  rank.device(EventKind::Kernel, 7, 300, 30, "k", launchedBy(1));
  const Profiled p(std::move(rank));
  EXPECT_EQ(p.of("a").hostSelf, 100);
  EXPECT_EQ(p.of("a").deviceTotal, 0);
  EXPECT_EQ(p.profile.unattributedDevice, 30);
  EXPECT_EQ(p.profile.unattributedEvents, 1);
}

TEST(OperatorStatistics, aCrossingOperatorIsKeptBeside) {
  HandMadeRank rank;
  rank.op(0, 100, "outer").op(10, 30, "a").op(20, 40, "crossing").op(45, 10, "within crossing");
  const Profiled p(std::move(rank));
  EXPECT_EQ(p.of("a").hostSelf, 30);
  EXPECT_EQ(p.of("crossing").hostSelf, 30);
  EXPECT_EQ(p.of("outer").hostSelf, 30);
}

TEST(OperatorStatistics, aLaunchThatSticksOutBelongsToTheOperatorInWhichItBegins) {
  HandMadeRank rank;
  rank.op(0, 100, "outer").op(10, 30, "inner").runtime(38, 3, "cudaLaunchKernel", 1);
  rank.device(EventKind::Kernel, 7, 300, 30, "k", launchedBy(1));
  EXPECT_EQ(Profiled(std::move(rank)).of("inner").deviceSelf, 30);
}

TEST(OperatorStatistics, anExternalIdCountsOnlyWithoutALaunch) {
  HandMadeRank rank;
  rank.op(0, 100, "a", "1", 11).op(200, 100, "b", "1", 12).runtime(210, 5, "cudaLaunchKernel", 900);
  rank.device(EventKind::Kernel, 7, 400, 10, "k", launchedBy(900, 11)) // linked: to b, whatever the id says
      .device(EventKind::Kernel, 7, 500, 20, "k", launchedBy(901, 11));
  const Profiled p(std::move(rank));
  EXPECT_EQ(p.of("b").deviceSelf, 10);
  EXPECT_EQ(p.of("a").deviceSelf, 20);
}

TEST(OperatorStatistics, anExternalIdThatRepeatsTheCorrelationNamesNoOperator) {
  HandMadeRank rank;
  rank.op(0, 100, "a", "1", 11);
  rank.device(EventKind::Kernel, 7, 500, 20, "k", launchedBy(11, 11));
  const Profiled p(std::move(rank));
  EXPECT_EQ(p.of("a").deviceSelf, 0);
  EXPECT_EQ(p.profile.unattributedDevice, 20);
}

TEST(OperatorStatistics, aCallBelongsWholeToTheWindowInWhichItBegins) {
  HandMadeRank rank = linearLayer();
  rank.op(1000, 10, "aten::add");
  const Profiled inner(linearLayer(), {5, 15});
  EXPECT_EQ(inner.of("aten::addmm").hostTotal, 50);
  EXPECT_EQ(inner.of("aten::addmm").deviceSelf, 40); // though its kernel runs after the window
  EXPECT_EQ(inner.of("aten::linear").calls, 0);
  const Profiled before(std::move(rank), {0, 5});
  ASSERT_EQ(before.profile.operators.size(), 1U);
  EXPECT_EQ(before.of("aten::linear").hostSelf, 50);
}

namespace {

// Operators and launches that nest when crossing is false, and lie anywhere when it is true.
HandMadeRank randomRank(std::mt19937& random, bool crossing) {
  const auto upTo = [&](TimeNs limit) {
    return static_cast<TimeNs>(random() % static_cast<std::uint64_t>(limit));
  };
  HandMadeRank rank;
  std::uint32_t correlation = 1;
  for (int thread = 1; thread <= 2; ++thread) {
    const std::string tid = std::to_string(thread);
    std::vector<TimeRange> open{{0, 10'000}};
    for (int i = 0; i < 150; ++i) {
      TimeRange range{upTo(10'000), 0};
      range.end = range.begin + upTo(crossing ? 800 : 1500);
      const bool nests = std::ranges::all_of(open, [&](TimeRange o) {
        return range.end <= o.begin || range.begin >= o.end ||
               (o.begin <= range.begin && range.end <= o.end) ||
               (range.begin <= o.begin && o.end <= range.end);
      });
      if (!crossing && (!nests || range.empty())) continue;
      open.push_back(range);
      const auto kind = random() % 4;
      if (kind == 0) {
        rank.runtime(range.begin, range.length(), "cudaLaunchKernel", correlation, tid);
        if (random() % 4 != 0) {
          rank.device(EventKind::Kernel, 7, 20'000 + upTo(9000), upTo(50), random() % 2 ? "k" : "nvjet",
                      launchedBy(correlation));
        }
        ++correlation;
      } else if (kind == 1 && random() % 3 == 0) {
        rank.hostCollective(range.begin, range.length(), "nccl:all_reduce", tid);
      } else {
        rank.op(range.begin, range.length(), "op" + std::to_string(random() % 6), tid);
      }
    }
  }
  rank.device(EventKind::Set, 7, 40'000, 33, "lost", launchedBy(999'999));
  return rank;
}

// By looking at every event of the upper rows.
EventIndex slowEnclosing(const RankTrace& trace, const StringTable& names, EventIndex event) {
  const Track& track = trace.tracks[trace.trackOf(event).value];
  const RowIndex row = trace.rowOf(event);
  const TimeRange range = trace.events.range(event);
  EventIndex found;
  for (std::uint32_t upper = track.firstRow.value; upper < row.value; ++upper) {
    const Row& events = trace.rows[upper];
    for (EventIndex e = events.firstEvent; e < events.endEvent; ++e.value) {
      const TimeRange outer = trace.events.range(e);
      const bool whole = trace.events.kind[event] == EventKind::Runtime || range.end <= outer.end;
      if (isOperator(trace, names, e) && outer.contains(range.begin) && whole) found = e;
    }
  }
  return found;
}

} // namespace

class RandomOperators : public testing::TestWithParam<bool> {};

TEST_P(RandomOperators, agreeWithLookingAtEveryEvent) {
  std::mt19937 random(GetParam() ? 7 : 3);
  for (int round = 0; round < 40; ++round) {
    const Profiled p(randomRank(random, GetParam()));
    std::map<std::string, OperatorStatistics> expected;
    for (const Track& track : p.trace->tracks) {
      if (track.kind != TrackKind::Thread) continue;
      for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) {
        const EventIndex around = slowEnclosing(*p.trace, p.names, e);
        ASSERT_EQ(p.tree.enclosingOf(e), around);
        if (!isOperator(*p.trace, p.names, e)) continue;
        const TimeNs duration = p.trace->events.duration[e];
        OperatorStatistics& own = expected[std::string(p.names[p.trace->events.name[e]])];
        ++own.calls;
        own.hostTotal += duration;
        own.hostSelf += duration;
        if (around.valid()) expected[std::string(p.names[p.trace->events.name[around]])].hostSelf -= duration;
      }
    }
    for (EventIndex k = p.trace->deviceBegin; k < p.trace->deviceEnd; ++k.value) {
      const EventIndex launch = p.trace->deviceDetail(k).launch;
      if (!launch.valid()) continue;
      bool self = true;
      for (EventIndex op = slowEnclosing(*p.trace, p.names, launch); op.valid();
           op = slowEnclosing(*p.trace, p.names, op)) {
        OperatorStatistics& own = expected[std::string(p.names[p.trace->events.name[op]])];
        if (self) own.deviceSelf += p.trace->events.duration[k];
        own.deviceTotal += p.trace->events.duration[k];
        self = false;
      }
    }
    TimeNs attributed = 0;
    for (const OperatorStatistics& op : p.profile.operators) {
      const OperatorStatistics& e = expected[std::string(p.names[op.name])];
      EXPECT_EQ(std::tuple(op.calls, op.hostSelf, op.hostTotal, op.deviceSelf, op.deviceTotal),
                std::tuple(e.calls, e.hostSelf, e.hostTotal, e.deviceSelf, e.deviceTotal));
      EXPECT_LE(op.deviceSelf, op.deviceTotal);
      EXPECT_LE(op.tensorCoreTotal, op.deviceTotal);
      if (!GetParam()) {
        EXPECT_GE(op.hostSelf, 0);
      }
      attributed += op.deviceSelf;
    }
    EXPECT_EQ(p.profile.operators.size(), expected.size());
    EXPECT_EQ(attributed + p.profile.unattributedDevice, deviceTime(*p.trace));
    EXPECT_GE(p.profile.unattributedDevice, 33);
  }
}

TEST_P(RandomOperators, windowsSideBySideAddUp) {
  std::mt19937 random(11);
  for (int round = 0; round < 10; ++round) {
    const Profiled all(randomRank(random, GetParam()));
    std::map<NameId, std::pair<std::int64_t, TimeNs>> sums;
    TimeNs unattributed = 0;
    for (const TimeRange window : {TimeRange{kAllTime.begin, 3000}, {3000, 6500}, {6500, kAllTime.end}}) {
      const OperatorProfile part = operatorProfile(*all.trace, all.tree, all.names, window);
      for (const OperatorStatistics& op : part.operators) {
        sums[op.name].first += op.calls;
        sums[op.name].second += op.deviceTotal;
      }
      unattributed += part.unattributedDevice;
    }
    for (const OperatorStatistics& op : all.profile.operators)
      EXPECT_EQ(sums[op.name], std::pair(op.calls, TimeNs{op.deviceTotal}));
    EXPECT_EQ(unattributed, all.profile.unattributedDevice);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, RandomOperators, testing::Bool(),
                         [](const auto& crossing) { return crossing.param ? "crossing" : "nested"; });

} // namespace rankscope
