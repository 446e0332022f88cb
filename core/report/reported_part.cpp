// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/reported_part.h"

#include <algorithm>

namespace rankscope {

std::string_view reportedPart(const JobReport& report) {
  if (report.keptAccount().areSteps) return "step";
  const Analysis& analysis = report.analysis();
  const auto isPart = [&](RankIndex rank) { return analysis.window(rank) != kWholeRecording; };
  return std::ranges::any_of(analysis.ranks(), isPart) ? "range" : "recording";
}

} // namespace rankscope
