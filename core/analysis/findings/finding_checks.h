// SPDX-License-Identifier: GPL-3.0-or-later
// What could not be looked for in a recording, and what to record for it. A pure function of the Analysis;
// cost O(ranks + results).
#pragma once

#include "core/analysis/findings/finding_kinds.h"
#include "core/analysis/job/analysis.h"
#include "core/analysis/network/job_network.h"

#include <string>
#include <vector>

namespace rankscope {

// Why some kinds could not be looked for, and what to record; those that belong together in one.
struct UncheckedKinds {
  std::string reason; // a sentence
  std::vector<FindingKind> kinds;
};

// A kind is in at most one of them. ncclLog: a log of NCCL that has everything.
[[nodiscard]] std::vector<UncheckedKinds> uncheckedKinds(const Analysis& analysis, bool ncclLog = false);
// The same with the logs that there are: what depends on lines which they do not have is not checked.
[[nodiscard]] std::vector<UncheckedKinds> uncheckedKinds(const Analysis& analysis, const JobNetwork& network);

} // namespace rankscope
