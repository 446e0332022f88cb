// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/op_groups.h"

#include "core/analysis/operators/op_statistics.h"
#include "core/analysis/operators/stack_text.h"
#include "core/base/utf8.h"
#include "tests/unit/hand_made_job.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace rankscope {

namespace {

using Totals = std::map<std::pair<std::string, std::string>, TimeNs>;

struct Built {
  std::shared_ptr<const RankTrace> trace;
  StringTable names;
  OperatorTree tree;

  explicit Built(HandMadeRank rank) {
    StringInterner interner;
    trace = rank.build(interner);
    names = interner.snapshot();
    tree = operatorTree(*trace, names);
  }
  [[nodiscard]] Totals totals(const OperatorGroups& groups) const {
    Totals totals;
    for (const OperatorStatistics& op : operatorProfile(*trace, tree, names, groups).operators)
      totals[{std::string(names[op.name]), op.detail}] = op.hostTotal;
    return totals;
  }
  [[nodiscard]] Totals by(PythonDetail detail) const {
    return totals(groupByNameAndPython(*trace, tree, callTree(*trace), names, detail));
  }
};

// A forward pass through two modules on thread 1, its backward pass on thread 2, which has no frames.
HandMadeRank model() {
  HandMadeRank rank;
  rank.python(0, 1000, "train.py(10): step")
      .python(10, 400, "nn.Module: Net_0")
      .python(20, 100, "nn.Module: Linear_0")
      .python(25, 90, "torch/nn/modules/linear.py(114): forward")
      .python(30, 80, "<built-in function linear>")
      .python(200, 100, "nn.Module: Linear_1")
      .python(205, 90, "torch/nn/modules/linear.py(114): forward");
  rank.op(40, 20, "aten::linear").op(45, 10, "aten::mm").op(210, 40, "aten::linear").op(500, 7, "aten::add");
  rank.op(2000, 100, "AddmmBackward0", "2").op(2010, 30, "aten::mm", "2").arrow(40, "1", 2000, "2");
  return rank;
}

} // namespace

TEST(OperatorGroups, aTextOfTheFileTellsCallsOfOneNameApart) {
  HandMadeRank rank;
  rank.op(0, 10, "mm").op(20, 30, "mm").op(60, 40, "mm").op(200, 5, "add");
  const Built b(std::move(rank));
  const OperatorGroups groups = groupByNameAndText(
      *b.trace, b.tree, b.names,
      [&](std::span<const EventIndex> calls, const std::function<void(std::size_t, std::string_view)>& take) {
        for (std::size_t i = calls.size(); i-- > 0;) {
          if (b.names[b.trace->events.name[calls[i]]] != "mm") continue;
          take(i, b.trace->events.begin[calls[i]] == 20 ? "[8, 8]" : "[2, 2]");
        }
      });
  EXPECT_EQ(b.totals(groups), (Totals{{{"mm", "[2, 2]"}, 50}, {{"mm", "[8, 8]"}, 30}, {{"add", ""}, 5}}));
}

TEST(OperatorGroups, callsAreReadInTheOrderOfTheFile) {
  HandMadeRank rank;
  rank.op(500, 10, "late", "1").op(0, 10, "early", "2").op(100, 10, "between", "1");
  const Built b(std::move(rank));
  std::vector<SourceRef> places;
  (void)groupByNameAndText(*b.trace, b.tree, b.names, [&](std::span<const EventIndex> calls, const auto&) {
    for (const EventIndex call : calls) places.push_back(b.trace->events.source[call]);
  });
  EXPECT_EQ(places.size(), 3U);
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
}

TEST(OperatorGroups, byModuleWithTheBackwardPassWhereItsForwardWas) {
  EXPECT_EQ(Built(model()).by(PythonDetail::Module), (Totals{{{"aten::linear", "Net_0 / Linear_0"}, 20},
                                                             {{"aten::linear", "Net_0 / Linear_1"}, 40},
                                                             {{"aten::mm", "Net_0 / Linear_0"}, 40},
                                                             {{"AddmmBackward0", "Net_0 / Linear_0"}, 100},
                                                             {{"aten::add", ""}, 7}}));
}

TEST(OperatorGroups, bySourceLineThatIsNotTorchs) {
  EXPECT_EQ(Built(model()).by(PythonDetail::SourceLine),
            (Totals{{{"aten::linear", "train.py(10): step"}, 60},
                    {{"aten::mm", "train.py(10): step"}, 40},
                    {{"AddmmBackward0", "train.py(10): step"}, 100},
                    {{"aten::add", "train.py(10): step"}, 7}}));
}

