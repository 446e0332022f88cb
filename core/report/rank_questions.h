// SPDX-License-Identifier: GPL-3.0-or-later
// The questions about single events of ranks (core/analysis/digest/rank_answers.h) that a digest must answer.
// While a digest is made, each process computes all results of the job and so answers them about the ranks
// whose events it has. An answer may lead to another question. So processes work in rounds: after each they
// exchange their answers, until no question is left without one.
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
  std::set<std::string> ambiguous;  // questions with two answers, which is a bug
};

// job: all ranks, some with their events, the others as digests. previous: an analysis of the former, or
// null.
[[nodiscard]] AnswerRound askedAboutRanks(const TraceSet& job, const Analysis* previous,
                                          unsigned threadCount);

} // namespace rankscope
