// SPDX-License-Identifier: GPL-3.0-or-later
// Which change of a job a finding asks for, and what a replay of the job with that change gains. Pure
// functions; a gain takes a replay, O(edges of the graph).
#pragma once

#include "core/analysis/findings/finding_kinds.h"
#include "core/analysis/graph/scenario.h"
#include "core/analysis/job/analysis.h"

#include <optional>

namespace rankscope {

class WhatIf;

// Reads kind, leaf, rank and ranks of the finding. Nothing for findings that no scenario stands for: those
// about a part of a leaf's time, and those whose fix does more than remove time.
[[nodiscard]] std::optional<Scenario> scenarioWithout(const Analysis& analysis, const Finding& finding);

// Nanoseconds of a kept step, without and with what the replay cannot explain; nothing where it is refused,
// or where most of the critical path is host time that nothing was recorded of.
[[nodiscard]] std::optional<Gain> replayedGain(const WhatIf& whatIf, const Scenario& scenario);

} // namespace rankscope
