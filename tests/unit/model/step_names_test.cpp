// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/step_names.h"

#include <gtest/gtest.h>

namespace rankscope {

TEST(StepNames, areThoseOfTrainingLoops) {
  const auto numberOf = [](std::string_view name) {
    const auto step = stepNameOf(name);
    return step ? step->number : -2;
  };
  EXPECT_EQ(numberOf("ProfilerStep#12"), 12);
  EXPECT_EQ(numberOf("step_12"), 12);
  EXPECT_EQ(numberOf("iteration 16"), 16);
  EXPECT_EQ(numberOf("megatron.bridge.training.train.train.training_step_12"), 12);
  EXPECT_EQ(numberOf("Batch:7"), 7);
  EXPECT_EQ(numberOf("train_step"), -1);
  EXPECT_EQ(numberOf("step"), -2);
  EXPECT_EQ(numberOf("aten::add"), -2);
  EXPECT_EQ(numberOf("footstep_3"), -2);
  EXPECT_EQ(numberOf(""), -2);
}

} // namespace rankscope
