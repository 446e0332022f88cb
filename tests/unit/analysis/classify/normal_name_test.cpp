// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/normal_name.h"

#include <gtest/gtest.h>

namespace rankscope {

TEST(NormalName, operatorsLoseWhatDiffersBetweenRuns) {
  EXPECT_EQ(normalOperatorName("ProfilerStep#12"), "ProfilerStep");
  EXPECT_EQ(normalOperatorName("<built-in method of Tensor at 0x7f3A>"), "<built-in method of Tensor at 0x>");
  EXPECT_EQ(normalOperatorName("train.py(42): forward"), "train.py: forward");
  EXPECT_EQ(normalOperatorName("train.py(): forward"), "train.py(): forward");
  EXPECT_EQ(normalOperatorName("## Call CompiledFxGraph fq3xabc ##"), "## Call CompiledFxGraph ##");
  EXPECT_EQ(normalOperatorName("triton_poi_fused_add_3"), "triton_poi_fused_add");
  EXPECT_EQ(normalOperatorName("graph_12"), "graph");
  EXPECT_EQ(normalOperatorName("MulBackward0"), "MulBackward0");
  EXPECT_EQ(normalOperatorName("aten::conv2d"), "aten::conv2d");
  EXPECT_EQ(normalOperatorName(""), "");
}

TEST(NormalName, kernelsLoseParametersButNotTemplateArguments) {
  EXPECT_EQ(normalKernelName("void add<4, float>(int, float*)"), "add<4, float>");
  EXPECT_EQ(normalKernelName("Memcpy HtoD (Pageable -> Device)"), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(normalKernelName("void at::(anonymous namespace)::f<int>(int)"),
            "at::(anonymous namespace)::f<int>");
  EXPECT_EQ(normalKernelName("void f<(anonymous namespace)::G>(int (*)(int))"),
            "f<(anonymous namespace)::G>");
  EXPECT_EQ(normalKernelName("Cijk_Ailk_Bljk (1) [clone .kd]"), "Cijk_Ailk_Bljk (1)");
  EXPECT_EQ(normalKernelName(")"), ")");
  EXPECT_EQ(normalKernelName("((("), "(((");
  EXPECT_EQ(withoutTemplateArguments("at::add<4, Array<char*, 3> >"), "at::add");
}

TEST(NormalName, familiesAreTheSameOnOtherHardware) {
  EXPECT_EQ(kernelFamily("ampere_sgemm_128x64_tn"), kernelFamily("Cijk_Ailk_Bljk_SB_MT64x64x16"));
  EXPECT_EQ(kernelFamily("ncclDevKernel_AllReduce_Sum_f32_RING_LL"), "communication");
  EXPECT_EQ(kernelFamily("flash_fwd_kernel<64>"), kernelFamily("attn_fwd"));
  EXPECT_EQ(kernelFamily("mystery"), "other");
}

} // namespace rankscope
