// SPDX-License-Identifier: GPL-3.0-or-later
// The digest of a job whose events are at hand, as rankscope-digest makes it.
#pragma once

#include "core/io/digest/digest_file.h"
#include "core/io/digest/rank_image.h"
#include "core/report/job_digest.h"
#include "core/report/rank_questions.h"

#include <memory>
#include <string>

namespace rankscope::test {

inline DigestJob digestJob(const Analysis& analysis, const DigestBounds& bounds = {}) {
  const auto shared = [](std::string bytes) { return std::make_shared<const std::string>(std::move(bytes)); };
  const TraceSet& trace = analysis.trace();
  const AccountFacts facts = accountFacts(analysis, 1);
  DigestJob job{trace.jobName(), trace.files(), {}};
  job.ranks.reserve(trace.ranks().size());
  for (std::size_t r = 0; r < trace.ranks().size(); ++r) {
    const RankEntry& entry = trace.ranks()[r];
    job.ranks.push_back({entry.rank, entry.capture, entry.host, entry.gpu, entry.file,
                         shared(packedRank(digestedRank(analysis, RankIndex(r), bounds))),
                         shared(digestedAccount(analysis, RankIndex(r), facts, bounds))});
  }
  const AnswerRound asked = askedAboutRanks(trace, &analysis, 1);
  for (std::size_t r = 0; r < job.ranks.size(); ++r) job.ranks[r].answers = shared(asked.answers[r]);
  return job;
}

} // namespace rankscope::test
