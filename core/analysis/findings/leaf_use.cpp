// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/leaf_use.h"

#include "core/analysis/account/avoidable_time.h"
#include "core/analysis/classify/own_code.h"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

namespace rankscope {

namespace {

// The matched collectives of a rank by begin, and whether it was the last to begin each.
class Arrivals {
 public:
  Arrivals(const Analysis& analysis, RankIndex rank) {
    const CollectiveMatch& match = analysis.collectives().match;
    const std::vector<CollectiveCall>& calls = analysis.collectiveCalls(rank);
    for (std::size_t call = 0; call < calls.size(); ++call) {
      const CollectiveInstance& instance = match.instance(match.instanceOfCall[rank.value][call]);
      if (!instance.matched()) continue;
      m_begins.push_back(calls[call].range.begin.ns());
      m_last.push_back(instance.lastRank == rank ? 1 : 0);
    }
  }

  enum class Next { None, Earlier, Last };
  // How the rank came to the first collective from t on.
  [[nodiscard]] Next after(TimeNs t) const {
    const auto found = std::ranges::lower_bound(m_begins, t);
    if (found == m_begins.end()) return Next::None;
    return m_last[static_cast<std::size_t>(found - m_begins.begin())] != 0 ? Next::Last : Next::Earlier;
  }

 private:
  std::vector<TimeNs> m_begins; // ascending, as calls are
  std::vector<std::uint8_t> m_last;
};

class PieceNames {
 public:
  PieceNames(const Analysis& analysis, RankIndex rank)
      : m_analysis(analysis), m_rank(rank), m_trace(*analysis.trace().rank(rank).trace) {
    for (const Track& track : m_trace.tracks) {
      if (track.kind == TrackKind::Python && track.mainThread) m_python.push_back(&track);
    }
  }

  [[nodiscard]] NameId of(Leaf leaf, TimeRange range, EventIndex event) const {
    if (leaf == Leaf::HostPython) return frameIn(range);
    if (!event.valid()) return {};
    if (leaf == Leaf::HostSync && !m_trace.isDeviceEvent(event)) {
      const EventIndex caller = m_analysis.operatorTree(m_rank).enclosingOf(event);
      if (caller.valid()) return m_trace.events.name[caller];
    }
    return m_trace.events.name[event];
  }
  // The innermost frame of the main thread that is the user's own code and takes half of the range; without
  // one the innermost that takes half, then the innermost of all.
  [[nodiscard]] NameId frameIn(TimeRange range) const {
    const TimeNs middle = range.begin + range.length() / 2;
    NameId innermost, longest;
    for (const Track* const track : m_python) {
      for (std::uint32_t row = track->firstRow.value + track->rowCount; row-- > track->firstRow.value;) {
        const EventIndex event = m_trace.lastBeginningBy(RowIndex(row), middle);
        if (!event.valid() || !m_trace.events.range(event).contains(middle)) continue;
        const NameId name = m_trace.events.name[event];
        const bool isHalf = 2 * m_trace.events.range(event).clippedTo(range).length() >= range.length();
        if (isHalf && isOwnCode(m_analysis.trace().names()[name])) return name;
        if (isHalf && !longest.valid()) longest = name;
        if (!innermost.valid()) innermost = name;
      }
    }
    return longest.valid() ? longest : innermost;
  }

 private:
  const Analysis& m_analysis;
  RankIndex m_rank;
  const RankTrace& m_trace;
  std::vector<const Track*> m_python;
};

using TimesByName = std::unordered_map<std::uint32_t, ExactSum>;

void nameLargest(const TimesByName& times, const StringTable& names, LeafUse& use) {
  for (const auto& [name, time] : times) {
    if (time < use.nameTime) continue;
    if (time == use.nameTime && use.name.valid() && names[NameId(std::size_t{name})] > names[use.name])
      continue;
    use.name = NameId(std::size_t{name});
    use.nameTime = time;
  }
}

} // namespace

NameId codeIn(const Analysis& analysis, RankIndex rank, TimeRange range) {
  return PieceNames(analysis, rank).frameIn(range);
}

LeafUses leafUsesOf(const Analysis& analysis, const JobAccount& account, const KeptAccount& kept,
                    RankIndex rank) {
  LeafUses uses;
  std::array<TimesByName, kLeafCount> byName;
  const PieceNames names(analysis, rank);
  const Arrivals arrivals(analysis, rank);
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const IntervalSet& loading = analysis.wholePhases(rank).dataLoader;
  EventIndex counted; // a copy whose bytes are counted already
  for (const KeptWindow& window : kept.windows[rank.value]) {
    account.of(rank).pieces.forEachWithin(window.range, [&](TimeRange range, const TimePieces::Piece& piece) {
      const auto leaf = static_cast<std::size_t>(piece.leaf);
      LeafUse& use = uses[leaf];
      use.time += range.length();
      ++use.count;
      use.addWorst(range, piece.event, window.number);
      if (piece.timeClass == TimeClass::Idle || piece.timeClass == TimeClass::ExposedMemory) {
        const TimeNs avoidable = avoidableTime(loading, range, piece);
        use.avoidable += avoidable;
        const Arrivals::Next next = arrivals.after(range.end);
        if (next != Arrivals::Next::None) use.beforeAny += avoidable;
        if (next == Arrivals::Next::Last) use.beforeLast += avoidable;
      }
      if (piece.timeClass == TimeClass::ExposedMemory && piece.event != counted) {
        counted = piece.event;
        use.bytes += std::max<std::int64_t>(0, trace.deviceDetail(piece.event).bytes);
      }
      if (piece.leaf == Leaf::Ideal) return;
      const NameId name = names.of(piece.leaf, range, piece.event);
      if (name.valid()) byName[leaf][static_cast<std::uint32_t>(name.value)] += range.length();
    });
  }
  for (std::size_t leaf = 0; leaf < kLeafCount; ++leaf)
    nameLargest(byName[leaf], analysis.trace().names(), uses[leaf]);
  return uses;
}

LeafUse useOf(const LeafUses& uses, std::string_view leaf) {
  LeafUse sum;
  for (std::size_t i = 0; i < kLeafCount; ++i) {
    if (!isUnder(static_cast<Leaf>(i), leaf)) continue;
    const LeafUse& part = uses[i];
    sum.time += part.time;
    sum.count += part.count;
    sum.avoidable += part.avoidable;
    sum.bytes += part.bytes;
    sum.beforeLast += part.beforeLast;
    sum.beforeAny += part.beforeAny;
    sum.addWorst(part.worst, part.worstEvent, part.worstStep);
    if (part.nameTime <= sum.nameTime) continue;
    sum.name = part.name;
    sum.nameTime = part.nameTime;
  }
  return sum;
}

} // namespace rankscope
