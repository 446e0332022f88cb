// SPDX-License-Identifier: GPL-3.0-or-later
//
// Contents of the synthetic job: kernels with the launch values that a profiler records, and the operators of
// one layer with their children, shapes, autograd node and memory. All text is static; JSON fragments are
// valid.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rankscope::test {

struct KernelInfo {
  std::string_view name;
  std::int64_t nominalNs;
  std::string_view grid, block;
  int registers, sharedMemory;
  std::string_view blocksPerSm, warpsPerSm;
  int occupancy;
};

enum class KernelId : std::uint8_t {
  LayerNorm,
  GemmForward,
  GemmCutlass,
  FlashForward,
  Gelu,
  Add,
  SoftMax,
  NllLoss,
  LayerNormInput,
  LayerNormWeights,
  GemmInputGrad,
  GemmWeightGrad,
  FlashBackward,
  GeluBackward,
  BiasSum,
  SoftMaxBackward,
  FusedAdam,
  Tiny,
  Sgemm,
  NchwToNhwc,
  Multiply,
  ScoresGemm,
  Softmax,
  AdamPart,
  Fill,
  AllReduce,
  AllGather,
  ReduceScatter,
  Broadcast,
  Count
};

[[nodiscard]] const KernelInfo& kernelInfo(KernelId id);

// An operator with its nested children down to the launching one, and the work of its backward node.
struct OpInfo {
  std::span<const std::string_view> path;     // outermost first; the last one launches
  std::span<const std::string_view> viewPath; // nested children before it without a launch; may be empty
  KernelId kernel;
  std::string_view module;                         // nn.Module class, for the Python stack
  std::string_view frame;                          // Python frame that calls it
  std::string_view dims, types, strides, concrete; // JSON arrays, for the outermost operator
  std::int64_t outputBytes;
  std::string_view node; // autograd node
  std::span<const KernelId> backward;
  std::span<const std::string_view> backwardOps; // one per kernel of `backward`
  bool hasWeights;                               // whether its backward accumulates gradients
};

// Names of a collective: argument, operator, annotation and kernel.
struct CollectiveInfo {
  std::string_view name, op, annotation;
  KernelId kernel;
};

[[nodiscard]] const CollectiveInfo& allReduce();
[[nodiscard]] const CollectiveInfo& allGather();
[[nodiscard]] const CollectiveInfo& reduceScatter();
[[nodiscard]] const CollectiveInfo& broadcast();
[[nodiscard]] const CollectiveInfo& gatherOfLists(); // one tensor for each rank

[[nodiscard]] std::span<const OpInfo> layerOps();
[[nodiscard]] std::span<const OpInfo> lossOps();

} // namespace rankscope::test
