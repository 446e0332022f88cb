// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/job_efficiency.h"

#include "core/base/parallel_for.h"

#include <algorithm>

namespace rankscope {

JobFlops jobFlops(const Analysis& analysis, const EfficiencySettings& settings, unsigned threadCount,
                  const Progress* progress) {
  JobFlops job;
  job.ranks.resize(analysis.trace().ranks().size());
  const std::vector<RankIndex>& ranks = analysis.ranks();
  parallelFor(ranks.size(), threadCount, [&](std::size_t i) {
    if (progress != nullptr && progress->cancelled()) return;
    JobFlops::Rank& rank = job.ranks[ranks[i].value];
    rank.flops = rankFlops(analysis, ranks[i], progress);
    rank.peaks = rankPeaks(*analysis.trace().rank(ranks[i]).trace, settings.peaks);
  });
  return job;
}

JobEfficiency jobEfficiency(const Analysis& analysis, const JobAccount& account, const JobFlops& flops,
                            const EfficiencySettings& settings) {
  JobEfficiency job;
  job.steps.resize(analysis.trace().ranks().size());
  job.peaks.resize(job.steps.size());
  for (const RankIndex rank : analysis.ranks()) {
    RankPeaks& peaks = job.peaks[rank.value];
    peaks = rankPeaks(*analysis.trace().rank(rank).trace, settings.peaks);
    job.steps[rank.value] = stepEfficiency(analysis, rank, account.of(rank), flops.of(rank).flops, peaks);
  }
  if (const auto perStep = modelFlopsPerStep(settings.model))
    job.modelFlops = *perStep / static_cast<double>(gpusOfJob(analysis, settings.model));
  return job;
}

std::int64_t gpusOfJob(const Analysis& analysis, const ModelSettings& model) {
  if (model.gpus && *model.gpus > 0) return *model.gpus;
  const std::int64_t recorded =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(countRanks(analysis).ranks));
  return std::max(recorded, analysis.trace().worldSize().value_or(1));
}

} // namespace rankscope
