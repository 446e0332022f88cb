// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/recording_advice.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace rankscope {

bool recordedByNsight(const TraceSet& trace) {
  for (std::uint32_t rank = 0; rank < trace.ranks().size(); ++rank) {
    if (trace.recordedByNsight(RankIndex(rank))) return true;
  }
  return false;
}

bool areFoldedStacks(const TraceSet& trace) {
  return !trace.ranks().empty() && std::ranges::all_of(trace.ranks(), [&](const RankEntry& entry) {
    return entry.file.valid() && trace.file(entry.file).format == "folded";
  });
}

namespace {

std::string_view besideFoldedStacks(Recordable what) {
  switch (what) {
  case Recordable::Device:
    return "torch.profiler, as folded stacks have no device activity";
  case Recordable::Operators:
    return "torch.profiler, as folded stacks have no operators";
  case Recordable::Shapes:
    return "torch.profiler and record_shapes=True, as folded stacks have no shapes";
  case Recordable::Stacks:
    return "torch.profiler and with_stack=True, as folded stacks have no times of frames";
  case Recordable::Memory:
    return "torch.profiler and profile_memory=True, as folded stacks have no allocations";
  }
  return {};
}

} // namespace

std::string optionFor(Recordable what, const TraceSet& trace) {
  if (areFoldedStacks(trace)) return std::string(besideFoldedStacks(what));
  const bool nsight = recordedByNsight(trace);
  switch (what) {
  case Recordable::Device:
    return nsight ? "nsys profile --trace=cuda,nvtx"
                  : "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]";
  case Recordable::Operators:
    return nsight ? "torch.autograd.profiler.emit_nvtx() around the steps"
                  : "activities=[ProfilerActivity.CPU, ...]";
  case Recordable::Shapes:
    return nsight ? "emit_nvtx(record_shapes=True)" : "record_shapes=True";
  case Recordable::Stacks:
    return nsight ? "torch.profiler and with_stack=True, as Nsight Systems has no frames of Python"
                  : "with_stack=True";
  case Recordable::Memory:
    return nsight ? "torch.profiler and profile_memory=True, as Nsight Systems has no allocations of PyTorch"
                  : "profile_memory=True";
  }
  return {};
}

std::string costlyOptions(const TraceSet& trace) {
  return recordedByNsight(trace)
             ? "record_shapes of emit_nvtx, --trace=osrt, CPU sampling and call stacks (--sample=none "
               "--backtrace=none)"
             : "with_stack, profile_memory and record_shapes";
}

std::string scheduleAdvice(int wait, int active, const TraceSet& trace) {
  if (recordedByNsight(trace))
    return fmt::format("call torch.cuda.profiler.start() after {} and stop() {} steps later, and record with "
                       "--capture-range=cudaProfilerApi",
                       wait == 1 ? "the first step" : fmt::format("{} steps", wait), active);
  return fmt::format("torch.profiler.schedule(wait={}, warmup=2, active={})", wait, active);
}

} // namespace rankscope
