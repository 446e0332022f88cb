// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/recomputation.h"

#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

namespace rankscope {

namespace {

// By name of the kernel, whether it was launched from recomputation; empty where there is none.
std::map<std::string, bool> recomputedKernels(HandMadeRank events) {
  const auto job = HandMadeJob().add(0, std::move(events)).build();
  const RankTrace& trace = *job->ranks().at(0).trace;
  const auto recomputed = recomputedDeviceEvents(trace, job->names(), operatorTree(trace, job->names()));
  std::map<std::string, bool> byName;
  for (std::size_t i = 0; i < recomputed.size(); ++i)
    byName[std::string(job->names()[trace.events.name[EventIndex(trace.deviceBegin.value + i)]])] =
        recomputed[i] != 0;
  return byName;
}

} // namespace

TEST(Recomputation, isForwardWorkBelowANodeOfAutograd) {
  HandMadeRank rank;
  rank.op(0, 10'000, "aten::conv2d").launched(1'000, 7, 20'000, 5'000, "forward");
  rank.op(30'000, 50'000, "autograd::engine::evaluate_function: ReluBackward0", "2")
      .op(31'000, 48'000, "ReluBackward0", "2");
  rank.op(32'000, 10'000, "aten::conv2d", "2").launched(33'000, 7, 40'000, 5'000, "again", "2");
  rank.op(45'000, 2'000, "aten::mul", "2").launched(45'500, 7, 50'000, 5'000, "between", "2");
  rank.op(50'000, 10'000, "aten::batch_norm", "2").launched(51'000, 7, 60'000, 5'000, "norm", "2");
  rank.op(70'000, 5'000, "aten::threshold_backward", "2")
      .launched(71'000, 7, 80'000, 5'000, "derivative", "2");
  const auto kernels = recomputedKernels(std::move(rank));
  EXPECT_FALSE(kernels.at("forward"));
  EXPECT_TRUE(kernels.at("again"));
  EXPECT_TRUE(kernels.at("between"));
  EXPECT_TRUE(kernels.at("norm"));
  EXPECT_FALSE(kernels.at("derivative"));
}

TEST(Recomputation, isNotADerivativeThatMultipliesMatrices) {
  HandMadeRank rank;
  rank.op(0, 50'000, "autograd::engine::evaluate_function: LinearWithGradBackward", "2");
  rank.op(1'000, 10'000, "aten::matmul", "2").launched(2'000, 7, 20'000, 5'000, "gemm", "2");
  EXPECT_TRUE(recomputedKernels(std::move(rank)).empty());
}

} // namespace rankscope