TEST(OperatorGroups, byStack) {
  const Totals totals = Built(model()).by(PythonDetail::Stack);
  EXPECT_EQ(totals.at({"aten::linear", "train.py(10): step\nnn.Module: Net_0\nnn.Module: Linear_1\n"
                                       "torch/nn/modules/linear.py(114): forward"}),
            40);
  EXPECT_EQ(totals.at({"aten::add", "train.py(10): step"}), 7);
  EXPECT_EQ(totals.size(), 5U);
}

TEST(OperatorGroups, aStackThatNobodyCouldReadKeepsItsInnermostFramesAndReportsIt) {
  constexpr int kDepth = 100'000;
  HandMadeRank rank;
  for (int i = 0; i < kDepth; ++i) {
    rank.python(4 * i, 8LL * kDepth - 8 * i, "deep.py(7): frame_of_the_recursion");
    rank.op(4 * i + 1, 1, "aten::mm");
  }
  const Built b(std::move(rank));
  const OperatorGroups groups =
      groupByNameAndPython(*b.trace, b.tree, callTree(*b.trace), b.names, PythonDetail::Stack);
  ASSERT_EQ(groups.groups.size(), std::size_t{kDepth});
  EXPECT_EQ(groups.groups[0].detail, "deep.py(7): frame_of_the_recursion");
  EXPECT_EQ(groups.groups[1].detail,
            "deep.py(7): frame_of_the_recursion\ndeep.py(7): frame_of_the_recursion");
  std::size_t bytes = 0;
  for (const OperatorGroups::Group& group : groups.groups) bytes += group.detail.size();
  EXPECT_LT(bytes, std::size_t{300} << 20);
  const std::string& deepest = groups.groups.back().detail;
  const auto frames = static_cast<int>(std::ranges::count(deepest, '\n'));
  EXPECT_GT(frames, 50);
  EXPECT_TRUE(deepest.starts_with("… " + std::to_string(kDepth - frames) + " outer frames\ndeep.py(7): "));
  EXPECT_TRUE(deepest.ends_with("\ndeep.py(7): frame_of_the_recursion"));
}

TEST(OperatorGroups, aFrameThatNobodyCouldReadIsCutBetweenCharacters) {
  std::string name = "train.py(1): ";
  while (name.size() < 1'000'000) name += "ä";
  HandMadeRank rank;
  rank.python(0, 100, name).op(10, 10, "aten::mm");
  const Built b(std::move(rank));
  for (const PythonDetail detail : {PythonDetail::Stack, PythonDetail::SourceLine}) {
    const OperatorGroups groups = groupByNameAndPython(*b.trace, b.tree, callTree(*b.trace), b.names, detail);
    ASSERT_EQ(groups.groups.size(), 1U);
    const std::string& text = groups.groups[0].detail;
    EXPECT_LT(text.size(), 100'000U);
    EXPECT_TRUE(isValidUtf8(text));
    EXPECT_TRUE(text.starts_with("train.py(1): ää") && text.ends_with("ä…"));
  }
}

TEST(OperatorGroups, theTextOfACallsStackSaysWhatFramesSay) {
  const std::string text =
      "/env/site-packages/torch/nn/functional.py(1): linear;model.py(7): forward;train.py(9): "
      "<module>";
  EXPECT_EQ(detailOfStackText(text, PythonDetail::SourceLine), "model.py(7): forward");
  EXPECT_EQ(
      detailOfStackText(text, PythonDetail::Stack),
      "train.py(9): <module>\nmodel.py(7): forward\n/env/site-packages/torch/nn/functional.py(1): linear");
  EXPECT_EQ(detailOfStackText(text, PythonDetail::Module), "");
  EXPECT_EQ(detailOfStackText("", PythonDetail::Stack), "");
  EXPECT_EQ(detailOfStackText(";;", PythonDetail::SourceLine), "");
}

TEST(OperatorGroups, withoutFramesThereIsOneGroupAName) {
  HandMadeRank rank;
  rank.op(0, 10, "mm").op(20, 30, "mm");
  const Built b(std::move(rank));
  EXPECT_FALSE(hasPythonFrames(*b.trace));
  EXPECT_EQ(b.by(PythonDetail::Stack), (Totals{{{"mm", ""}, 40}}));
  EXPECT_TRUE(hasPythonFrames(*Built(model()).trace));
}

} // namespace rankscope
