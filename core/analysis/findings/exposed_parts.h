// SPDX-License-Identifier: GPL-3.0-or-later
// What of exposed transfers has a reason of its own: gathers of FSDP, tensor parallelism, statistics of
// SyncBatchNorm, gradients that are reduced more than once a step. Private to the findings.
#pragma once

#include "core/analysis/findings/leaf_parts.h"

#include <string>
#include <vector>

namespace rankscope {

struct ExposedPart {
  FindingKind kind = FindingKind::ExposedCommunication;
  double minShare = 0.01; // of the step
  Confidence confidence = Confidence::Proven;
  std::string title;
  std::string evidence;
  std::string fix;
  ChooseOf choose; // of the pieces of comm.transfer and comm.tail
};

// Those that the job may have; the context outlives them.
[[nodiscard]] std::vector<ExposedPart> exposedParts(const FindingContext& context);

// Whether the job shards parameters with FSDP, by its names.
[[nodiscard]] bool usesFsdp(const FindingContext& context);
// Whether all-to-all exchanges rows of embedding tables, as recommendation models do.
[[nodiscard]] bool shardsEmbeddings(const FindingContext& context);

} // namespace rankscope
