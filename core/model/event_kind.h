// SPDX-License-Identifier: GPL-3.0-or-later
// What an event is, decided once while reading from its category and name. Device activity is Kernel,
// Collective, Copy and Set and nothing else: user annotations and synchronization rows on a stream do not
// make a GPU busy.
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
  GpuAnnotation,  // their shadow on a device's rows
  Python,         // frame of the Python stack
  Sync,           // cuda_sync, cuda_event: a wait shown on a device's rows
  Overhead,       // the profiler's own
  Instant,        // no duration: [memory], markers
  Span,           // the recording itself ("PyTorch Profiler (0)")
  Other,          // a category that nobody here knows
};

inline constexpr int kEventKindCount = static_cast<int>(EventKind::Other) + 1;

// The categories of every version of the format, old spellings and capitals folded together.
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

// Whether a host event of this name is the call that starts a collective, not the collective itself.
[[nodiscard]] bool isCollectiveCallName(std::string_view name);

// Whether a host event of this name is a backend's own record of a collective ("nccl:all_reduce",
// "gloo:barrier") or names the other rank of a transfer ("c10d::send").
[[nodiscard]] bool isBackendCollectiveName(std::string_view name);

// By what a device event was found to be communication, the strongest first.
enum class CommunicationEvidence : std::uint8_t {
  None,           // it is not communication
  Arguments,      // it carries the arguments of a collective
  LinkedOperator, // an operator that communicates launched it
  Name,           // its name is that of a communication kernel
};

// Whether a kernel of this name communicates between devices (definitions: third tier of evidence).
[[nodiscard]] bool isCommunicationKernelName(std::string_view name);

[[nodiscard]] constexpr bool isDeviceActivity(EventKind kind) {
  return kind <= EventKind::Set;
}

// Lower-case word for tables and tooltips: "kernel", "collective", "memcpy", ...
[[nodiscard]] std::string_view kindText(EventKind kind);

// The part of a training step that an annotation or operator of this name belongs to.
enum class Phase : std::uint8_t { None, Step, DataLoader, Forward, Loss, Backward, Optimizer };

[[nodiscard]] Phase phaseOf(std::string_view name);
// The same of what the framework itself names so: autograd's nodes, the forward of a parallel model, the
// DataPipe. Words that people write do not count.
[[nodiscard]] Phase frameworkPhaseOf(std::string_view name);

} // namespace rankscope
