// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/clock_estimate.h"

#include "core/base/exact_sum.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// Ranks with the same clock may differ by this much (device times are converted to host times).
constexpr TimeNs kSharedClockTolerance = 20'000;
// Maximum number of samples for Theil-Sen, which compares all pairs.
constexpr std::size_t kMaxSamples = 400;
constexpr std::size_t kMinPointsForDrift = 8;
constexpr double kMaxDriftPpb = 1e6;
// Drift is only applied if it reduces the residual below this share.
constexpr double kDriftMustExplain = 0.7;

struct Sample {
  TimeNs time;       // on the clock to be corrected
  TimeNs difference; // to be added to it
};

// A measured value, not the mean of two samples.
TimeNs middleOf(std::vector<TimeNs>& values) {
  return percentile(values, 50);
}

double driftPpbOf(const std::vector<Sample>& samples) {
  std::vector<SlopePoint> few;
  const std::size_t every = (samples.size() + kMaxSamples - 1) / kMaxSamples;
  for (std::size_t i = 0; i < samples.size(); i += every)
    few.push_back({samples[i].time, samples[i].difference});
  return theilSenSlope(few, 1e9).value_or(0);
}

// The offset that makes the median 0, and the limit for 95 % of the samples.
struct Fit {
  ClockCorrection correction;
  TimeNs residual = 0;
};

Fit fitted(const std::vector<Sample>& samples, double driftPpb) {
  Fit fit;
  fit.correction.reference = RankTime(samples[samples.size() / 2].time);
  fit.correction.driftPpb = driftPpb;
  const ClockCorrection slopeOnly = fit.correction;
  std::vector<TimeNs> left;
  left.reserve(samples.size());
  for (const Sample& sample : samples)
    left.push_back(sample.time + sample.difference - slopeOnly.toJob(RankTime(sample.time)).ns());
  fit.correction.offset = middleOf(left);
  std::vector<TimeNs> distances;
  distances.reserve(samples.size());
  for (const Sample& sample : samples)
    distances.push_back(
        std::abs(sample.time + sample.difference - fit.correction.toJob(RankTime(sample.time)).ns()));
  fit.residual = percentile(distances, 95);
  return fit;
}

ClockCorrection correctionFrom(std::vector<Sample> samples) {
  std::ranges::sort(samples, {}, &Sample::time);
  const Fit still = fitted(samples, 0);
  if (samples.size() < kMinPointsForDrift) return still.correction;
  const double drift = driftPpbOf(samples);
  if (std::abs(drift) > kMaxDriftPpb) return still.correction;
  const Fit drifting = fitted(samples, drift);
  const bool explains =
      static_cast<double>(drifting.residual) < kDriftMustExplain * static_cast<double>(still.residual);
  return explains ? drifting.correction : still.correction;
}

// Applies `inner` (b's clock to a's), then `outer` (a's clock to the job's).
ClockCorrection composed(const ClockCorrection& outer, const ClockCorrection& inner) {
  ClockCorrection both;
  both.reference = inner.reference;
  const RankTime ofA(inner.toJob(inner.reference).ns());
  both.offset = outer.toJob(ofA).ns() - inner.reference.ns();
  both.driftPpb = ((1 + outer.driftPpb * 1e-9) * (1 + inner.driftPpb * 1e-9) - 1) * 1e9;
  return both;
}

// Blocking collectives with more than one participant, with times as recorded by the ranks.
class BlockingEnds {
 public:
  // onlyCertain: only calls that certainly belong to their instance.
  BlockingEnds(const CollectiveMatch& match, CallsByRank calls, bool onlyCertain)
      : m_match(match), m_calls(calls), m_onlyCertain(onlyCertain) {}

  // visit(participants with their ranges)
  template <class Visit> void forEach(Visit&& visit) const {
    std::vector<std::pair<RankIndex, RankRange>> members;
    for (const CollectiveInstance& instance : m_match.instances) {
      if (!instance.matched() || !isBlockingForAll(instance.operation)) continue;
      members.clear();
      for (const Participant& p : m_match.of(instance)) {
        if (p.certain || !m_onlyCertain) members.emplace_back(p.rank, (*m_calls[p.rank.value])[p.call].range);
      }
      if (members.size() > 1) visit(members);
    }
  }

