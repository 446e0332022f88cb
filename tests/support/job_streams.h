// SPDX-License-Identifier: GPL-3.0-or-later
//
// Streams of the synthetic job beyond what most tests need: rows of synchronization, as recorded with
// enable_cuda_sync_events, and a second stream of compute kernels.
#pragma once

#include "tests/support/job_generator.h"

namespace rankscope::test {

struct StreamOptions {
  // Waits of streams and of the host as rows that name what was waited for. Nothing else changes.
  bool syncRows = false;
  // Gradients of weights are computed on a stream of their own: it waits for the gradients of the layer's
  // outputs by an event, and communication and the optimizer wait for it.
  bool secondStream = false;
};

JobTruth generateJob(const JobOptions& options, const StreamOptions& streams,
                     const std::filesystem::path& folder);

} // namespace rankscope::test
