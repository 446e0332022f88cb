// SPDX-License-Identifier: GPL-3.0-or-later
// Rules of stacks on small jobs, and the formats that they are written in.
// Covers core/analysis/stacks/call_nesting.h, core/analysis/stacks/stack_tree.h,
// core/analysis/stacks/rank_stacks.h, core/analysis/stacks/torch_stacks.h,
// core/analysis/stacks/module_tree.h, core/analysis/stacks/frame_names.h,
// core/analysis/stacks/stack_difference.h, core/analysis/stacks/stack_filter.h, core/export/gzip.h and
// core/report/stack_files.h.
#include "core/analysis/stacks/call_nesting.h"
#include "core/analysis/stacks/frame_names.h"
#include "core/analysis/stacks/job_stacks.h"
#include "core/analysis/stacks/module_tree.h"
#include "core/analysis/stacks/stack_filter.h"
#include "core/analysis/stacks/torch_stacks.h"
#include "core/export/csv.h"
#include "core/export/gzip.h"
#include "core/io/files/file_bytes.h"
#include "core/report/stack_files.h"
#include "core/report/stack_lines.h"
#include "tests/unit/hand_made_job.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace rankscope {

namespace {

std::shared_ptr<const Analysis> analysisOf(HandMadeRank rank) {
  return std::make_shared<const Analysis>(HandMadeJob().add(0, std::move(rank)).build());
}

std::string folded(const Analysis& analysis, StackWeight weight, const StackOptions& options = {},
                   bool bySteps = false) {
  return foldedText(weighedStacks(analysis, weight, options, bySteps, 2));
}

std::string inflated(const std::string& bytes) {
  Inflater inflater(std::span<const char>(bytes.data(), bytes.size()));
  std::string text(1U << 20U, '\0');
  text.resize(inflater.read(std::span<char>(text.data(), text.size())));
  EXPECT_EQ(inflater.problem(), "");
  return text;
}

// Fields of a message of protocol buffers: number, then what a varint says, or bytes.
struct ProtoField {
  unsigned number = 0;
  std::uint64_t value = 0;
  std::string bytes;
};
std::uint64_t varintAt(const std::string& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; at < bytes.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) break;
  }
  return value;
}
std::vector<ProtoField> fieldsOf(const std::string& bytes) {
  std::vector<ProtoField> fields;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint64_t key = varintAt(bytes, at);
    ProtoField field{static_cast<unsigned>(key >> 3U), varintAt(bytes, at), {}};
    if ((key & 7U) == 2) {
      field.bytes = bytes.substr(at, field.value);
      at += field.value;
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

// Annotations begin in one frame and end in another.
HandMadeRank crossed() {
  HandMadeRank rank;
  rank.python(0, 100'000, "train.py(1): main")
      .python(10'000, 20'000, "torch/profiler.py(9): __enter__")
      .annotation(20'000, 50'000, "forward")
      .python(60'000, 20'000, "torch/profiler.py(9): __exit__");
  return rank;
}

} // namespace

TEST(CallNesting, giveEachInstantToWhatBeganLast) {
  const auto analysis = analysisOf(crossed());
  EXPECT_EQ(folded(*analysis, StackWeight::HostSelf),
            "train.py(1): main 30000\n"
            "train.py(1): main;forward 40000\n"
            "train.py(1): main;torch/profiler.py(9): __enter__ 10000\n"
            "train.py(1): main;torch/profiler.py(9): __exit__ 20000\n");
  const RankTrace& trace = *analysis->trace().ranks()[0].trace;
  const CallNesting calls = callNesting(trace);
  ASSERT_EQ(calls.threads.size(), 1U);
  TimeNs sum = 0;
  for (const OwnTime& own : calls.own) sum += own.range.length();
  EXPECT_EQ(sum, 100'000);
}

TEST(RankStacks, weighWindows) {
  const auto whole = analysisOf(crossed());
  const RankStacks stacks = rankStacks(*whole, RankIndex(0), StackWeight::HostSelf);
  const TimeRange extent = whole->trace().ranks()[0].trace->extent;
  std::int64_t sum = 0;
  for (const StackSum& part : stacks.sums({extent.begin + 15'000, extent.begin + 65'000})) sum += part.weight;
  EXPECT_EQ(sum, 50'000);
}

// Most of what lies in a large window is not read: it is all less what lies outside.
TEST(RankStacks, weighEveryWindowAsItsEntriesAddUp) {
  for (const StackWeight weight : {StackWeight::HostSelf, StackWeight::Calls}) {
    const auto whole = analysisOf(crossed());
    const RankStacks stacks = rankStacks(*whole, RankIndex(0), weight);
    const TimeRange extent = whole->trace().ranks()[0].trace->extent;
    for (TimeNs begin = extent.begin - 5'000; begin < extent.end; begin += 2'500) {
      for (TimeNs end = begin; end <= extent.end + 5'000; end += 2'500) {
        const TimeRange window{begin, end};
        StackSums expected(stacks.tree.size());
        stacks.forEachWithin(kAllTime, [&](const StackEntry& entry) {
          const bool begins = entry.begin >= begin && entry.begin < end;
          const TimeNs inside = TimeRange{entry.begin, entry.begin + entry.amount}.clippedTo(window).length();
          expected[entry.node].weight += stacks.cut ? std::max<TimeNs>(0, inside) : begins ? entry.amount : 0;
          expected[entry.node].count += begins && entry.first ? 1 : 0;
        });
        const StackSums sums = stacks.sums(window);
        for (std::size_t node = 0; node < sums.size(); ++node) {
          ASSERT_EQ(std::int64_t{sums[node].weight}, std::int64_t{expected[node].weight})
              << begin << ' ' << end;
          ASSERT_EQ(sums[node].count, expected[node].count) << begin << ' ' << end;
        }
      }
    }
  }
}

TEST(StackTree, isSharedUntilACopyIsFilled) {
  StackTree tree;
  const std::uint32_t outer = tree.below(StackTree::kRoot, "outer", FrameKind::Operator);
  StackTree copy = tree;
  EXPECT_EQ(&copy.nodes(), &tree.nodes());
  EXPECT_EQ(copy.below(StackTree::kRoot, "outer", FrameKind::Operator), outer);
  EXPECT_EQ(&copy.nodes(), &tree.nodes()); // it was there
  copy.below(outer, "inner", FrameKind::Operator);
  EXPECT_EQ(tree.size(), 2U);
  EXPECT_EQ(copy.size(), 3U);
  const std::uint32_t twin = copy.apart(StackTree::kRoot, copy.nodes()[outer].frame);
  EXPECT_NE(twin, outer);
  EXPECT_EQ(copy.find(StackTree::kRoot, "outer"), outer);
}

TEST(StackFilter, leavesWhatItsWordsSay) {
  WeighedStacks all;
  const auto add = [&](std::initializer_list<const char*> frames, int weight) {
    std::uint32_t node = StackTree::kRoot;
    for (const char* const frame : frames) node = all.tree.below(node, frame, FrameKind::Operator);
    all.sums.resize(all.tree.size());
    all.sums[node].weight += weight;
    all.sums[node].count += 1;
  };
  add({"main", "Attention", "mm"}, 5);
  add({"main", "Attention"}, 1);
  add({"main", "Linear", "mm"}, 7);
  add({"main", "Linear", "wrap", "add"}, 2);
  add({"wrap"}, 3);
  const auto shown = [&](std::initializer_list<const char*> texts) {
    std::vector<StackFilter> filters;
    for (const char* const text : texts) filters.push_back(stackFilterOf(text).value());
    FilteredStacks left = filtered(all.tree, filters);
    StackSums sums = filteredSums(left, all.sums);
    return foldedText(WeighedStacks{all.weight, std::move(left.tree), std::move(sums)});
  };
  EXPECT_EQ(shown({"SS: attention"}), "main;Attention 1\nmain;Attention;mm 5\n");
  EXPECT_EQ(shown({"hs: /^att/"}), "main;Linear;mm 7\nmain;Linear;wrap;add 2\nwrap 3\n");
  EXPECT_EQ(shown({"SFF: linear"}), "Linear;mm 7\nLinear;wrap;add 2\n");
  // Frames that are hidden count to their callers, and nothing is lost.
  EXPECT_EQ(shown({"HF: wrap"}),
            "[other frames] 3\nmain;Attention 1\nmain;Attention;mm 5\nmain;Linear;add 2\nmain;Linear;mm 7\n");
  EXPECT_EQ(shown({"SFF: linear", "HF: mm"}), "Linear 7\nLinear;wrap;add 2\n");
  EXPECT_EQ(shown({"SS: nothing"}), "");
  EXPECT_EQ(shown({"SS: /(/"}), ""); // no expression
  const std::vector<StackFilter> whole{{StackFilterKind::HideFrame, "m", true}};
  EXPECT_EQ(filtered(all.tree, whole).tree.size(), all.tree.size());
  EXPECT_FALSE(stackFilterOf("attention").has_value());
  EXPECT_FALSE(stackFilterOf("SS: ").has_value());
}

TEST(RankStacks, putDeviceWorkBelowWhatLaunchedIt) {
  HandMadeRank rank;
  rank.python(0, 50'000, "train.py(1): main");
  rank.op(10'000, 20'000, "aten::mm").launched(12'000, 7, 40'000, 5'000, "gemm");
  rank.kernel(7, 60'000, 3'000, "lost");
  const auto analysis = analysisOf(std::move(rank));
  EXPECT_EQ(folded(*analysis, StackWeight::Device),
            "[no launch recorded];lost 3000\ntrain.py(1): main;aten::mm;gemm 5000\n");
  EXPECT_EQ(folded(*analysis, StackWeight::Launches), "train.py(1): main;aten::mm;gemm 1\n");
  StackOptions byRank;
  byRank.byRank = true;
  byRank.frames.python = PythonFrames::None;
  EXPECT_EQ(folded(*analysis, StackWeight::Launches, byRank), "rank 0;aten::mm;gemm 1\n");
}

TEST(RankStacks, joinTheBackwardPassToItsForwardOperator) {
  HandMadeRank rank;
  rank.python(0, 50'000, "nn.Module: Linear_0");
  rank.op(10'000, 20'000, "aten::addmm").launched(12'000, 7, 30'000, 5'000, "gemm");
  rank.op(60'000, 20'000, "autograd::engine::evaluate_function: AddmmBackward0", "2");
  rank.op(61'000, 18'000, "AddmmBackward0", "2").launched(62'000, 7, 70'000, 6'000, "grad", "2");
  rank.op(90'000, 9'000, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", "2");
  rank.arrow(10'000, "1", 61'000, "2");
  const auto analysis = analysisOf(std::move(rank));
  EXPECT_EQ(folded(*analysis, StackWeight::Device),
            "nn.Module: Linear_0;[backward];autograd::engine::evaluate_function: AddmmBackward0;"
            "AddmmBackward0;grad 6000\n"
            "nn.Module: Linear_0;aten::addmm;gemm 5000\n");
  StackOptions own;
  own.joinBackward = false;
  EXPECT_EQ(folded(*analysis, StackWeight::Device, own),
            "autograd::engine::evaluate_function: AddmmBackward0;AddmmBackward0;grad 6000\n"
            "nn.Module: Linear_0;aten::addmm;gemm 5000\n");
  const ModuleTree modules = moduleTree(*analysis, RankIndex(0));
  ASSERT_EQ(modules.nodes.size(), 1U);
  EXPECT_EQ(std::int64_t{modules.nodes[0].backward}, 6'000);
  EXPECT_EQ(modules.nodes[0].backwardFunctions, 1);
  EXPECT_EQ(modules.looseFunctions, 1);
}

TEST(ModuleTree, countsRecomputationToTheForwardPath) {
  HandMadeRank rank;
  rank.python(0, 50'000, "nn.Module: Net_0").python(1'000, 40'000, "nn.Module: Linear_0");
  rank.op(10'000, 20'000, "aten::addmm").launched(12'000, 7, 30'000, 5'000, "gemm");
  rank.op(60'000, 30'000, "autograd::engine::evaluate_function: ReluBackward0", "2");
  rank.python(61'000, 20'000, "nn.Module: Linear_0", "2");
  rank.op(62'000, 18'000, "aten::addmm", "2").launched(63'000, 7, 70'000, 4'000, "gemm", "2");
  const auto analysis = analysisOf(std::move(rank));
  const ModuleTree modules = moduleTree(*analysis, RankIndex(0));
  ASSERT_EQ(modules.nodes.size(), 2U);
  EXPECT_EQ(modules.pathOf(1, analysis->trace().names()), "Net_0/Linear_0");
  EXPECT_EQ(modules.nodes[1].calls, 1);
  EXPECT_EQ(modules.nodes[1].recomputedCalls, 1);
  EXPECT_EQ(std::int64_t{modules.nodes[0].recompute}, 4'000);
  EXPECT_EQ(std::int64_t{modules.nodes[0].deviceTotal}, 5'000);
  EXPECT_EQ(std::int64_t{modules.noModule}, 0);
}

TEST(Layers, areTheRepeatingChildren) {
  HandMadeRank rank;
  rank.python(0, 100'000, "nn.Module: Net_0");
  for (int layer = 0; layer < 3; ++layer) {
    const TimeNs at = 10'000 + 20'000 * layer;
    rank.python(at, 15'000, "nn.Module: Block_" + std::to_string(layer));
    rank.python(at + 1'000, 4'000, "nn.Module: Norm_" + std::to_string(2 * layer));
    rank.python(at + 6'000, 4'000, "nn.Module: Norm_" + std::to_string(2 * layer + 1));
  }
  const auto analysis = analysisOf(std::move(rank));
  const ModuleTree modules = moduleTree(*analysis, RankIndex(0));
  std::map<std::string, std::int64_t> layers;
  for (std::uint32_t i = 0; i < modules.nodes.size(); ++i)
    layers[modules.pathOf(i, analysis->trace().names())] = modules.nodes[i].layer.value_or(-1);
  EXPECT_EQ(layers.at("Net_0"), -1);
  EXPECT_EQ(layers.at("Net_0/Block_2"), 2);
  EXPECT_EQ(layers.at("Net_0/Block_1/Norm_3"), 1);
}

TEST(FrameNames, mergeWhatIsTheSame) {
  const FrameOptions options;
  EXPECT_EQ(frameText(FrameKind::OtherPython, "<built-in method run of X object at 0x7f4f85497ec0>", options),
            "<built-in method run of X object>");
  EXPECT_EQ(frameText(FrameKind::Annotation, "ProfilerStep#12", options), "ProfilerStep");
  FrameOptions merged;
  merged.mergeLines = true;
  EXPECT_EQ(frameText(FrameKind::OwnPython, "a/train.py(12): step", merged), "a/train.py: step");
  EXPECT_EQ(moduleClass("Linear_12"), "Linear");
  EXPECT_EQ(moduleClass("Up_Block"), "Up_Block");
  EXPECT_TRUE(isModulePlumbing("torch/nn/modules/module.py(1743): _call_impl"));
  EXPECT_FALSE(isModulePlumbing("torch/nn/modules/linear.py(114): forward"));
}

TEST(StackTree, countsRecursionOnce) {
  StackTree tree;
  const std::uint32_t outer = tree.below(StackTree::kRoot, "f", FrameKind::OwnPython);
  const std::uint32_t inner =
      tree.below(tree.below(outer, "g", FrameKind::OwnPython), "f", FrameKind::OwnPython);
  StackSums sums(tree.size());
  sums[outer] = {5, 1};
  sums[inner] = {7, 2};
  const std::vector<FrameSum> frames = frameSums(tree, sums);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(tree.frames()[frames[0].frame].text, "f");
  EXPECT_EQ(std::int64_t{frames[0].total}, 12);
  EXPECT_EQ(std::int64_t{frames[0].self}, 12);
  EXPECT_EQ(std::int64_t{frames[1].total}, 7);
}

TEST(JobStacks, tellStepsApart) {
  HandMadeRank rank;
  rank.annotation(0, 10'000, "ProfilerStep#3").annotation(10'000, 10'000, "ProfilerStep#4");
  rank.op(2'000, 3'000, "aten::mm").op(12'000, 4'000, "aten::mm");
  const std::string text = folded(*analysisOf(std::move(rank)), StackWeight::HostSelf, {}, true);
  EXPECT_NE(text.find("step 3;ProfilerStep;aten::mm 3000\n"), std::string::npos) << text;
  EXPECT_NE(text.find("step 4;ProfilerStep;aten::mm 4000\n"), std::string::npos) << text;
}

TEST(TorchStacks, haveThePythonFramesOfOperators) {
  HandMadeRank rank;
  rank.python(0, 50'000, "train.py(1): main loop").python(1'000, 40'000, "autograd/__init__.py(9): backward");
  rank.op(10'000, 20'500, "aten::linear").op(11'000, 5'200, "aten::t");
  const auto analysis = analysisOf(std::move(rank));
  const auto lines = torchStackLines(*analysis->trace().ranks()[0].trace, analysis->trace().names(), {});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].stack, "train.py(1):_main_loop");
  EXPECT_EQ(lines[0].microseconds, 15);
  EXPECT_EQ(lines[1].microseconds, 5);
}

TEST(StackFiles, areWhatTheirReadersExpect) {
  HandMadeRank rank;
  rank.op(0, 50'000, "a;b\nc").op(10'000, 20'000, "<\"&");
  rank.python(100'000, 10'000, "my/train.py(12): step");
  const auto analysis = analysisOf(std::move(rank));
  StackOptions options;
  options.byRank = true;
  const WeighedStacks stacks = weighedStacks(*analysis, StackWeight::HostSelf, options, false, 1);
  const std::string lines = foldedText(stacks);
  EXPECT_EQ(lines, "rank 0;a:b c 30000\nrank 0;a:b c;<\"& 20000\nrank 0;my/train.py(12): step 10000\n");
  const std::regex line("(.+) ([0-9]+)"); // of flamegraph.pl and speedscope
  for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1)
    EXPECT_TRUE(std::regex_match(lines.substr(at, lines.find('\n', at) - at), line));

  const std::string speedscope = speedscopeText(stacks, "job");
  EXPECT_NE(speedscope.find("\"https://www.speedscope.app/file-format-schema.json\""), std::string::npos);
  EXPECT_NE(speedscope.find("\"endValue\": 60000"), std::string::npos) << speedscope;
  EXPECT_NE(speedscope.find("\"file\": \"my/train.py\""), std::string::npos);
  EXPECT_NE(speedscope.find("\"name\": \"rank 0\""), std::string::npos);

  const std::string svg = flameSvg(stacks, "job");
  EXPECT_NE(svg.find("&lt;&quot;&amp;"), std::string::npos);
  EXPECT_EQ(stacksTable(stacks).rowCount(), 3U);
}

// Two steps of A against one of B: another line number, one kernel more, one less.
TEST(StackDifference, namesWhatChangedAndAddsUp) {
  const auto stacksOf =
      [](std::initializer_list<std::pair<std::vector<std::pair<std::string, FrameKind>>, int>> stacks) {
        WeighedStacks weighed;
        for (const auto& [frames, weight] : stacks) {
          std::uint32_t node = StackTree::kRoot;
          for (const auto& [text, kind] : frames) node = weighed.tree.below(node, text, kind);
          weighed.sums.resize(weighed.tree.size());
          weighed.sums[node].weight += weight;
          weighed.sums[node].count += 1;
        }
        return weighed;
      };
  const auto python = FrameKind::OwnPython;
  const WeighedStacks a =
      stacksOf({{{{"train.py(12): step", python}, {"aten::mm", FrameKind::Operator}}, 201},
                {{{"train.py(12): step", python}, {"void old(int)", FrameKind::Kernel}}, 40},
                {{{"train.py(12): step", python}}, 10}});
  const WeighedStacks b =
      stacksOf({{{{"train.py(19): step", python}, {"aten::mm", FrameKind::Operator}}, 160},
                {{{"train.py(19): step", python}, {"fresh", FrameKind::Kernel}}, 30},
                {{{"train.py(19): step", python}}, 5}});
  const StackDifference difference = stackDifference(a, b, 0.5);
  EXPECT_EQ(foldedText(difference), "train.py: step 5 5\n"
                                    "train.py: step;aten::mm 101 160\n"
                                    "train.py: step;fresh 0 30\n"
                                    "train.py: step;old 20 0\n");
  std::int64_t changes = 0;
  for (std::uint32_t node = 0; node < difference.tree.size(); ++node) changes += difference.change(node);
  const StackSums ofA = totalsOf(difference.tree, difference.a);
  const StackSums ofB = totalsOf(difference.tree, difference.b);
  EXPECT_EQ(changes, std::int64_t{ofB[StackTree::kRoot].weight} - std::int64_t{ofA[StackTree::kRoot].weight});
  EXPECT_EQ(toCsv(stacksTable(difference)), "stack,a_us,b_us,delta_us\r\n"
                                            "train.py: step,0.005,0.005,0\r\n"
                                            "train.py: step;aten::mm,0.101,0.16,0.059\r\n"
                                            "train.py: step;fresh,0,0.03,0.03\r\n"
                                            "train.py: step;old,0.02,0,-0.02\r\n");
  const std::string svg = flameSvg(difference, "A and B");
  EXPECT_NE(svg.find("A 20 ns · B 0 ns · -20 ns · only in A"), std::string::npos) << svg;
  EXPECT_NE(svg.find("· only in B"), std::string::npos);
  // The same job against itself has no change.
  const StackDifference same = stackDifference(a, a, 1);
  for (std::uint32_t node = 0; node < same.tree.size(); ++node) EXPECT_EQ(same.change(node), 0);
}

TEST(StackFiles, areReadBackAsAProfile) {
  HandMadeRank rank;
  rank.python(0, 10'000, "my/train.py(300): step");
  rank.op(1'000, 4'000, "aten::mm");
  StackOptions options;
  options.byRank = true;
  const auto analysis = analysisOf(std::move(rank));
  const WeighedStacks stacks = weighedStacks(*analysis, StackWeight::HostSelf, options, false, 1);
  const std::vector<ProtoField> profile = fieldsOf(inflated(pprofBytes(stacks)));
  std::vector<std::string> texts;
  std::vector<std::vector<ProtoField>> samples;
  std::vector<std::vector<ProtoField>> functions;
  for (const ProtoField& field : profile) {
    if (field.number == 6) texts.push_back(field.bytes);
    if (field.number == 2) samples.push_back(fieldsOf(field.bytes));
    if (field.number == 5) functions.push_back(fieldsOf(field.bytes));
  }
  ASSERT_EQ(samples.size(), 2U);
  ASSERT_FALSE(texts.empty());
  EXPECT_EQ(texts[0], "");
  std::map<std::uint64_t, std::string> names; // of functions and so of locations
  for (const auto& function : functions) names[function[0].value] = texts[function[1].value];
  std::size_t at = 0;
  EXPECT_EQ(names.at(varintAt(samples[1][0].bytes, at)), "aten::mm"); // the leaf first
  EXPECT_EQ(names.at(varintAt(samples[1][0].bytes, at)), "step");
  at = 0;
  EXPECT_EQ(varintAt(samples[1][1].bytes, at), 1U);
  EXPECT_EQ(varintAt(samples[1][1].bytes, at), 4'000U);
  const std::vector<ProtoField> label = fieldsOf(samples[1][2].bytes);
  EXPECT_EQ(texts[label[0].value], "rank");
  EXPECT_EQ(texts[label[1].value], "0");
}

TEST(Gzip, isReadBack) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919 % 1000);
  EXPECT_EQ(inflated(gzipped(text)), text);
  EXPECT_EQ(inflated(gzipped("")), "");
}

} // namespace rankscope
