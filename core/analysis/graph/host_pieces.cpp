// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/host_pieces.h"

#include <algorithm>

namespace rankscope {

namespace {

// Events of the track that lie in the range in part, callers before what they call.
std::vector<HostPiece> eventsIn(const RankTrace& trace, TrackIndex track, TimeRange range) {
  std::vector<HostPiece> found;
  if (!track.valid()) return found;
  const Track& of = trace.tracks[track.value];
  const std::uint32_t rows = std::min(of.rowCount, RankTrace::kMaxLevels);
  for (std::uint32_t r = 0; r < rows; ++r) {
    const RowIndex row(of.firstRow.value + r);
    EventIndex event = trace.lastBeginningBy(row, range.begin);
    if (!event.valid()) event = trace.rows[row.value].firstEvent;
    for (; event < trace.rows[row.value].endEvent && trace.events.begin[event] < range.end; ++event.value) {
      const TimeRange part = trace.events.range(event).clippedTo(range);
      if (!part.empty()) found.push_back({part, event});
    }
  }
  std::ranges::stable_sort(found, [](const HostPiece& a, const HostPiece& b) {
    return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.range.end > b.range.end;
  });
  return found;
}

class Nesting {
 public:
  explicit Nesting(TimeRange range) : m_at(range.begin) {}

  std::vector<HostPiece> pieces(const std::vector<HostPiece>& events, TimeNs end) {
    m_pieces.reserve(2 * events.size() + 1);
    for (const HostPiece& event : events) {
      closeUntil(event.range.begin);
      m_open.push_back(event);
    }
    closeUntil(end);
    addUntil(end, {});
    return std::move(m_pieces);
  }

 private:
  void addUntil(TimeNs end, EventIndex event) {
    if (end <= m_at) return;
    if (!m_pieces.empty() && m_pieces.back().event == event)
      m_pieces.back().range.end = end;
    else
      m_pieces.push_back({{m_at, end}, event});
    m_at = end;
  }

  void closeUntil(TimeNs time) {
    while (!m_open.empty()) {
      const HostPiece& innermost = m_open.back();
      addUntil(std::min(innermost.range.end, time), innermost.event);
      if (innermost.range.end > time) return;
      m_open.pop_back();
    }
    addUntil(time, {});
  }

  TimeNs m_at;
  std::vector<HostPiece> m_open;
  std::vector<HostPiece> m_pieces;
};

} // namespace

std::vector<HostPiece> hostPiecesOf(const RankTrace& trace, TrackIndex calls, TrackIndex python,
                                    TimeRange range) {
  std::vector<HostPiece> result;
  for (const HostPiece& piece : Nesting(range).pieces(eventsIn(trace, calls, range), range.end)) {
    if (piece.event.valid() || !python.valid()) {
      result.push_back(piece);
      continue;
    }
    const std::vector<HostPiece> frames =
        Nesting(piece.range).pieces(eventsIn(trace, python, piece.range), piece.range.end);
    result.insert(result.end(), frames.begin(), frames.end());
  }
  return result;
}

} // namespace rankscope
