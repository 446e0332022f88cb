// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/job_names.h"

#include <array>

namespace rankscope::test {
namespace {

using Text = std::string_view;

constexpr std::array<KernelInfo, static_cast<std::size_t>(KernelId::Count)> kKernels{{
    {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, "
     "c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)",
     12'400, "[8192, 1, 1]", "[32, 4, 1]", 32, 24, "62.060608", "248.242432", 100},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_"
     "kernel__5x_"
     "cublas",
     94'200, "[24, 64, 1]", "[128, 1, 1]", 168, 81920, "11.636364", "46.545456", 13},
    {"void "
     "cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8>(cutlass_80_"
     "tensorop_"
     "bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8::Params)",
     118'700, "[32, 32, 1]", "[256, 1, 1]", 238, 73728, "7.757576", "62.060608", 13},
    {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, "
     "false, "
     "cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, "
     "false, true, "
     "false, false, false, true, false>(pytorch_flash::Flash_fwd_params)",
     61'300, "[8, 8, 16]", "[128, 1, 1]", 255, 49152, "7.757576", "31.030304", 12},
    {"void at::native::vectorized_elementwise_kernel<4, "
     "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
     "at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() "
     "const::{lambda(c10::BFloat16)"
     "#1}, std::array<char*, 2ul> >(int, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
     "at::native::GeluType)::"
     "{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, "
     "std::array<char*, 2ul>)",
     15'100, "[32768, 1, 1]", "[128, 1, 1]", 20, 0, "248.242432", "992.969728", 100},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
     "std::array<char*, "
     "3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
     8'300, "[8192, 1, 1]", "[128, 1, 1]", 22, 0, "62.060608", "248.242432", 100},
    {"void (anonymous namespace)::cunn_SoftMaxForward<8, float, float, float, (anonymous namespace)::"
     "LogSoftMaxForwardEpilogue>(float*, float const*, int)",
     21'900, "[8192, 1, 1]", "[1024, 1, 1]", 32, 128, "62.060608", "1985.939392", 100},
    {"void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, "
     "long>(float*, float*, "
     "float const*, long const*, float const*, bool, long, long, long, long)",
     4'600, "[1, 1, 1]", "[32, 1, 1]", 38, 256, "0.007576", "0.007576", 0},
    {"void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float>("
     "c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16 const*, "
     "c10::BFloat16*, int)",
     17'800, "[8192, 1, 1]", "[128, 1, 1]", 40, 16, "62.060608", "248.242432", 75},
    {"void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16, float, 64u, "
     "1u, 32u, "
     "true, true, false>(long, long, c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, "
     "c10::BFloat16*, c10::BFloat16*)",
     19'400, "[16, 128, 1]", "[32, 8, 1]", 40, 0, "15.515152", "124.121216", 75},
    {"nvjet_tst_256x128_64x4_2x1_v_bz_coopA_NNT", 101'600, "[132, 1, 1]", "[384, 1, 1]", 168, 213216, "1",
     "12", 19},
    {"nvjet_tst_128x256_64x4_1x2_h_bz_coopB_NTT", 108'900, "[132, 1, 1]", "[384, 1, 1]", 168, 213216, "1",
     "12", 19},
    {"void "
     "pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::Flash_bwd_kernel_traits<64, "
     "128, "
     "128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, "
     "8, "
     "cutlass::bfloat16_t> >, false, true, false, false, false, true, "
     "false>(pytorch_flash::Flash_bwd_params)",
     163'500, "[8, 8, 16]", "[256, 1, 1]", 255, 147456, "7.757576", "62.060608", 12},
    {"void at::native::vectorized_elementwise_kernel<4, "
     "at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, "
     "at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() "
     "const::{lambda(c10::BFloat16, "
     "c10::BFloat16)#1}, std::array<char*, 3ul> >(int, "
     "at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, "
     "at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() "
     "const::{lambda(c10::BFloat16, "
     "c10::BFloat16)#1}, std::array<char*, 3ul>)",
     22'700, "[32768, 1, 1]", "[128, 1, 1]", 26, 0, "248.242432", "992.969728", 100},
    {"void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, "
     "at::native::func_wrapper_t<c10::BFloat16,"
     " at::native::sum_functor<c10::BFloat16, float, "
     "c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, "
     "float)#1}>, unsigned int, c10::BFloat16, 4> >(at::native::ReduceOp<c10::BFloat16, "
     "at::native::func_wrapper_t<"
     "c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, "
     "c10::BFloat16>::operator()(at::TensorIterator&)::"
     "{lambda(float, float)#1}>, unsigned int, c10::BFloat16, 4>)",
     14'900, "[8, 16, 1]", "[32, 16, 1]", 32, 8208, "0.969697", "15.515152", 25},
    {"void (anonymous namespace)::cunn_SoftMaxBackward<8, float, float, float, (anonymous namespace)::"
     "LogSoftMaxBackwardEpilogue>(float*, float const*, float const*, long)",
     24'300, "[8192, 1, 1]", "[1024, 1, 1]", 32, 128, "62.060608", "1985.939392", 100},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::"
     "FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, "
     "(at::native::"
     "(anonymous namespace)::ADAM_MODE)1, false>, float const*, double, double, double, double, double, "
     "bool, float*, "
     "float*>(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
     "namespace)::"
     "FusedAdamMathFunctor<float, 4, (at::native::(anonymous namespace)::ADAM_MODE)1, false>, float const*, "
     "double, "
     "double, double, double, double, bool, float*, float*)",
     46'800, "[320, 1, 1]", "[512, 1, 1]", 64, 0, "2.424242", "38.787879", 50},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctorOnSelf_add<float>, "
     "std::array<char*, 2ul>"
     " >(int, at::native::CUDAFunctorOnSelf_add<float>, std::array<char*, 2ul>)",
     1'900, "[1, 1, 1]", "[128, 1, 1]", 18, 0, "0.007576", "0.030303", 0},
    {"ampere_sgemm_128x64_tn", 424'000, "[64, 64, 1]", "[128, 1, 1]", 122, 12544, "31.030304", "124.121216",
     25},
    {"void cudnn::ops::nchwToNhwcKernel<__nv_bfloat16, __nv_bfloat16, float, false, true, "
     "(cudnnKernelDataType_t)0>(cudnn::ops::nchw2nhwc_params_t<float>, __nv_bfloat16 const*, __nv_bfloat16*)",
     60'000, "[8192, 1, 1]", "[256, 1, 1]", 30, 4224, "62.060608", "496.484864", 100},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<c10::BFloat16, "
     "c10::BFloat16, "
     "c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int)",
     16'000, "[32768, 1, 1]", "[128, 1, 1]", 22, 0, "248.242432", "992.969728", 100},
    {"sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x32_stage3_warpsize2x2x1_tensor16x8x16_kernel",
     55'000, "[24, 64, 1]", "[128, 1, 1]", 168, 81920, "11.636364", "46.545456", 13},
    {"void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 9, false, "
     "false>(c10::BFloat16*, c10::BFloat16 const*, int, int, int, bool const*, int, bool)",
     60'000, "[32768, 1, 1]", "[32, 4, 1]", 40, 0, "248.242432", "992.969728", 100},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::addcdiv_cuda_kernel_functor<float>, "
     "std::array<char*, 4ul> >(int)",
     2'600, "[512, 1, 1]", "[128, 1, 1]", 24, 0, "3.878788", "15.515152", 100},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, "
     "1ul> "
     ">(int)",
     1'600, "[512, 1, 1]", "[128, 1, 1]", 16, 0, "3.878788", "15.515152", 100},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 0, "[24, 1, 1]",
     "[640, 1, 1]", 96, 84448, "0.181818", "3.636364", 0},
    {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 0, "[24, 1, 1]", "[640, 1, 1]", 96,
     84448, "0.181818", "3.636364", 0},
    {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 0, "[24, 1, 1]",
     "[640, 1, 1]", 96, 84448, "0.181818", "3.636364", 0},
    {"ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 0, "[2, 1, 1]", "[544, 1, 1]", 96,
     84448, "0.015152", "0.257576", 0},
}};

constexpr std::array<Text, 2> kLayerNormPath{"aten::layer_norm", "aten::native_layer_norm"};
constexpr std::array<Text, 2> kLinearPath{"aten::linear", "aten::addmm"};
constexpr std::array<Text, 3> kViewPath{"aten::t", "aten::transpose", "aten::as_strided"};
constexpr std::array<Text, 3> kAttentionPath{"aten::scaled_dot_product_attention",
                                             "aten::_scaled_dot_product_flash_attention",
                                             "aten::_flash_attention_forward"};
constexpr std::array<Text, 1> kGeluPath{"aten::gelu"};
constexpr std::array<Text, 1> kAddPath{"aten::add"};
constexpr std::array<Text, 2> kSoftMaxPath{"aten::log_softmax", "aten::_log_softmax"};
constexpr std::array<Text, 3> kNllPath{"aten::nll_loss_nd", "aten::nll_loss", "aten::nll_loss_forward"};

constexpr std::array<KernelId, 2> kLayerNormBackward{KernelId::LayerNormInput, KernelId::LayerNormWeights};
constexpr std::array<Text, 2> kLayerNormBackwardOps{"aten::native_layer_norm_backward",
                                                    "aten::native_layer_norm_backward"};
constexpr std::array<KernelId, 3> kLinearBackward{KernelId::GemmInputGrad, KernelId::GemmWeightGrad,
                                                  KernelId::BiasSum};
constexpr std::array<Text, 3> kLinearBackwardOps{"aten::mm", "aten::mm", "aten::sum"};
constexpr std::array<KernelId, 1> kAttentionBackward{KernelId::FlashBackward};
constexpr std::array<Text, 1> kAttentionBackwardOps{"aten::_flash_attention_backward"};
constexpr std::array<KernelId, 1> kGeluBackward{KernelId::GeluBackward};
constexpr std::array<Text, 1> kGeluBackwardOps{"aten::gelu_backward"};
constexpr std::array<KernelId, 1> kSoftMaxBackward{KernelId::SoftMaxBackward};
constexpr std::array<Text, 1> kSoftMaxBackwardOps{"aten::_log_softmax_backward_data"};

constexpr OpInfo linear(Text dims, std::int64_t bytes, KernelId kernel) {
  return {kLinearPath,
          kViewPath,
          kernel,
          "Linear",
          "torch/nn/modules/linear.py(124): forward",
          dims,
          R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])",
          "[[1024, 1], [1024, 1], [1]]",
          R"(["", "", ""])",
          bytes,
          "AddmmBackward0",
          kLinearBackward,
          kLinearBackwardOps,
          true};
}

constexpr OpInfo layerNorm() {
  return {kLayerNormPath,
          {},
          KernelId::LayerNorm,
          "LayerNorm",
          "torch/nn/modules/normalization.py(217): forward",
          "[[16, 512, 1024], [], [1024], [1024], [], []]",
          R"(["c10::BFloat16", "ScalarList", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"])",
          "[[524288, 1024, 1], [], [1], [1], [], []]",
          R"(["", "[1024]", "", "", "1e-05", "True"])",
          16'777'216,
          "NativeLayerNormBackward0",
          kLayerNormBackward,
          kLayerNormBackwardOps,
          true};
}

constexpr OpInfo add() {
  return {kAddPath,
          {},
          KernelId::Add,
          {},
          {},
          "[[16, 512, 1024], [16, 512, 1024], []]",
          R"(["c10::BFloat16", "c10::BFloat16", "Scalar"])",
          "[[524288, 1024, 1], [524288, 1024, 1], []]",
          R"(["", "", "1"])",
          16'777'216,
          "AddBackward0",
          {},
          {},
          false};
}

constexpr std::array<OpInfo, 9> kLayerOps{
    layerNorm(),
    linear("[[8192, 1024], [3072, 1024], [3072]]", 50'331'648, KernelId::GemmForward),
    OpInfo{kAttentionPath,
           {},
           KernelId::FlashForward,
           {},
           {},
           "[[16, 16, 512, 64], [16, 16, 512, 64], [16, 16, 512, 64], [], [], [], []]",
           R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "", "Scalar", "Scalar", ""])",
           "[[1572864, 64, 3072, 1], [1572864, 64, 3072, 1], [1572864, 64, 3072, 1], [], [], [], []]",
           R"(["", "", "", "", "0.", "True", ""])",
           16'777'216,
           "ScaledDotProductFlashAttentionBackward0",
           kAttentionBackward,
           kAttentionBackwardOps,
           false},
    linear("[[8192, 1024], [1024, 1024], [1024]]", 16'777'216, KernelId::GemmForward),
    add(),
    layerNorm(),
    linear("[[8192, 1024], [4096, 1024], [4096]]", 67'108'864, KernelId::GemmCutlass),
    OpInfo{kGeluPath,
           {},
           KernelId::Gelu,
           "GELU",
           "torch/nn/modules/activation.py(734): forward",
           "[[16, 512, 4096], []]",
           R"(["c10::BFloat16", ""])",
           "[[2097152, 4096, 1], []]",
           R"(["", "'none'"])",
           67'108'864,
           "GeluBackward0",
           kGeluBackward,
           kGeluBackwardOps,
           false},
    linear("[[8192, 4096], [1024, 4096], [1024]]", 16'777'216, KernelId::GemmCutlass),
};

constexpr std::array<OpInfo, 2> kLossOps{
    OpInfo{kSoftMaxPath,
           {},
           KernelId::SoftMax,
           {},
           "torch/nn/functional.py(3029): cross_entropy",
           "[[8192, 32000], [], []]",
           R"(["float", "Scalar", ""])",
           "[[32000, 1], [], []]",
           R"(["", "1", ""])",
           1'048'576'000,
           "LogSoftmaxBackward0",
           kSoftMaxBackward,
           kSoftMaxBackwardOps,
           false},
    OpInfo{kNllPath,
           {},
           KernelId::NllLoss,
           {},
           {},
           "[[8192, 32000], [8192], [], [], []]",
           R"(["float", "long int", "", "Scalar", "Scalar"])",
           "[[32000, 1], [1], [], [], []]",
           R"(["", "", "", "1", "-100"])",
           512,
           "NllLossBackward0",
           {},
           {},
           false},
};

} // namespace

const KernelInfo& kernelInfo(KernelId id) {
  return kKernels[static_cast<std::size_t>(id)];
}
const CollectiveInfo& allReduce() {
  static constexpr CollectiveInfo info{"allreduce", "c10d::allreduce_", "nccl:all_reduce",
                                       KernelId::AllReduce};
  return info;
}
const CollectiveInfo& allGather() {
  static constexpr CollectiveInfo info{"_allgather_base", "c10d::_allgather_base_", "nccl:_all_gather_base",
                                       KernelId::AllGather};
  return info;
}
const CollectiveInfo& reduceScatter() {
  static constexpr CollectiveInfo info{"_reduce_scatter_base", "c10d::_reduce_scatter_base_",
                                       "nccl:_reduce_scatter_base", KernelId::ReduceScatter};
  return info;
}
const CollectiveInfo& broadcast() {
  static constexpr CollectiveInfo info{"broadcast", "c10d::broadcast_", "nccl:broadcast",
                                       KernelId::Broadcast};
  return info;
}
const CollectiveInfo& gatherOfLists() {
  static constexpr CollectiveInfo info{"allgather", "c10d::allgather_", "nccl:all_gather",
                                       KernelId::AllGather};
  return info;
}
std::span<const OpInfo> layerOps() {
  return kLayerOps;
}
std::span<const OpInfo> lossOps() {
  return kLossOps;
}

} // namespace rankscope::test
