// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of recordings whose files are truncated, among the steps of the job, which whole recordings decide.
// Kineto writes events by time, host before device, so such a file lacks work in its last steps. These are
// cut on its rank alone. Pure; O(steps · steps of the job) per truncated recording.
#pragma once

#include "core/analysis/steps/kept_steps.h"

#include <span>

namespace rankscope {

// Adds the steps of `truncated` to `kept`, which holds those of `whole`. Both: by rank, without steps for
// ranks of the other kind. A step that no whole recording has is added as cut; one with less device work than
// on whole ranks (or than others of its rank, which may do less) is cut on its rank, without device events
// the last one. all: no such step is cut.
void addTruncatedSteps(std::span<const RankSteps> whole, std::span<const RankSteps> truncated, bool all,
                       KeptSteps& kept);

} // namespace rankscope
