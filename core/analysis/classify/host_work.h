// SPDX-License-Identifier: GPL-3.0-or-later
// What a host event is for when it is no ordinary work of a training step: start-up, compilation, saving,
// evaluating, garbage collection, a host that talks to other hosts. Judged by name, whatever the kind of the
// event: an annotation, an operator, a runtime call or a Python frame. Pure; about a microsecond a name, so
// judge names and not events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankscope {

enum class HostWork : std::uint8_t {
  Ordinary,
  Initialization, // cudaStreamCreate, module loading, handles of libraries
  Compilation, // Dynamo, Inductor's autotuning, recording of CUDA graphs; not the running of what they made
  Checkpoint,  // torch.save, state_dict, save_checkpoint
  Evaluation,  // evaluate, validation
  GarbageCollection, // Python's
  HostCommunication, // barriers, gathers of objects, the TCP store, gloo
};

inline constexpr std::size_t kHostWorkCount = static_cast<std::size_t>(HostWork::HostCommunication) + 1;

[[nodiscard]] HostWork hostWorkOf(std::string_view name);

// Whether torch.distributed calls an operator ("c10d::allreduce_") or annotation ("nccl:all_reduce") so.
[[nodiscard]] bool isTorchDistributedName(std::string_view name);

} // namespace rankscope
