// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/kernel_dtype.h"

#include <gtest/gtest.h>
#include <string>

namespace rankscope {

namespace {

// "bf16 used", "fp32 unused", "fp16 used attention"; empty of what multiplies no matrices.
std::string told(std::string_view name) {
  const KernelDtype dtype = kernelDtype(name);
  if (!dtype.product) return {};
  std::string text(numberFormatText(dtype.format));
  text += dtype.units == MatrixUnits::Used ? " used" : dtype.units == MatrixUnits::Unused ? " unused" : " ?";
  if (dtype.vector) text += " vector";
  return text + (dtype.fusedAttention ? " attention" : "");
}

} // namespace

TEST(KernelDtype, isToldByNamesOfOrdinaryCores) {
  EXPECT_EQ(told("volta_sgemm_64x64_nt"), "fp32 unused");
  EXPECT_EQ(told("volta_scudnn_128x64_relu_interior_nn_v1"), "fp32 unused");
  EXPECT_EQ(told("void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5, 1, false>(int)"),
            "fp32 unused");
  EXPECT_EQ(told("void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int)"), "fp32 unused");
  EXPECT_EQ(told("void cudnn::cnn::wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false, 512>(int)"),
            "fp32 unused");
  EXPECT_EQ(
      told("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_ffma_aligna4_alignc4_execute_kernel"
           "__51_cublas"),
      "fp32 unused");
  EXPECT_EQ(told("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)"), "fp32 unused");
  EXPECT_EQ(told("cutlass_80_simt_dgemm_64x64"), "fp64 unused");
  EXPECT_EQ(told("void gemv2T_kernel_val<int, int, __nv_bfloat16>(Params)"), "bf16 unused vector");
}

TEST(KernelDtype, isToldByNamesOfTensorCores) {
  EXPECT_EQ(told("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_cublas"),
            "bf16 used");
  EXPECT_EQ(told("volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_tn"), "fp16 used");
  EXPECT_EQ(told("ampere_bf16_s16816gemm_bf16_128x128_ldg8_relu_f2f_stages_32x5_tn"), "bf16 used");
  EXPECT_EQ(told("cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_tn_align1"), "bf16 used");
  EXPECT_EQ(told("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>(Params)"),
            "tf32 used");
  EXPECT_EQ(told("sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x16_cublas"), "tf32 used");
  EXPECT_EQ(told("sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_cudnn"),
            "tf32 used");
  EXPECT_EQ(told("nvjet_tst_64x64_64x16_2x1_v_bz_TNT"), "bf16 used");
  EXPECT_EQ(told("nvjet_hsh_128x256_64x4_1x2_h_bz_coopB_NTT"), "fp16 used");
  EXPECT_EQ(told("nvjet_qqtst_128x256_128x4_2x1_v_bz_TNT"), "fp8 used");
}

TEST(KernelDtype, isToldByNamesOfAmd) {
  EXPECT_EQ(told("Cijk_Ailk_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x192x64_MI16x16x1_SN"), "bf16 used");
  EXPECT_EQ(told("Cijk_Ailk_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x32_MI16x16x1_SN"), "bf16 used");
  EXPECT_EQ(told("Cijk_Alik_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SN"), "fp16 used");
  EXPECT_EQ(told("Cijk_Ailk_Bljk_SB_MT64x64x8_SN_K1"), "fp32 unused");
  EXPECT_EQ(told("igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32"), "bf16 used");
}

TEST(KernelDtype, knowsFusedAttention) {
  EXPECT_EQ(
      told("void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, "
           "false, false, cutlass::bfloat16_t> >(Params)"),
      "bf16 used attention");
  EXPECT_EQ(told("fmha_cutlassF_f16_aligned_64x64_rf_sm80"), " used attention");
}

TEST(KernelDtype, isNothingOfOtherKernels) {
  EXPECT_EQ(told("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int)"),
            "");
  EXPECT_EQ(told("void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>(int)"), "");
  EXPECT_EQ(told("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWork*)"), "");
}

TEST(KernelDtype, knowsTheTypesOfPyTorch) {
  EXPECT_EQ(numberFormatOfType("c10::BFloat16"), NumberFormat::BFloat16);
  EXPECT_EQ(numberFormatOfType("Scalar"), NumberFormat::Unknown);
  EXPECT_EQ(bytesOfType("float"), 4);
  EXPECT_EQ(bytesOfType("c10::Half"), 2);
  EXPECT_EQ(bytesOfType("long int"), 8);
  EXPECT_EQ(bytesOfType(""), 0);
  EXPECT_TRUE(is16Bit(NumberFormat::Float16));
}

} // namespace rankscope
