// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/rank_questions.h"

#include "core/io/digest/rank_image.h"
#include "core/model/answer_log.h"
#include "core/model/rank_digest.h"
#include "core/model/side_files.h"
#include "core/report/digest_tables.h"
#include "core/report/efficiency_view.h"
#include "core/report/findings_table.h"
#include "core/report/tables.h"

namespace rankscope {

AnswerRound askedAboutRanks(const TraceSet& job, const Analysis* previous, unsigned threadCount) {
  const auto log = std::make_shared<AnswerLog>();
  auto side = std::make_shared<SideFiles>(job.side());
  side->answerLog = log;
  const auto logged = std::make_shared<const TraceSet>(job.jobName(), job.names(), job.ranks(), job.files(),
                                                       TraceOrigin(), std::move(side));
  const JobReport report(std::make_shared<const Analysis>(logged, previous));
  for (const TableSpec& spec : tableSpecs()) {
    if (!isAnswered(spec.name)) continue;
    prepareTable(report, spec, threadCount);
    static_cast<void>(spec.make(report));
  }
  static_cast<void>(checkedKinds(report));
  static_cast<void>(jobPoints(report, efficiencyFigures(report, report.efficiencySettings()).peaks));
  AnswerRound round;
  round.missing = log->missing();
  round.ambiguous = log->ambiguous();
  round.answers.resize(job.ranks().size());
  for (std::size_t r = 0; r < round.answers.size(); ++r)
    if (digestOf(job, RankIndex(r)) == nullptr) round.answers[r] = packedAnswers(log->of(RankIndex(r)));
  return round;
}

} // namespace rankscope
