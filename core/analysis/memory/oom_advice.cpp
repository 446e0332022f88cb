// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/memory/oom_advice.h"

namespace rankscope {

std::string_view oomAdvice(OomCause cause) {
  switch (cause) {
  case OomCause::OtherPool:
    return "Allocate on the stream that frees, or call record_stream less often.";
  case OomCause::Retry:
    return "Look for other processes on the device, and for CUDA graphs and memory pools of this one.";
  case OomCause::Fragmentation:
    return "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; use fewer different shapes; or limit "
           "max_split_size_mb.";
  case OomCause::Full:
    break;
  }
  return "Reduce what is largest: activation checkpointing or a smaller batch for activations; sharding "
         "(FSDP, ZeRO) for parameters, gradients and optimizer state.";
}

} // namespace rankscope
