// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/tensor_cores.h"

#include "core/analysis/classify/kernel_dtype.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/shared_data.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace rankscope {

TEST(TensorCores, kernelsOfEveryGenerationAreKnown) {
  for (const char* name :
       {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", "turing_fp16_s1688gemm_fp16_128x64_ldg8_f2f_tn",
        "ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn", "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n",
        "cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8",
        "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTN", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n",
        "void cutlass::device_kernel<cutlass3x_sm100_tensorop_s256x256x16gemm>",
        "void at::native::sm90_wgmma_kernel()",
        "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<>",
        "Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT16x16x256_MI16x16x1_SN",
        "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2",
        "_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3INS_"
        "28GridwiseGemm",
        "void paged_attention_ll4mi_QKV_mfma16_kernel<__hip_bfloat16>()", "attn_fwd",
        "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tensor16x8x8_execute_"
        "kernel"}) {
    EXPECT_TRUE(usesTensorCores(name)) << name;
  }
}

TEST(TensorCores, kernelsForOrdinaryCoresAreNot) {
  for (const char* name :
       {"", "ampere_sgemm_128x64_tn", "void at::native::vectorized_elementwise_kernel<4>",
        "cutlass_80_simt_sgemm_128x32_8x5_nn_align1",
        "cutlass3x_sm100_simt_sgemm_f32_f32_f32_f32_f32_128x64x16",
        "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x128x8_stage3_ffma_aligna4_alignc4",
        "Cijk_Ailk_Bljk_SB_MT64x64x8_SN_K1", "void vllm::paged_attention_v2_kernel<float>()",
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL"}) {
    EXPECT_FALSE(usesTensorCores(name)) << name;
  }
}

TEST(TensorCores, areUnknownWhereTheNameOfAProductDoesNotTell) {
  for (const char* name : {"_matmul_ogs_NNT_bf16xbf16xmxfp4_128x128x128x1_swiglu", "triton_tem_fused_mm_0",
                           "void vllm::paged_attention_v2_kernel<float>()"})
    EXPECT_FALSE(tensorCoresByName(name)) << name;
  EXPECT_EQ(tensorCoresByName("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTN"), true);
  for (const char* name : {"ampere_sgemm_128x64_tn", "void at::native::vectorized_elementwise_kernel<4>"})
    EXPECT_EQ(tensorCoresByName(name), false) << name;
}

// The tables of kernels and operators and the checks of Efficiency say the same.
TEST(TensorCores, areUsedByKernelsOfRecordingsAsTheirNumberFormatsSay) {
  const std::filesystem::path folder = test::sharedFolder() / "traces";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
  std::size_t used = 0;
  for (const std::string& set : test::sharedTraceSets()) {
    Progress progress;
    const auto job = loadTraces({(folder / set).string()}, {}, progress);
    if (!job.ok()) continue;
    const StringTable& names = (*job)->names();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const MatrixUnits units = kernelDtype(names[NameId(i)]).units;
      if (units == MatrixUnits::Unknown) continue;
      EXPECT_EQ(usesTensorCores(names[NameId(i)]), units == MatrixUnits::Used) << names[NameId(i)];
      used += units == MatrixUnits::Used ? 1 : 0;
    }
  }
  EXPECT_GT(used, 100U);
}

TEST(TensorCores, eligibleAreExactNamesAndTheirNumberedNodes) {
  for (const char* name : {"aten::mm", "aten::conv2d", "aten::cudnn_convolution_transpose_backward_weight",
                           "MmBackward", "MmBackward0", "BmmBackward0", "aten::addmm_"})
    EXPECT_TRUE(isTensorCoreEligible(name)) << name;
  for (const char* name : {"aten::add", "aten::mm_", "mm", "ReluBackward0", "aten::mm0", "Backward0", ""})
    EXPECT_FALSE(isTensorCoreEligible(name)) << name;
}

TEST(TensorCores, aNameIsJudgedTheSameWheneverItIsAsked) {
  StringInterner names;
  const NameId used = names.intern("nvjet_x");
  const NameId eligible = names.intern("aten::mm");
  const StringTable table = names.snapshot();
  TensorCoreNames judge(table);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(judge.used(used));
    EXPECT_FALSE(judge.used(eligible));
    EXPECT_TRUE(judge.eligible(eligible));
    EXPECT_FALSE(judge.eligible(used));
  }
}

} // namespace rankscope
