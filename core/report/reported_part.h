// SPDX-License-Identifier: GPL-3.0-or-later
// What the figures of a report are of, in the words of texts. Pure; O(ranks).
#pragma once

#include "core/report/job_report.h"

#include <string_view>

namespace rankscope {

// "step" where means are over steps, else "range" of a part of the recordings, else "recording".
[[nodiscard]] std::string_view reportedPart(const JobReport& report);
// Whether a kept step was recorded on some ranks only, truncated ones aside: a mean over steps, of which each
// counts once, is then no mean of the ranks' means.
[[nodiscard]] bool ranksDifferInSteps(const Analysis& analysis);

} // namespace rankscope
