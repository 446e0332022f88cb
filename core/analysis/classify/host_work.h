// SPDX-License-Identifier: GPL-3.0-or-later
// Classifies host events that are not ordinary work of a training step: initialization, compilation,
// checkpoint, evaluation, garbage collection, communication between hosts. By name only, for annotations,
// operators, runtime calls and Python frames. Pure; about a microsecond per name, so call it per name, not
// per event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankscope {

enum class HostWork : std::uint8_t {
  Ordinary,
  Initialization,    // cudaStreamCreate, module loading, library handles
  Compilation,       // Dynamo, Inductor autotuning, CUDA graph capture; not running the results
  Checkpoint,        // torch.save, state_dict, save_checkpoint
  Evaluation,        // evaluate, validation
  GarbageCollection, // of Python
  HostCommunication, // barriers, object gathers, TCPStore, gloo
};

inline constexpr std::size_t kHostWorkCount = static_cast<std::size_t>(HostWork::HostCommunication) + 1;

[[nodiscard]] HostWork hostWorkOf(std::string_view name);

// Whether an operator ("c10d::allreduce_") or annotation ("nccl:all_reduce") is of torch.distributed.
[[nodiscard]] bool isTorchDistributedName(std::string_view name);

} // namespace rankscope
