// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/kernel_work.h"

#include <algorithm>
#include <initializer_list>

namespace rankscope {

namespace {

struct WorkName {
  std::string_view text;

  [[nodiscard]] bool has(std::string_view part) const { return text.find(part) != std::string_view::npos; }
  [[nodiscard]] bool hasAny(std::initializer_list<std::string_view> parts) const {
    return std::ranges::any_of(parts, [&](std::string_view part) { return has(part); });
  }
};

// "softmax_warp_forward<float, float, float, 3, true, false>": the first flag means log-softmax.
bool isLogarithm(const WorkName& name) {
  if (name.hasAny({"LogSoftMax", "log_softmax", "LogSoftmax"})) return true;
  const std::size_t warp = name.text.find("softmax_warp");
  if (warp == std::string_view::npos) return false;
  return name.text.find("true", warp) < name.text.find("false", warp);
}

KernelWork softmaxOf(const WorkName& name) {
  if (!name.hasAny({"softmax", "SoftMax", "Softmax"}) || isLogarithm(name)) return KernelWork::Other;
  return name.hasAny({"ackward"}) ? KernelWork::SoftmaxBackward : KernelWork::Softmax;
}

bool isCast(const WorkName& name) {
  if (name.hasAny({"bfloat16_copy_kernel", "float16_copy_kernel", "float8_copy_kernel"})) return true;
  return name.has("copy_kernel") && (name.hasAny({"LoadWithCast", "StoreWithCast"}) ||
                                     (name.has("gpu_kernel_impl<") && !name.has("gpu_kernel_impl_nocast<")));
}

bool isAtomic(const WorkName& name) {
  return name.hasAny({"indexing_backward_kernel", "embedding_backward_feature_kernel", "compute_grad_weight",
                      "indexFuncLargeIndex", "indexFuncSmallIndex", "index_add", "scatter_add", "ReduceAdd",
                      "EmbeddingBag_updateGradWeight", "embedding_backward_kernel"});
}

KernelWork workOf(const WorkName& name, const KernelDtype& dtype) {
  using enum KernelWork;
  if (name.hasAny({"nchwToNhwc", "nhwcToNchw", "transpose_readWrite", "batched_transpose", "tensorTransform",
                   "cudnn::ops::", "SubTensorOp", "NCHW_to_NHWC", "NHWC_to_NCHW"}))
    return Layout;
  if (name.hasAny({"multi_tensor_apply", "FusedAdam", "FusedSgd", "fused_adam", "fused_sgd"})) return Foreach;
  if (dtype.product) return Product;
  const KernelWork softmax = softmaxOf(name);
  if (softmax != Other) return softmax;
  if (isAtomic(name)) return Atomics;
  if (name.has("batch_norm_")) return BatchNorm;
  if (name.hasAny({"triton", "index_elementwise", "distribution_elementwise"})) return Other;
  if (name.hasAny({"dropout", "masked_scale"})) return Dropout;
  if (isCast(name)) return Cast;
  if (name.hasAny({"direct_copy_kernel", "CatArrayBatchedCopy", "copy_device_to_device"})) return Copy;
  if (name.has("reduce_kernel")) return name.has("MeanOps") ? Mean : Other;
  return name.has("elementwise_kernel") ? Elementwise : Other;
}

bool isMisaligned(const WorkName& name, const KernelDtype& dtype) {
  if (!is16Bit(dtype.format) || dtype.vector) return false;
  return name.hasAny({"align1>", "align1_", "align2>", "align2_", "_ldg1_", "_ldg2_", "aligna1_", "aligna2_",
                      "alignb1_", "alignb2_"}) ||
         name.text.ends_with("align1") || name.text.ends_with("align2");
}

bool isPersistent(const WorkName& name) {
  return name.hasAny({"nvjet", "stream_k", "streamk", "StreamK", "device_kernel", "ersistent", "_matmul_ogs",
                      "_SK3_", "_SK2_"});
}

} // namespace

KernelTraits kernelTraits(std::string_view kernelName) {
  const WorkName name{kernelName};
  const KernelDtype dtype = kernelDtype(kernelName);
  return {dtype, workOf(name, dtype), isMisaligned(name, dtype), isPersistent(name)};
}

} // namespace rankscope
