// SPDX-License-Identifier: GPL-3.0-or-later
// What rules ask about single events of a rank, so that a digest can answer it
// (core/analysis/digest/rank_answers.h). Private to the findings.
#pragma once

#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/findings/leaf_use.h"

#include <functional>
#include <string>
#include <string_view>

namespace rankscope {

template <class Archive, Described<LeafUse> T> void describe(Archive& archive, T& use) {
  auto& [time, count, avoidable, bytes, beforeLast, beforeAny, name, nameTime, worst, worstEvent, worstStep] =
      use;
  archive(time, count, avoidable, bytes, beforeLast, beforeAny, name, nameTime, worst, worstEvent, worstStep);
}

// Whether an event of any rank of the job has a name for which the test holds. what: stands for the test. A
// pass over the names of the job and those of its events.
[[nodiscard]] bool jobHasName(const TraceSet& trace, std::string_view what,
                              const std::function<bool(std::string_view)>& test);

} // namespace rankscope
