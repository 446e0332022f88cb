// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with a job, what it costs and what to do: small rules over the results of the other
// analyses; a healthy job has none. A pure function of the Analysis, which knows nothing of it: whoever needs
// the findings keeps them. Cost O(results).
#pragma once

#include "core/analysis/findings/finding_kinds.h"

#include <vector>

namespace rankscope {

class Analysis;

// Of the ranks and windows that the analysis is asked about, by severity, then cost.
[[nodiscard]] std::vector<Finding> findingsOf(const Analysis& analysis);

} // namespace rankscope
