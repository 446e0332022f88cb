// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/job_digest.h"

#include "core/analysis/account/account_digest.h"
#include "core/analysis/account/kernel_pace.h"
#include "core/analysis/account/pace_digest.h"
#include "core/analysis/digest/digest_archive.h"
#include "core/analysis/job/rank_digesting.h"
#include "core/base/parallel_for.h"
#include "core/model/reduced_trace.h"
#include "core/report/digest_rows.h"
#include "core/report/phase_times.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace rankscope {

namespace {

// The outermost events around those that stand for gaps, which are shown with them.
void addOutermost(const RankTrace& trace, const IdleGaps& gaps, std::vector<EventIndex>& events) {
  for (const std::vector<IdleGap>* const list : {&gaps.ofDevices, &gaps.ofStreams}) {
    for (const IdleGap& gap : *list) {
      const EventIndex event = gap.waitedFor.valid() ? gap.waitedFor : gap.hostEvent;
      if (!event.valid()) continue;
      const Track& track = trace.tracks[trace.trackOf(event).value];
      const EventIndex outermost = trace.lastBeginningBy(track.firstRow, trace.events.begin[event]);
      if (outermost.valid()) events.push_back(outermost);
    }
  }
}

// Numbers of names by their text, so that they do not depend on the other ranks of the process.
std::vector<std::string> numberNames(const StringTable& names, DigestKeys& keys) {
  std::vector<std::uint32_t> order(keys.names.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t place) { return names[keys.names[place]]; });
  std::vector<std::string> texts;
  texts.reserve(order.size());
  keys.nameNumbers.resize(order.size());
  for (const std::uint32_t place : order) {
    keys.nameNumbers[place] = static_cast<std::uint32_t>(texts.size());
    texts.emplace_back(names[keys.names[place]]);
  }
  return texts;
}

} // namespace

RankImage digestedRank(const Analysis& analysis, RankIndex rank, const DigestBounds& bounds) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const DigestedResults results = digestedResults(analysis, rank, bounds);
  DigestCollector collector;
  collectKeys(results, collector);
  std::vector<KernelPace> paces = kernelPaces(analysis, rank);
  readPaceShapes(analysis, rank, paces);
  collectKeys(paces, collector);
  std::vector<EventIndex> events = collector.takeEvents();
  addOutermost(trace, results.gaps, events);
  DigestKeys keys;
  keys.events = withLaunches(trace, std::move(events));
  RankImage image;
  image.trace = reducedTrace(trace, keys.events);
  std::set<NameId> names = collector.names();
  names.insert(image.trace.events.name.begin(), image.trace.events.name.end());
  keys.names.assign(names.begin(), names.end());
  image.names = numberNames(analysis.trace().names(), keys);
  std::vector<NameId> ofEvents = image.trace.events.name.take();
  for (NameId& name : ofEvents) name = NameId(keys.numberOf(name));
  image.trace.events.name = Column(std::move(ofEvents));
  const auto section = [&](DigestSection which) -> std::string& {
    return image.sections[static_cast<std::size_t>(which)];
  };
  section(DigestSection::Results) = packedResults(results, keys);
  DigestedRows rows = digestedRows(analysis, rank, bounds.names);
  rows.shortened.insert(rows.shortened.end(), results.shortened.begin(), results.shortened.end());
  section(DigestSection::Shortened) = packedTableNames(rows.shortened);
  section(DigestSection::Rows) = std::move(rows.bytes);
  section(DigestSection::Phases) = packedPhaseTimes(analysis, rank);
  section(DigestSection::Paces) = packedPaces(paces, keys);
  return image;
}

std::string digestedAccount(const Analysis& analysis, RankIndex rank, const AccountFacts& facts,
                            const DigestBounds& bounds) {
  return packedJudgement(packedAccount(condensedAccount(rankAccount(analysis, rank, facts),
                                                        digestedResults(analysis, rank, bounds))),
                         judgedRows(analysis, rank, bounds.rows));
}

} // namespace rankscope
