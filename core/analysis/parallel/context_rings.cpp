// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/context_rings.h"

#include "core/analysis/collectives/collective_operation.h"
#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/parallel/transfer_members.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace rankscope {

namespace {

constexpr std::int64_t kMostSendsPerAttention = 2; // of keys, and of values

// Whom a rank sends to and receives from, if it is one each.
struct Links {
  std::optional<std::int32_t> next;
  std::optional<std::int32_t> previous;
  std::int64_t sends = 0;
  bool several = false;

  void add(bool send, std::int32_t peer) {
    std::optional<std::int32_t>& known = send ? next : previous;
    several |= known && *known != peer;
    known = peer;
    sends += send ? 1 : 0;
  }
  [[nodiscard]] bool isOne() const { return next && previous && !several; }
};

Links linksOf(const RankTrace& trace, const StringTable& names, std::span<const std::int32_t> members) {
  Links links;
  TimeRange last{0, 0};
  std::vector<const CollectiveDetail*> details;
  for (const CollectiveDetail& detail : trace.collectives) {
    if (detail.peer.known()) details.push_back(&detail);
  }
  std::ranges::stable_sort(details, {}, [&](const CollectiveDetail* detail) {
    return std::pair(trace.isDeviceEvent(detail->event), trace.events.begin[detail->event]);
  });
  for (const CollectiveDetail* detail : details) {
    CollectiveOperation operation = collectiveOperationOf(names[trace.events.name[detail->event]]);
    if (!isPointToPoint(operation) && detail->operation.valid())
      operation = collectiveOperationOf(names[detail->operation]);
    if (!isPointToPoint(operation)) continue;
    const bool onDevice = trace.isDeviceEvent(detail->event);
    const TimeRange range = trace.events.range(detail->event);
    // One call may be recorded several times, one within the other.
    if (!onDevice && last.contains(range.begin)) continue;
    if (!onDevice) last = range;
    links.add(operation == CollectiveOperation::Send, detail->peer.rankAmong(members));
  }
  return links;
}

std::int64_t attentionCalls(const RankTrace& trace, const StringTable& names) {
  std::vector<std::uint8_t> known(names.size(), 2);
  std::int64_t count = 0;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Thread) continue;
    TimeRange last{0, 0};
    for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) {
      const NameId name = trace.events.name[e];
      if (trace.events.kind[e] != EventKind::CpuOp || !name.valid()) continue;
      std::uint8_t& is = known[name.value];
      if (is == 2) is = isAttentionOperator(names[name]) ? 1 : 0;
      if (is == 0 || last.contains(trace.events.begin[e])) continue; // called by another of them
      last = trace.events.range(e);
      ++count;
    }
  }
  return count;
}

// Those of a rank that attends over a ring; of another rank: several.
Links ringLinks(const RankTrace& trace, const StringTable& names, std::span<const std::int32_t> members) {
  Links links = linksOf(trace, names, members);
  const bool attends = links.isOne() && links.sends <= kMostSendsPerAttention * attentionCalls(trace, names);
  if (!attends) links.several = true;
  return links;
}

} // namespace

template <class Archive, Described<Links> T> void describe(Archive& archive, T& links) {
  auto& [next, previous, sends, several] = links;
  archive(next, previous, sends, several);
}

namespace {

class RingFinder {
 public:
  explicit RingFinder(const Analysis& analysis) : m_trace(analysis.trace()) {
    m_links.resize(m_trace.ranks().size());
    for (std::size_t r = 0; r < m_links.size(); ++r) {
      const RankEntry& entry = m_trace.ranks()[r];
      m_placeOf.emplace(std::pair(entry.capture, entry.rank), r);
      m_links[r] = rankAnswer<Links>(m_trace, RankIndex(r), "neighbors in a ring", [&] {
        return ringLinks(*entry.trace, m_trace.names(), transferMembers(analysis, RankIndex(r)));
      });
    }
  }

  [[nodiscard]] std::vector<std::int32_t> ringOf(std::size_t first) const {
    std::vector<std::int32_t> members;
    std::set<std::size_t> seen;
    for (std::size_t at = first; seen.insert(at).second;) {
      if (!m_links[at].isOne()) return {};
      const RankEntry& entry = m_trace.ranks()[at];
      members.push_back(entry.rank);
      const auto next = m_placeOf.find({entry.capture, *m_links[at].next});
      if (next == m_placeOf.end() || m_links[next->second].previous != entry.rank) return {};
      if (next->second == first) {
        std::ranges::sort(members);
        return members.size() < 2 ? std::vector<std::int32_t>() : members;
      }
      at = next->second;
    }
    return {};
  }

 private:
  const TraceSet& m_trace;
  std::map<std::pair<int, int>, std::size_t> m_placeOf; // by capture and rank
  std::vector<Links> m_links;
};

} // namespace

bool isAttentionOperator(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNameParts{"scaled_dot_product", "flash_attn", "flash_attention",
                                                       "FlashAttn",          "fused_attn", "FusedAttn",
                                                       "efficient_attention"};
  return std::ranges::any_of(kNameParts, [&](std::string_view part) { return name.find(part) != name.npos; });
}

std::vector<std::vector<std::int32_t>> contextRings(const Analysis& analysis) {
  std::vector<std::vector<std::int32_t>> rings;
  const std::size_t ranks = analysis.trace().ranks().size();
  rings.reserve(ranks);
  const RingFinder finder(analysis);
  for (std::size_t r = 0; r < ranks; ++r) rings.push_back(finder.ringOf(r));
  return rings;
}

} // namespace rankscope
