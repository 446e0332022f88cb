// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the synthetic job runs: the kernels with the launch figures that a profiler records for them, and the
// operators of one layer with their children, shapes, autograd node and memory. All text is static; JSON
// pieces are legal JSON.
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
  AllReduce,
  AllGather,
  ReduceScatter,
  Count
};

[[nodiscard]] const KernelInfo& kernelInfo(KernelId id);

// One operator with its nested children down to the one that launches, and what its backward node runs.
struct OpInfo {
  std::span<const std::string_view> path;     // outermost first; the last one launches
  std::span<const std::string_view> viewPath; // nested children without a launch before it; may be empty
  KernelId kernel;
  std::string_view module;                         // nn.Module class, for the Python stack
  std::string_view frame;                          // Python frame that calls it
  std::string_view dims, types, strides, concrete; // JSON arrays, of the outermost
  std::int64_t outputBytes;
  std::string_view node; // autograd node
  std::span<const KernelId> backward;
  std::span<const std::string_view> backwardOps; // one per kernel of `backward`
  bool hasWeights;                               // its backward accumulates gradients
};

// A collective as the records name it: the argument, the operator, the annotation and the kernel.
struct CollectiveInfo {
  std::string_view name, op, annotation;
  KernelId kernel;
};

[[nodiscard]] const CollectiveInfo& allReduce();
[[nodiscard]] const CollectiveInfo& allGather();
[[nodiscard]] const CollectiveInfo& reduceScatter();

[[nodiscard]] std::span<const OpInfo> layerOps();
[[nodiscard]] std::span<const OpInfo> lossOps();

} // namespace rankscope::test
