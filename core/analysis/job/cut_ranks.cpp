// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/cut_ranks.h"

#include "core/base/statistics.h"
#include "core/base/unit_text.h"
#include "core/model/cut_text.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace rankscope {

namespace {

bool isReportedCut(const TraceSet& trace, RankIndex rank) {
  const FileRecord& file = trace.file(trace.rank(rank).file);
  return std::ranges::any_of(file.diagnostics.items(),
                             [](const Diagnostic& item) { return endsTooEarly(item.text); });
}

JobRange extentOf(const Analysis& analysis, RankIndex rank) {
  return analysis.clocks().of(rank).toJob(RankRange::of(analysis.trace().rank(rank).trace->extent));
}

double percentOf(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// What a rank lacks of what the others of its profiling cycle have; nothing when there are none.
std::optional<CutRank> against(const Analysis& analysis, RankIndex rank, std::span<const RankIndex> others) {
  const RankEntry& own = analysis.trace().rank(rank);
  JobRange job;
  std::vector<std::int64_t> events;
  for (const RankIndex other : others) {
    const RankEntry& entry = analysis.trace().rank(other);
    if (entry.capture != own.capture) continue;
    job = job.unitedWith(extentOf(analysis, other));
    events.push_back(static_cast<std::int64_t>(entry.trace->fileEvents));
  }
  if (events.empty()) return std::nullopt;
  CutRank cut{rank};
  cut.missingTime = std::clamp<TimeNs>(job.end - extentOf(analysis, rank).end, 0, job.length());
  cut.missingTimePct = percentOf(cut.missingTime, job.length());
  const std::int64_t typical = wholeMedian(std::move(events));
  cut.missingEvents = std::max<std::int64_t>(0, typical - static_cast<std::int64_t>(own.trace->fileEvents));
  cut.missingEventsPct = percentOf(cut.missingEvents, typical);
  return cut;
}

} // namespace

std::vector<CutRank> cutRanks(const Analysis& analysis) {
  constexpr double kLeastPct = 1;
  std::vector<RankIndex> reported, others;
  for (const RankIndex rank : analysis.ranks())
    (isReportedCut(analysis.trace(), rank) ? reported : others).push_back(rank);
  std::vector<CutRank> found;
  for (const RankIndex rank : reported) {
    const std::optional<CutRank> cut = against(analysis, rank, others);
    if (!cut)
      found.push_back({rank});
    else if (cut->missingTimePct >= kLeastPct || cut->missingEventsPct >= kLeastPct)
      found.push_back(*cut);
  }
  return found;
}

std::vector<RankIndex> wholeRanks(const Analysis& analysis) {
  const std::vector<CutRank> cut = cutRanks(analysis);
  if (cut.size() == analysis.ranks().size()) return analysis.ranks();
  std::vector<RankIndex> whole = analysis.ranks();
  std::erase_if(whole,
                [&](RankIndex rank) { return std::ranges::find(cut, rank, &CutRank::rank) != cut.end(); });
  return whole;
}

std::string missingText(const CutRank& cut) {
  if (cut.missingTime == 0 && cut.missingEvents == 0)
    return "what is missing cannot be told from other ranks";
  return durationText(cut.missingTime) + " of the job's time (" + percentText(cut.missingTimePct) + ") and " +
         percentText(cut.missingEventsPct) + " of the events are missing";
}

} // namespace rankscope
