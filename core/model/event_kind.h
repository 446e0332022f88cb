// SPDX-License-Identifier: GPL-3.0-or-later
// Classifies events by category and name, once while reading. Device activity is Kernel, Collective, Copy and
// Set only. User annotations and synchronization rows on a stream do not make a GPU busy.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

enum class EventKind : std::uint8_t {
  Kernel,         // computation on a device
  Collective,     // communication on a device (NCCL, RCCL, custom all-reduce, ...)
  Copy,           // memory copy on a device
  Set,            // memory set on a device
  CpuOp,          // operator on the host
  HostCollective, // record_param_comms, nccl:, gloo:, c10d:: on the host
  Runtime,        // CUDA, HIP, MTIA or XPU call of the host
  Annotation,     // record_function and friends, ProfilerStep
  GpuAnnotation,  // annotation shown on a device's rows
  Python,         // frame of the Python stack
  Sync,           // cuda_sync, cuda_event: a wait shown on a device's rows
  Overhead,       // overhead of the profiler
  Instant,        // without duration: [memory], markers
  Span,           // the recording itself ("PyTorch Profiler (0)")
  Other,          // unknown category
};

inline constexpr int kEventKindCount = static_cast<int>(EventKind::Other) + 1;

// Categories of all versions of the format. Old spellings and upper case map to the same value.
enum class EventCategory : std::uint8_t {
  None,
  CpuOp,
  UserAnnotation,
  GpuUserAnnotation,
  Kernel,
  Memcpy,
  Memset,
  Runtime,
  Python,
  Overhead,
  Sync,
  Instant,
  Trace,
  ForwardBackward, // flow
  AsyncLaunch,     // flow from a launch to its kernel
  Other,
};

[[nodiscard]] EventCategory categoryFromText(std::string_view text);

// hasCollectiveArguments: the event carries a "Collective name".
[[nodiscard]] EventKind kindOf(EventCategory category, std::string_view name, bool hasCollectiveArguments);

// Whether a host event of this name only launches a collective (and is not a record of the collective).
[[nodiscard]] bool isCollectiveCallName(std::string_view name);

// Whether a host event of this name is a backend's record of a collective ("nccl:all_reduce", "gloo:barrier")
// or names the peer rank of a transfer ("c10d::send").
[[nodiscard]] bool isBackendCollectiveName(std::string_view name);

// Why a device event counts as communication, strongest evidence first.
enum class CommunicationEvidence : std::uint8_t {
  None,           // not communication
  Arguments,      // has the arguments of a collective
  LinkedOperator, // launched by an operator that communicates
  Name,           // has the name of a communication kernel
};

// Whether a kernel of this name communicates between devices (weakest evidence, see definitions).
[[nodiscard]] bool isCommunicationKernelName(std::string_view name);

[[nodiscard]] constexpr bool isDeviceActivity(EventKind kind) {
  return kind <= EventKind::Set;
}

// Lower-case name for tables and tooltips: "kernel", "collective", "memcpy", ...
[[nodiscard]] std::string_view kindText(EventKind kind);

// Phase of a training step, from the name of an annotation or operator.
enum class Phase : std::uint8_t { None, Step, DataLoader, Forward, Loss, Backward, Optimizer };
[[nodiscard]] constexpr bool isValid(Phase value) {
  return value <= Phase::Optimizer;
}

[[nodiscard]] Phase phaseOf(std::string_view name);
// Phase from names that the framework itself assigns: autograd nodes, forward of a parallel model, DataPipe.
// User-defined names give None.
[[nodiscard]] Phase frameworkPhaseOf(std::string_view name);

} // namespace rankscope
