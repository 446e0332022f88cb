// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/call_tree.h"

#include "core/analysis/operators/operator_tree.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

namespace rankscope {

namespace {

struct Built {
  std::shared_ptr<const RankTrace> trace;
  StringTable names;
  CallTree tree;

  explicit Built(HandMadeRank rank) {
    StringInterner interner;
    trace = rank.build(interner);
    names = interner.snapshot();
    tree = callTree(*trace);
  }
  // "step / forward / aten::mm" of a node.
  [[nodiscard]] std::string path(std::uint32_t node) const {
    std::string text;
    for (; node != CallTree::kRoot; node = tree.nodes[node].parent)
      text = std::string(names[tree.nodes[node].name]) + (text.empty() ? "" : " / ") + text;
    return text;
  }
  // The paths of all calls of a name, by begin.
  [[nodiscard]] std::map<TimeNs, std::string> pathsOf(std::string_view name) const {
    std::map<TimeNs, std::string> paths;
    for (EventIndex event{0}; event.value < trace->events.size(); ++event.value) {
      if (names[trace->events.name[event]] == name) paths[trace->events.begin[event]] = path(tree.of(event));
    }
    return paths;
  }
};

using Paths = std::map<TimeNs, std::string>;

} // namespace

TEST(CallTree, nestsFramesAnnotationsOperatorsAndRuntimeCalls) {
  HandMadeRank rank;
  rank.annotation(0, 1000, "ProfilerStep#1")
      .python(10, 500, "train.py(3): step")
      .annotation(20, 400, "forward");
  rank.python(30, 100, "nn.Module: Linear_0").op(40, 50, "aten::mm").runtime(45, 5, "cudaLaunchKernel");
  const Built b(std::move(rank));
  EXPECT_EQ(b.pathsOf("cudaLaunchKernel"),
            (Paths{{45, "ProfilerStep#1 / train.py(3): step / forward / nn.Module: Linear_0 / aten::mm / "
                        "cudaLaunchKernel"}}));
}

TEST(CallTree, callsOfOneNameFromOnePlaceShareTheirNodeWhateverTheThread) {
  HandMadeRank rank;
  rank.op(0, 100, "outer").op(10, 10, "aten::mm").op(30, 10, "aten::mm").op(200, 10, "aten::mm");
  rank.op(0, 100, "outer", "2").op(10, 10, "aten::mm", "2");
  const Built b(std::move(rank));
  std::set<std::uint32_t> nodes(b.tree.nodeOf.begin(), b.tree.nodeOf.end());
  // outer, outer / aten::mm, and aten::mm by itself.
  EXPECT_EQ(nodes.size(), 3U);
  EXPECT_EQ(b.tree.nodes.size(), 4U);
  EXPECT_EQ(b.pathsOf("aten::mm"),
            (Paths{{10, "outer / aten::mm"}, {30, "outer / aten::mm"}, {200, "aten::mm"}}));
}

TEST(CallTree, recursionIsAChain) {
  HandMadeRank rank;
  rank.python(0, 100, "f").python(10, 80, "f").python(20, 60, "f");
  const Built b(std::move(rank));
  EXPECT_EQ(b.pathsOf("f"), (Paths{{0, "f"}, {10, "f / f"}, {20, "f / f / f"}}));
}

TEST(CallTree, whatCrossesTheEndOfAnEventIsNoPartOfIt) {
  // An annotation begins inside the frame that opens it and ends inside the one that closes it.
  HandMadeRank rank;
  rank.python(0, 1000, "train").python(100, 50, "__enter__").annotation(120, 300, "forward");
  rank.python(130, 10, "inside __enter__").python(200, 100, "model").python(400, 50, "__exit__");
  rank.python(430, 10, "inside __exit__");
  const Built b(std::move(rank));
  EXPECT_EQ(b.pathsOf("forward"), (Paths{{120, "train / forward"}}));
  EXPECT_EQ(b.pathsOf("model"), (Paths{{200, "train / forward / model"}}));
  EXPECT_EQ(b.pathsOf("__exit__"), (Paths{{400, "train / __exit__"}}));
  EXPECT_EQ(b.pathsOf("inside __exit__"), (Paths{{430, "train / __exit__ / inside __exit__"}}));
}

TEST(CallTree, aRuntimeCallBelongsToWhatIsOpenWhenItBegins) {
  HandMadeRank rank;
  rank.op(0, 100, "outer").op(10, 20, "aten::mm").runtime(28, 4, "cudaLaunchKernel").op(40, 10, "aten::add");
  const Built b(std::move(rank));
  EXPECT_EQ(b.pathsOf("cudaLaunchKernel"), (Paths{{28, "outer / aten::mm / cudaLaunchKernel"}}));
  EXPECT_EQ(b.pathsOf("aten::add"), (Paths{{40, "outer / aten::add"}}));
}

TEST(CallTree, ofEqualSpansFramesAreOutsideAnnotationsAndThoseOutsideOperators) {
  HandMadeRank rank;
  rank.op(0, 100, "aten::mm").annotation(0, 100, "forward").python(0, 100, "frame");
  EXPECT_EQ(Built(std::move(rank)).pathsOf("aten::mm"), (Paths{{0, "frame / forward / aten::mm"}}));
}

TEST(CallTree, parentsStandBeforeTheirChildrenAndDeviceEventsHaveNoNode) {
  HandMadeRank rank;
  rank.op(0, 100, "b").op(10, 50, "a").launched(20, 7, 30, 40, "kernel").op(0, 10, "c", "2");
  const Built b(std::move(rank));
  for (std::size_t i = 1; i < b.tree.nodes.size(); ++i) EXPECT_LT(b.tree.nodes[i].parent, i);
  for (EventIndex event = b.trace->deviceBegin; event < b.trace->deviceEnd; ++event.value)
    EXPECT_EQ(b.tree.of(event), CallTree::kRoot);
  EXPECT_EQ(callTree(RankTrace()).nodes.size(), 1U);
}

TEST(CallTree, manyCrossingEventsAreSiblings) {
  HandMadeRank rank;
  for (TimeNs i = 0; i < 2000; ++i) rank.annotation(i, 3000, "a" + std::to_string(i));
  const Built b(std::move(rank));
  ASSERT_EQ(b.tree.nodes.size(), 2001U);
  for (std::size_t i = 1; i < b.tree.nodes.size(); ++i) EXPECT_EQ(b.tree.nodes[i].parent, CallTree::kRoot);
}

// Deeper than any stack of calls would let a recursion go, and too many for a walk up from each.
TEST(CallTree, nestingIsAsDeepAsItComes) {
  constexpr std::uint32_t kDepth = 100'000;
  HandMadeRank rank;
  for (TimeNs i = 0; i < kDepth; ++i) rank.python(i, 4 * kDepth - 2 * i, i % 2 == 0 ? "f" : "g");
  rank.op(2 * kDepth, 5, "aten::mm");
  const Built b(std::move(rank));
  ASSERT_EQ(b.tree.nodes.size(), kDepth + 2);
  for (std::uint32_t i = 1; i < b.tree.nodes.size(); ++i) ASSERT_EQ(b.tree.nodes[i].parent, i - 1);
  EXPECT_EQ(b.names[b.tree.nodes.back().name], "aten::mm");
}

} // namespace rankscope