 private:
  const CollectiveMatch& m_match;
  CallsByRank m_calls;
  bool m_onlyCertain;
};

// Splits domains whose members cannot have the same clock into their ranks.
void splitDomains(const BlockingEnds& ends, ClockAlignment& clocks) {
  struct Votes {
    std::uint64_t all = 0;
    std::uint64_t against = 0;
  };
  std::vector<Votes> votes(clocks.domains);
  std::vector<std::pair<RankTime, RankTime>> lastBeginFirstEnd(clocks.domains);
  std::vector<std::uint32_t> present(clocks.domains);
  std::vector<std::uint32_t> touched;
  ends.forEach([&](const auto& members) {
    touched.clear();
    for (const auto& [rank, range] : members) {
      const std::uint32_t domain = clocks.ranks[rank.value].domain;
      auto& [lastBegin, firstEnd] = lastBeginFirstEnd[domain];
      if (present[domain]++ == 0) {
        touched.push_back(domain);
        lastBegin = range.begin;
        firstEnd = range.end;
      }
      lastBegin = std::max(lastBegin, range.begin);
      firstEnd = std::min(firstEnd, range.end);
    }
    for (const std::uint32_t domain : touched) {
      if (present[domain] > 1) {
        ++votes[domain].all;
        const auto& [lastBegin, firstEnd] = lastBeginFirstEnd[domain];
        if (lastBegin > firstEnd + kSharedClockTolerance) ++votes[domain].against;
      }
      present[domain] = 0;
    }
  });
  std::vector<bool> kept(clocks.domains, false);
  const std::uint32_t before = clocks.domains;
  for (RankClock& rank : clocks.ranks) {
    const std::uint32_t domain = rank.domain;
    if (domain >= before || 2 * votes[domain].against <= votes[domain].all) continue;
    // The first rank keeps the domain's number, so that the first domain remains the first.
    if (kept[domain]) rank.domain = clocks.domains++;
    kept[domain] = true;
  }
}

using DomainPair = std::pair<std::uint32_t, std::uint32_t>; // lower index first

std::map<DomainPair, std::vector<Sample>> samplesBetween(const BlockingEnds& ends,
                                                         const ClockAlignment& clocks) {
  std::map<DomainPair, std::vector<Sample>> samples; // for the second domain: offset to the first one's clock
  std::map<std::uint32_t, std::vector<TimeNs>> endsOf;
  ends.forEach([&](const auto& members) {
    endsOf.clear();
    for (const auto& [rank, range] : members)
      endsOf[clocks.ranks[rank.value].domain].push_back(range.end.ns());
    if (endsOf.size() < 2) return;
    std::vector<std::pair<std::uint32_t, TimeNs>> middles;
    for (auto& [domain, times] : endsOf) middles.emplace_back(domain, middleOf(times));
    // Pair only with the first domain of the collective; all pairs would be quadratic.
    for (std::size_t i = 1; i < middles.size(); ++i) {
      samples[{middles.front().first, middles[i].first}].push_back(
          {middles[i].second, middles.front().second - middles[i].second});
    }
  });
  return samples;
}

// Starts at the first domain and follows the pairs with the most samples first.
std::vector<std::optional<ClockCorrection>>
correctionsByDomain(const std::map<DomainPair, std::vector<Sample>>& samples, std::uint32_t domains) {
  std::vector<std::optional<ClockCorrection>> known(domains);
  if (domains > 0) known[0] = ClockCorrection{};
  for (;;) {
    const std::pair<const DomainPair, std::vector<Sample>>* best = nullptr;
    for (const auto& edge : samples) {
      const bool reaches = known[edge.first.first].has_value() != known[edge.first.second].has_value();
      if (reaches && (best == nullptr || edge.second.size() > best->second.size())) best = &edge;
    }
    if (best == nullptr) return known;
    const auto [a, b] = best->first;
    std::vector<Sample> toKnown = best->second;
    if (!known[a]) {
      for (Sample& sample : toKnown) sample = {sample.time + sample.difference, -sample.difference};
    }
    const std::uint32_t from = known[a] ? a : b;
    known[from == a ? b : a] = composed(*known[from], correctionFrom(std::move(toKnown)));
  }
}

