// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the synthetic job has beyond what most tests need: rows of synchronization, as recorded with
// enable_cuda_sync_events, a second stream of compute kernels, and faults of communication and of the input.
// Apart from JobOptions, so that few tests depend on it.
#pragma once

#include "tests/support/job_generator.h"

namespace rankscope::test {

struct StreamOptions {
  // Waits of streams and of the host as rows that name what was waited for. Nothing else changes.
  bool syncRows = false;
  // Gradients of weights are computed on a stream of their own: it waits for the gradients of the layer's
  // outputs by an event, and communication and the optimizer wait for it.
  bool secondStream = false;
  // By how much the sequences of the shortest and the longest rank of a step differ from the mean; other
  // ranks lie between, and which rank has which length changes with each step.
  int unevenPermille = 0;
  // Of every transfer, relative to what it takes otherwise: faster or slower links, and nothing else changes.
  int transferPermille = 1000;
  bool fragments = false; // a collective for each parameter: the same bytes, more latency
  bool buffers = false;   // DDP broadcasts the buffers of the model before each forward pass
  bool objects = false;   // Python objects are gathered between the backward pass and the optimizer
};

JobTruth generateJob(const JobOptions& options, const StreamOptions& streams,
                     const std::filesystem::path& folder);

} // namespace rankscope::test
