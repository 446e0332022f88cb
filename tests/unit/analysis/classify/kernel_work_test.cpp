// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/kernel_work.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

KernelWork workOf(std::string_view name) {
  return kernelTraits(name).work;
}

} // namespace

TEST(KernelWork, isToldByTheNamesOfPyTorch) {
  using enum KernelWork;
  EXPECT_EQ(workOf("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int)"),
            Elementwise);
  EXPECT_EQ(workOf("void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
                   "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)>>(int)"),
            Copy);
  EXPECT_EQ(workOf("void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda("
                   "at::TensorIteratorBase&), at::native::memory::LoadWithCast<1>>(int)"),
            Cast);
  EXPECT_EQ(workOf("void at::native::vectorized_elementwise_kernel<4, at::native::bfloat16_copy_kernel_cuda("
                   "at::TensorIteratorBase&)>(int)"),
            Cast);
  EXPECT_EQ(
      workOf("void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned, 4, 64, 64>(int)"),
      Copy);
  EXPECT_EQ(workOf("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
                   "at::native::MeanOps<float, float>>>(int)"),
            Mean);
  EXPECT_EQ(workOf("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, sum_functor>>(int)"),
            Other);
  EXPECT_EQ(workOf("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<Add>(int)"), Foreach);
  EXPECT_EQ(workOf("void at::native::batch_norm_backward_kernel<float, float, float, int>(int)"), BatchNorm);
  EXPECT_EQ(workOf("void at::native::indexing_backward_kernel<float, 4>(long const*)"), Atomics);
  EXPECT_EQ(workOf("void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(float)"), Other);
  EXPECT_EQ(workOf("triton_poi_fused_add_mul_0"), Other);
}

TEST(KernelWork, tellsSoftmaxFromItsLogarithm) {
  using enum KernelWork;
  EXPECT_EQ(
      workOf("void (anonymous namespace)::cunn_SoftMaxForward<8, float, SoftMaxForwardEpilogue>(float*)"),
      Softmax);
  EXPECT_EQ(
      workOf("void (anonymous namespace)::cunn_SoftMaxForward<8, float, LogSoftMaxForwardEpilogue>(float*)"),
      Other);
  EXPECT_EQ(
      workOf("void (anonymous namespace)::softmax_warp_forward<float, float, float, 3, false, false>(int)"),
      Softmax);
  EXPECT_EQ(
      workOf("void (anonymous namespace)::softmax_warp_forward<float, float, float, 3, true, false>(int)"),
      Other);
  EXPECT_EQ(
      workOf("void (anonymous namespace)::softmax_warp_backward<float, float, float, 9, false, false>(int)"),
      SoftmaxBackward);
}

TEST(KernelWork, knowsConversionsOfLayout) {
  EXPECT_EQ(workOf("void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>(int)"),
            KernelWork::Layout);
  EXPECT_EQ(workOf("batched_transpose_16x32_half"), KernelWork::Layout);
  EXPECT_EQ(workOf("SubTensorOpWithCastTensor1d"), KernelWork::Layout);
}

TEST(KernelWork, knowsHowProductsAreRun) {
  EXPECT_TRUE(kernelTraits("cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_tn_align1").misaligned);
  EXPECT_FALSE(kernelTraits("cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8").misaligned);
  EXPECT_FALSE(kernelTraits("cutlass_80_simt_sgemm_128x64_8x5_nn_align1").misaligned);
  EXPECT_TRUE(kernelTraits("nvjet_tst_64x64_64x16_2x1_v_bz_TNT").persistent);
  EXPECT_EQ(workOf("volta_sgemm_64x64_nt"), KernelWork::Product);
}

} // namespace rankscope