// Last begin and first end of a collective over the ranks of a domain.
struct DomainPart {
  std::uint32_t domain;
  std::uint32_t collective;
  JobTime lastBegin;
  JobTime firstEnd;
};

// Sorted by domain.
std::vector<DomainPart> partsOfDomains(const BlockingEnds& ends, const ClockAlignment& clocks) {
  std::vector<DomainPart> parts;
  std::vector<std::size_t> latest(clocks.domains, SIZE_MAX); // by domain: index of its latest part
  std::uint32_t collective = 0;
  ends.forEach([&](const auto& members) {
    const std::size_t first = parts.size();
    for (const auto& [rank, range] : members) {
      const RankClock& clock = clocks.ranks[rank.value];
      const JobRange job = clock.correction.toJob(range);
      std::size_t& place = latest[clock.domain];
      if (place == SIZE_MAX || place < first) {
        place = parts.size();
        parts.push_back({clock.domain, collective, job.begin, job.end});
      }
      parts[place].lastBegin = std::max(parts[place].lastBegin, job.begin);
      parts[place].firstEnd = std::min(parts[place].firstEnd, job.end);
    }
    ++collective;
  });
  std::ranges::stable_sort(parts, {}, &DomainPart::domain);
  return parts;
}

// Range by which a domain may be moved, inclusive.
struct Bounds {
  TimeNs low = kAllTime.begin;
  TimeNs high = kAllTime.end;

  [[nodiscard]] bool known() const { return low > kAllTime.begin && high < kAllTime.end; }
};

// Last begin and first end of a collective over the placed domains, and the same without the domain that
// determines each, so that a domain is not compared with itself.
class PlacedParts {
 public:
  void add(const DomainPart& part) {
    if (part.lastBegin > m_begin) {
      m_otherBegin = std::exchange(m_begin, part.lastBegin);
      m_beginOf = part.domain;
    } else {
      m_otherBegin = std::max(m_otherBegin, part.lastBegin);
    }
    if (part.firstEnd < m_end) {
      m_otherEnd = std::exchange(m_end, part.firstEnd);
      m_endOf = part.domain;
    } else {
      m_otherEnd = std::min(m_otherEnd, part.firstEnd);
    }
  }
  // Narrows bounds to what the other domains allow.
  void narrow(Bounds& bounds, const DomainPart& part) const {
    const JobTime begin = part.domain == m_beginOf ? m_otherBegin : m_begin;
    const JobTime end = part.domain == m_endOf ? m_otherEnd : m_end;
    if (begin > kNeverCritical.begin) bounds.low = std::max(bounds.low, begin - part.firstEnd);
    if (end < kNeverCritical.end) bounds.high = std::min(bounds.high, end - part.lastBegin);
  }

 private:
  static constexpr JobRange kNeverCritical = JobRange::of(kAllTime); // no participant began or ended

  JobTime m_begin = kNeverCritical.begin, m_otherBegin = kNeverCritical.begin;
  JobTime m_end = kNeverCritical.end, m_otherEnd = kNeverCritical.end;
  std::uint32_t m_beginOf = UINT32_MAX, m_endOf = UINT32_MAX;
};

