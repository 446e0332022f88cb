// SPDX-License-Identifier: GPL-3.0-or-later
// How to record a job with torch.profiler: the lines that the start page shows and copies. The page "Opening
// a job" of the guide has the same; a test compares them.
#pragma once

#include <QString>

namespace rankscope::ui {

[[nodiscard]] inline QString recordingRecipe() {
  return QStringLiteral(R"(import torch.distributed as dist
from torch.profiler import (ProfilerActivity, profile, schedule,
                            tensorboard_trace_handler)

with profile(
    activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
    schedule=schedule(wait=2, warmup=2, active=5, repeat=1),
    on_trace_ready=tensorboard_trace_handler(
        "traces", worker_name=f"rank{dist.get_rank()}", use_gzip=True),
    record_shapes=True,
    profile_memory=True,
    with_stack=True,
) as profiler:
    for batch in loader:
        train_step(batch)
        profiler.step()
)");
}

} // namespace rankscope::ui
