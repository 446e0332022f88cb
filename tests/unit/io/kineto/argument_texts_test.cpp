// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/argument_texts.h"

#include "core/io/load/trace_loader.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace rankscope {

namespace {

// What readArguments tells, by the name of the event.
std::map<std::string, std::string> argumentsIn(const std::string& path,
                                               std::span<const std::string_view> keys,
                                               SeveralKeys several = SeveralKeys::FirstWritten) {
  Progress progress;
  const auto loaded = loadTraces({path}, {}, progress);
  EXPECT_TRUE(loaded.ok());
  const TraceSet& set = **loaded;
  const RankTrace& trace = *set.ranks().at(0).trace;
  std::vector<std::pair<SourceRef, std::string>> events;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const EventIndex event(i);
    events.emplace_back(trace.events.source[event], std::string(set.names()[trace.events.name[event]]));
  }
  std::sort(events.begin(), events.end());
  std::vector<SourceRef> places;
  for (const auto& [place, name] : events) places.push_back(place);
  std::map<std::string, std::string> texts;
  const auto error = readArguments(
      path, places, keys, [&](std::size_t i, std::string_view text) { texts[events[i].second] = text; },
      nullptr, several);
  EXPECT_FALSE(error) << error->text();
  return texts;
}

test::TraceText someOperators() {
  test::TraceText text;
  text.distributedInfo(0, 1);
  text.addCpuOp(1, 0, 10, "mm", R"("Input Dims": [[2,3],
      [3, 4], []], "Input type": ["float", "float", ""])");
  text.addCpuOp(1, 20, 10, "none");
  text.addCpuOp(1, 40, 10, "old", R"("Input dims": [[7]], "Call stack": "a.py(1): f;\nb.py(2): g")");
  text.addCpuOp(1, 60, 10, "wide",
                "\"Noise\": \"" + std::string(3'000'000, 'x') + "\", \"Input Dims\": [[1, 1]]");
  for (int i = 0; i < 500; ++i)
    text.addCpuOp(1, 100 + i * 20, 10, fmt::format("op{}", i), fmt::format("\"Input Dims\": [[{}]]", i));
  return text;
}

} // namespace

class ArgumentTextsOf : public testing::TestWithParam<const char*> {};

TEST_P(ArgumentTextsOf, areReadInOnePassOverTheFile) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / GetParam()).string();
  test::writeTraceFile(path, someOperators().text());
  const auto shapes = argumentsIn(path, inputShapeKeys());
  EXPECT_EQ(shapes.at("mm"), "[[2, 3], [3, 4], []]");
  EXPECT_EQ(shapes.at("old"), "[[7]]");
  EXPECT_EQ(shapes.at("wide"), "[[1, 1]]");
  EXPECT_EQ(shapes.at("op0"), "[[0]]");
  EXPECT_EQ(shapes.at("op499"), "[[499]]");
  EXPECT_FALSE(shapes.contains("none"));
  EXPECT_EQ(shapes.size(), 503U);
  const auto stacks = argumentsIn(path, callStackKeys());
  EXPECT_EQ(stacks, (std::map<std::string, std::string>{{"old", "a.py(1): f;\nb.py(2): g"}}));
}

INSTANTIATE_TEST_SUITE_P(Files, ArgumentTextsOf, testing::Values("rank0.json", "rank0.json.gz"),
                         [](const auto& file) {
                           return std::string(file.param).ends_with("gz") ? "compressed" : "plain";
                         });

TEST(ArgumentTexts, severalKeysAreJoinedInTheirOrder) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "rank0.json").string();
  test::TraceText text;
  text.addKernel(0, 7, 100, 10, "gemm", 1, "");
  text.addCpuOp(1, 0, 10, "some", R"("block": [32, 1, 1])").addCpuOp(1, 20, 10, "none");
  test::writeTraceFile(path, text.text());
  EXPECT_EQ(
      argumentsIn(path, gridAndBlockKeys(), SeveralKeys::Joined),
      (std::map<std::string, std::string>{{"gemm", "[264, 1, 1] · [128, 1, 1]"}, {"some", "[32, 1, 1]"}}));
}

TEST(ArgumentTexts, placesWhereNoEventBeginsArePassedOver) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "rank0.json").string();
  test::writeTraceFile(path, someOperators().text());
  const std::vector<SourceRef> places{SourceRef(1), SourceRef(2), SourceRef(1'000'000'000)};
  int reported = 0;
  EXPECT_FALSE(readArguments(path, places, inputShapeKeys(), [&](auto, auto) { ++reported; }));
  EXPECT_EQ(reported, 0);
  EXPECT_TRUE(readArguments(path + ".not", places, inputShapeKeys(), [](auto, auto) {}));
}

} // namespace rankscope