// Places the domains one by one. Each is moved as little as possible to agree with those already placed, so
// that no move invalidates an earlier one. A domain that cannot agree is not moved and is ignored by the
// others. Finally records the bounds of each domain.
void boundDomains(const BlockingEnds& ends, ClockAlignment& clocks) {
  std::vector<DomainPart> parts = partsOfDomains(ends, clocks);
  std::vector<PlacedParts> placed(parts.size()); // by collective
  std::vector<TimeNs> moves(clocks.domains, 0);
  const auto boundsOf = [&](std::span<const DomainPart> own) {
    Bounds bounds;
    for (const DomainPart& part : own) placed[part.collective].narrow(bounds, part);
    return bounds;
  };
  const auto forEachDomain = [&](auto visit) {
    for (auto first = parts.begin(), last = first; first != parts.end(); first = last) {
      last = std::find_if(first, parts.end(), [&](const DomainPart& p) { return p.domain != first->domain; });
      visit(first->domain, std::span(first, last));
    }
  };
  forEachDomain([&](std::uint32_t domain, std::span<DomainPart> own) {
    const Bounds bounds = boundsOf(own);
    if (bounds.known() && bounds.low > bounds.high) return;
    if (bounds.known()) moves[domain] = std::clamp<TimeNs>(0, bounds.low, bounds.high);
    for (DomainPart& part : own) {
      part.lastBegin = part.lastBegin.movedBy(moves[domain]);
      part.firstEnd = part.firstEnd.movedBy(moves[domain]);
      placed[part.collective].add(part);
    }
  });
  std::vector<Bounds> bounds(clocks.domains);
  forEachDomain([&](std::uint32_t domain, std::span<DomainPart> own) { bounds[domain] = boundsOf(own); });
  for (RankClock& rank : clocks.ranks) {
    const Bounds& own = bounds[rank.domain];
    if (rank.domain == 0 || !own.known()) continue;
    rank.correction.offset = stoppingSum(rank.correction.offset, moves[rank.domain]);
    rank.bounds = TimeRange{ExactSum(own.low), ExactSum(own.high)};
    rank.feasible = own.low <= 0 && own.high >= 0;
  }
}

} // namespace

ClockAlignment recordedClocks(const TraceSet& trace) {
  ClockAlignment clocks;
  std::map<std::string, std::uint32_t> domains;
  for (const RankEntry& entry : trace.ranks()) {
    const auto [place, isNew] = domains.try_emplace(entry.host, clocks.domains);
    if (isNew) ++clocks.domains;
    clocks.ranks.push_back({});
    clocks.ranks.back().domain = place->second;
  }
  return clocks;
}

ClockAlignment estimateClocks(const CollectiveMatch& match, CallsByRank calls, const ClockAlignment& before) {
  ClockAlignment clocks = before;
  const BlockingEnds certain(match, calls, true);
  splitDomains(certain, clocks);
  auto samples = samplesBetween(certain, clocks);
  auto corrections = correctionsByDomain(samples, clocks.domains);
  const auto known = [](const auto& correction) { return correction.has_value(); };
  if (!std::ranges::all_of(corrections, known)) {
    // For a host without other evidence, calls matched by order only are better than nothing.
    samples = samplesBetween(BlockingEnds(match, calls, false), clocks);
    corrections = correctionsByDomain(samples, clocks.domains);
  }
  for (const auto& [pair, list] : samples) clocks.samples += list.size();
  clocks.unconnectedDomains =
      clocks.domains - static_cast<std::uint32_t>(std::ranges::count_if(corrections, known));
  for (RankClock& rank : clocks.ranks) {
    if (corrections[rank.domain]) rank.correction = *corrections[rank.domain];
  }
  if (clocks.domains > 1) boundDomains(certain, clocks);
  return clocks;
}

ClockAlignment judgedClocks(const CollectiveMatch& match, ClockAlignment clocks) {
  std::vector<std::vector<TimeNs>> distances(clocks.ranks.size());
  std::vector<TimeNs> ends;
  for (const CollectiveInstance& instance : match.instances) {
    if (!instance.matched() || !isBlockingForAll(instance.operation)) continue;
    ends.clear();
    for (const Participant& p : match.of(instance)) ends.push_back(p.range.end.ns());
    const TimeNs middle = middleOf(ends);
    for (const Participant& p : match.of(instance))
      distances[p.rank.value].push_back(std::abs(p.range.end.ns() - middle));
  }
  for (std::size_t r = 0; r < distances.size(); ++r) {
    if (!distances[r].empty()) clocks.ranks[r].residual = percentile(distances[r], 95);
  }
  return clocks;
}

} // namespace rankscope
