// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/operator_shapes.h"

#include "core/io/load/trace_loader.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>

namespace rankscope {

TEST(OperatorShapes, areReadFromText) {
  using Shapes = std::vector<TensorShape>;
  EXPECT_EQ(shapesInText("[[16, 5185, 64], [], [3]]"), (Shapes{{16, 5185, 64}, {}, {3}}));
  EXPECT_EQ(shapesInText("[[[2, 3], [4]], [5]]"), (Shapes{{}, {5}}));
  EXPECT_EQ(shapesInText("[]"), Shapes{});
  EXPECT_FALSE(shapesInText("[[16, 5185"));
  EXPECT_FALSE(shapesInText("[[16, x]]"));
  EXPECT_FALSE(shapesInText("[[-1]]"));
  EXPECT_FALSE(shapesInText("[[99999999999999999999]]"));
  EXPECT_FALSE(shapesInText(""));
}

TEST(OperatorShapes, countElements) {
  EXPECT_EQ(elementsOf({2, 3, 4}), 24);
  EXPECT_EQ(elementsOf({}), 1);
  EXPECT_EQ(elementsOf({0, 1'000'000'000'000, 1'000'000'000'000}), 0);
  EXPECT_FALSE(elementsOf({1'000'000'000'000, 1'000'000'000'000}));
}

TEST(OperatorShapes, areReadOfTheChosenOperators) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.addCpuOp(1, 0, 100, "aten::bmm", "\"Input Dims\": [[2, 3, 4], [2, 4, 5]]");
  text.addCpuOp(1, 200, 100, "aten::mm", "\"Input Dims\": [[3, 4], [4, 5]]");
  text.addCpuOp(1, 400, 100, "aten::mm");
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  Progress progress;
  auto job = loadTraces({folder.path().string()}, {}, progress);
  ASSERT_TRUE(job.ok());
  const RankEntry& rank = (*job)->ranks().at(0);
  std::vector<EventIndex> operators;
  for (EventIndex event(0); event.value < rank.trace->events.size(); ++event.value) {
    if (rank.trace->events.kind[event] == EventKind::CpuOp) operators.push_back(event);
  }
  ASSERT_EQ(operators.size(), 3U);
  const OperatorShapes shapes(rank, {operators[2], operators[1], operators[1]});
  EXPECT_EQ(shapes.of(operators[0]), nullptr);
  ASSERT_NE(shapes.of(operators[1]), nullptr);
  EXPECT_EQ(*shapes.of(operators[1]), (std::vector<TensorShape>{{3, 4}, {4, 5}}));
  EXPECT_EQ(shapes.of(operators[2]), nullptr);
  EXPECT_TRUE(OperatorShapes(rank, {}).empty());
}

} // namespace rankscope
