// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that results of a job ask about single events of its ranks
// (core/analysis/digest/rank_answers.h), asked once while a digest is made, by whoever has the events of some
// ranks. An answer may be what another question is about, so processes ask in rounds, and tell each other the
// answers, until none is missing.
#pragma once

#include "core/analysis/job/analysis.h"

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace rankscope {

struct AnswerRound {
  std::vector<std::string> answers; // packedAnswers, by RankIndex; empty for ranks whose events lie elsewhere
  std::size_t missing = 0;          // questions about such ranks that their digests do not answer
  std::set<std::string> ambiguous;  // questions with two answers: a mistake of who asks
};

// job: all ranks, some with their events, the others as digests. previous: an analysis of the former, or
// null.
[[nodiscard]] AnswerRound askedAboutRanks(const TraceSet& job, const Analysis* previous,
                                          unsigned threadCount);

} // namespace rankscope
