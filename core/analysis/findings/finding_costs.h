// SPDX-License-Identifier: GPL-3.0-or-later
// What findings cost by the step, and what could not be looked for at all. Pure functions of the Analysis;
// cost O(ranks + results).
#pragma once

#include "core/analysis/findings/finding_kinds.h"
#include "core/analysis/job/analysis.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

struct FindingCost {
  // Mean of the steps; of a recording without steps, the cost of all of it. Empty where a finding costs no
  // time.
  std::optional<TimeNs> perStep;
  // Of the mean rank's step time, 0 to 100; empty where the time is not one that a step would be shorter by
  // (clocks, doubts).
  std::optional<double> sharePct;
};

// One a finding, in their order. REQUIRES: they are the analysis's.
[[nodiscard]] std::vector<FindingCost> findingCosts(const Analysis& analysis,
                                                    std::span<const Finding> findings);

// Why some kinds could not be looked for, and what to record; those that belong together in one.
struct UncheckedKinds {
  std::string reason; // a sentence
  std::vector<FindingKind> kinds;
};

// A kind is in at most one of them.
[[nodiscard]] std::vector<UncheckedKinds> uncheckedKinds(const Analysis& analysis);

} // namespace rankscope
