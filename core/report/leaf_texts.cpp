// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/leaf_texts.h"

#include <array>
#include <optional>
#include <utility>

namespace rankscope {

namespace {

struct LeafWords {
  Leaf leaf;
  std::string_view title;
  std::string_view definition;
};

using enum Leaf;

constexpr std::array<LeafWords, kLeafCount> kWords{{
    {WaitRank, "Wait for other ranks",
     "Exposed time in a collective before its last rank began, or idle time behind it."},
    {WaitStart, "Start skew of recordings",
     "Exposed waiting in the first matched collective of a group, because the recordings began at different "
     "times."},
    {CommUnlaunched, "Late launch of collectives",
     "Exposed communication that began late because the host launched it late."},
    {CommTail, "Last gradients, first gather",
     "Exposed collectives that have no compute left to overlap with: the last gradients of the backward "
     "pass, or the first gather of a step."},
    {CommSlowLink, "Slow link", "Transfer time beyond what messages of this size take in other groups."},
    {CommFragmented, "Fragmented collectives",
     "Transfer time that the same bytes in fewer calls would save."},
    {CommTransfer, "Exposed transfer",
     "Exposed communication after the last rank arrived. Without the other ranks' files, waiting is part of "
     "it."},
    {HostInput, "DataLoader", "GPU idle while the DataLoader takes half of the host's time or more."},
    {HostSync, "Synchronization",
     "GPU idle after a blocking call: nothing was queued while the host waited."},
    {HostComm, "Host communication", "GPU idle while the host is in a barrier, object collective or gloo."},
    {HostAlloc, "Device allocation", "GPU idle while the host is in cudaMalloc, cudaFree or the like."},
    {HostCompile, "Compilation", "GPU idle while the host compiles or autotunes for more than 5 ms."},
    {HostCheckpoint, "Checkpoint, evaluation", "GPU idle while the host saves a checkpoint or evaluates."},
    {HostGc, "Garbage collection", "GPU idle while Python collects garbage."},
    {HostPython, "Python or unrecorded code",
     "GPU idle for more than 200 µs while the host runs Python or unrecorded code, not operators."},
    {HostDescheduled, "Descheduled host thread",
     "GPU idle for more than 1 ms while the launching thread records nothing: it was not running, or what it "
     "ran was not recorded."},
    {DispatchForward, "Dispatch in forward",
     "GPU idle while the host launches the forward pass as fast as it can, operator by operator; where no "
     "phase was recorded, all work outside of backward and optimizer."},
    {DispatchBackward, "Dispatch in backward",
     "GPU idle while the host launches the backward pass as fast as it can."},
    {DispatchOptimizer, "Dispatch in optimizer", "GPU idle while the host launches the optimizer's kernels."},
    {DispatchDdp, "Dispatch in DDP",
     "GPU idle while DistributedDataParallel prepares the forward pass or its reducer runs."},
    {DispatchOther, "Dispatch elsewhere", "GPU idle while the host launches work outside of marked phases."},
    {QueueLatency, "Launch latency",
     "Gaps below 5 µs between kernels, and gaps whose launch ended less than 30 µs before the next event."},
    {QueueDependency, "Dependency", "Queued work that waits for an event of another stream."},
    {QueueUnexplained, "Unexplained idle",
     "GPU idle although work was queued, and nothing recorded explains it."},
    {CopyH2d, "Memcpy host to device", "Copies to the device with no kernel running at the same time."},
    {CopyD2h, "Memcpy device to host", "Copies to the host with no kernel running at the same time."},
    {CopyD2d, "Memcpy in device, memset",
     "Copies within the device and memset with no kernel running at the same time."},
    {CopyP2p, "Memcpy between devices", "Copies between devices with no kernel running at the same time."},
    {ComputeAttention, "Unfused attention",
     "Softmax with the batched GEMM kernels around it: what fused attention would save."},
    {ComputeSimt, "GEMM without tensor cores",
     "GEMM and convolution kernels in float32 without tensor cores: what TF32 or 16 bits would save."},
    {ComputeMisaligned, "Misaligned GEMM",
     "16-bit GEMM kernels that read one or two elements at a time: half of their time, the estimated "
     "saving."},
    {ComputeLayout, "Layout conversions", "Conversions between NCHW and NHWC around convolutions."},
    {ComputeCast, "Casts", "Casts before and after GEMM kernels and convolutions."},
    {ComputeAtomics, "Atomics",
     "Half the time of index_put, scatter_add and embedding backward, the estimated saving."},
    {ComputeNorm, "Norms",
     "Batch norm time beyond what reading and writing its data twice takes at memory bandwidth."},
    {ComputeOptimizer, "Unfused optimizer",
     "Kernels that the optimizer launches for single tensors: what fused=True would save."},
    {ComputeUnfused, "Unfused elementwise",
     "Elementwise kernels in a row and copies for contiguity: what one fused kernel would save."},
    {ComputeSmallGrid, "Small grids",
     "Kernels with fewer blocks than SMs: the share of SMs without a block."},
    {ComputeContention, "Contention with communication",
     "Kernels that are slower with a collective running than without one: the difference."},
    {ComputeClock, "Slow clock", "Kernels of a rank that are slower than the same kernels on other ranks."},
    {ComputeRecompute, "Recomputation", "Forward operators that the backward pass runs again."},
    {Ideal, "Ideal compute", "Compute time without known inefficiencies."},
    {CaptureEdge, "Edge of the recording",
     "Idle at the ends of the recording, where unrecorded work may run."},
    {CaptureInit, "Start-up", "Creation of contexts, streams and handles, loading of modules."},
}};

constexpr bool inOrder() {
  for (std::size_t i = 0; i < kLeafCount; ++i) {
    if (kWords[i].leaf != static_cast<Leaf>(i)) return false;
  }
  return true;
}
static_assert(inOrder());

} // namespace

LeafGroup leafGroup(Leaf leaf) {
  if (leaf == Leaf::Ideal) return LeafGroup::Ideal;
  if (isUnder(leaf, "compute")) return LeafGroup::Kernels;
  if (isUnder(leaf, "comm")) return LeafGroup::Transfer;
  if (isUnder(leaf, "wait")) return LeafGroup::Wait;
  if (isUnder(leaf, "copy")) return LeafGroup::Memcpy;
  if (isUnder(leaf, "host")) return LeafGroup::Host;
  return isUnder(leaf, "queue") ? LeafGroup::Queue : LeafGroup::Recording;
}

std::string_view leafGroupTitle(LeafGroup group) {
  static constexpr std::array<std::string_view, kLeafGroupCount> kTitles{"ideal compute",
                                                                         "kernels",
                                                                         "exposed transfer",
                                                                         "waiting for ranks",
                                                                         "memcpy",
                                                                         "idle: host is late",
                                                                         "idle: work is queued",
                                                                         "recording edges, start-up"};
  return kTitles[static_cast<std::size_t>(group)];
}

std::string_view leafTitle(Leaf leaf) {
  return kWords[static_cast<std::size_t>(leaf)].title;
}

std::string_view leafOrParentTitle(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kParents{
      {{"wait", "Waiting for ranks"},
       {"comm", "Communication"},
       {"host", "Host is late"},
       {"host.dispatch", "Dispatch"},
       {"queue", "Work is queued"},
       {"copy", "Memcpy"},
       {"compute", "Kernels"},
       {"capture", "Recording"}}};
  if (const std::optional<Leaf> leaf = leafNamed(text)) return leafTitle(*leaf);
  for (const auto& [parent, title] : kParents) {
    if (parent == text) return title;
  }
  return text;
}

std::string_view leafDefinition(Leaf leaf) {
  return kWords[static_cast<std::size_t>(leaf)].definition;
}

std::string_view leafSource(Leaf leaf) {
  switch (leafGroup(leaf)) {
  case LeafGroup::Ideal:
    return "compute kernels less the parts in leaves of their own";
  case LeafGroup::Kernels:
    return "kernel names, shapes, grids and launching operators";
  case LeafGroup::Transfer:
  case LeafGroup::Wait:
    return "collectives matched over the ranks that were recorded";
  case LeafGroup::Memcpy:
    return "memcpy and memset events";
  case LeafGroup::Host:
    return "gaps between device events, and what the launching thread did in them";
  case LeafGroup::Queue:
    return "gaps between device events, and when the next one was launched";
  case LeafGroup::Recording:
    break;
  }
  return "first and last recorded launches, and calls that only start-up makes";
}

std::string_view timeClassTitle(TimeClass timeClass) {
  static constexpr std::array<std::string_view, kTimeClassCount> kTitles{"compute", "exposed communication",
                                                                         "memcpy", "idle"};
  return kTitles[static_cast<std::size_t>(timeClass)];
}

} // namespace rankscope
