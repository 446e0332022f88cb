// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/tensor_cores.h"

#include "core/analysis/classify/kernel_dtype.h"

#include <algorithm>
#include <array>

namespace rankscope {

namespace {

// Name parts used by the TensorBoard plugin: matrix instructions and library kernels of Volta to Ampere.
constexpr std::array<std::string_view, 18> kPluginParts{"h884",
                                                        "s884",
                                                        "h1688",
                                                        "s1688",
                                                        "hmma",
                                                        "i8816",
                                                        "16816",
                                                        "c1688",
                                                        "dgrad_1x1_stride_2x2",
                                                        "first_layer_wgrad_kernel",
                                                        "conv1x1",
                                                        "conv2d_c1_k1",
                                                        "direct_group",
                                                        "xmma_gemm",
                                                        "xmma_implicit_gemm",
                                                        "xmma_sparse_conv",
                                                        "xmma_sparse_gemm",
                                                        "xmma_warp_specialized_implicit_gemm"};

// Newer name parts. CUTLASS uses "tensorop" or "wmma"; "gmma" matches wgmma, hgmma, qgmma and igmma.
constexpr std::array<std::string_view, 12> kNewerParts{"gmma",     "wmma",      "nvjet",     "sm90_",
                                                       "sm100_",   "sm103_",    "sm120_",    "cutlass3x",
                                                       "tensorop", "flash_fwd", "flash_bwd", "mfma"};

constexpr std::array<std::string_view, 49> kEligible{
    "AddbmmBackward",
    "AddmmBackward",
    "AddmvBackward",
    "BmmBackward",
    "ConvolutionBackward",
    "CudnnConvolutionBackward",
    "CudnnConvolutionTransposeBackward",
    "MmBackward",
    "MvBackward",
    "aten::_convolution",
    "aten::_scaled_mm",
    "aten::_thnn_fused_gru_cell",
    "aten::_thnn_fused_lstm_cell",
    "aten::addbmm",
    "aten::addmm",
    "aten::addmm_",
    "aten::addmv",
    "aten::addr",
    "aten::baddbmm",
    "aten::bmm",
    "aten::chain_matmul",
    "aten::conv1d",
    "aten::conv2d",
    "aten::conv3d",
    "aten::conv_tbc",
    "aten::conv_transpose1d",
    "aten::conv_transpose2d",
    "aten::conv_transpose3d",
    "aten::convolution",
    "aten::convolution_backward",
    "aten::cudnn_convolution",
    "aten::cudnn_convolution_backward",
    "aten::cudnn_convolution_backward_input",
    "aten::cudnn_convolution_backward_weight",
    "aten::cudnn_convolution_transpose",
    "aten::cudnn_convolution_transpose_backward",
    "aten::cudnn_convolution_transpose_backward_input",
    "aten::cudnn_convolution_transpose_backward_weight",
    "aten::gru_cell",
    "aten::linalg_multi_dot",
    "aten::linear",
    "aten::lstm_cell",
    "aten::matmul",
    "aten::miopen_convolution",
    "aten::mm",
    "aten::mv",
    "aten::prelu",
    "aten::rnn_relu_cell",
    "aten::rnn_tanh_cell",
};
static_assert(std::ranges::is_sorted(kEligible));

} // namespace

std::optional<bool> tensorCoresByName(std::string_view kernelName) {
  const KernelDtype dtype = kernelDtype(kernelName);
  if (dtype.units != MatrixUnits::Unknown) return dtype.units == MatrixUnits::Used;
  const auto has = [&](std::string_view part) { return kernelName.find(part) != std::string_view::npos; };
  if (std::ranges::any_of(kPluginParts, has)) return true;
  // CUTLASS kernels for ordinary cores also have the architecture in their names.
  if (std::ranges::any_of(kNewerParts, has) && !has("simt")) return true;
  return dtype.product || dtype.fusedAttention ? std::nullopt : std::optional(false);
}

bool usesTensorCores(std::string_view kernelName) {
  return tensorCoresByName(kernelName).value_or(false);
}

bool isTensorCoreEligible(std::string_view operatorName) {
  // Autograd numbers variants of a node: MmBackward, MmBackward0.
  if (operatorName.ends_with("Backward0")) operatorName.remove_suffix(1);
  return std::ranges::binary_search(kEligible, operatorName);
}

TensorCoreNames::TensorCoreNames(const StringTable& names)
    : m_names(names), m_used(names.size(), Verdict::Unknown), m_eligible(names.size(), Verdict::Unknown) {}

} // namespace rankscope
