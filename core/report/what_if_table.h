// SPDX-License-Identifier: GPL-3.0-or-later
// The table `what_if`: what a mean step would take if something were different, with the interval of the
// gain, the error of the replay and what binds next. A refused scenario has its row with the reason. Also
// scenarios from texts with their filters, which are searches of the job.
#pragma once

#include "core/analysis/graph/what_if.h"
#include "core/base/result.h"
#include "core/export/result_table.h"

#include <span>
#include <string>
#include <vector>

namespace rankscope {

// Of texts as core/analysis/graph/scenario.h has them; of none the default ones. Filters test every name of
// the job, on up to threadCount threads.
[[nodiscard]] Result<std::vector<Scenario>>
scenariosFromTexts(const TraceSet& trace, std::span<const std::string> texts, unsigned threadCount);

[[nodiscard]] ResultTable whatIfTable(const WhatIf& whatIf, std::span<const WhatIfAnswer> answers);
// Of the default scenarios.
[[nodiscard]] ResultTable whatIfTable(const WhatIf& whatIf);

// What people are shown: the step time of the job, as everywhere, and what remains of it. The windows of the
// replay are another measure, which only the table has. REQUIRES: the answer is not refused.
struct ShownAnswer {
  double stepTime = 0; // nanoseconds, like the next two
  double predicted = 0;
  double gain = 0; // below 0: it takes longer; at most the step time
  double gainPct = 0;
};

[[nodiscard]] ShownAnswer shownAnswer(const WhatIf& whatIf, const WhatIfAnswer& answer);

// "gain 1.20 ms to 1.50 ms"; "323 µs longer" where it takes longer.
[[nodiscard]] std::string shownGainText(const ShownAnswer& shown, const WhatIfAnswer& answer);

// Whether its kept windows are steps; else each is all of a recording.
[[nodiscard]] bool isOfSteps(const WhatIf& whatIf);

// The same for people.
[[nodiscard]] std::string whatIfText(const WhatIf& whatIf, std::span<const WhatIfAnswer> answers);

} // namespace rankscope
