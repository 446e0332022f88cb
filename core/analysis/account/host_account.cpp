// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/host_account.h"

#include "core/analysis/account/gap_leaves.h"
#include "core/analysis/account/host_marks.h"
#include "core/analysis/activity/host_activity.h"
#include "core/analysis/activity/host_threads.h"
#include "core/analysis/activity/owned_time.h"

#include <algorithm>
#include <span>

namespace rankscope {

namespace {

// Walks the ranges of a set along with a time that only rises.
class SetCursor {
 public:
  explicit SetCursor(const IntervalSet& set) : m_ranges(set.ranges()) {}

  // Whether the set holds t, and until when that stays so.
  [[nodiscard]] bool holds(TimeNs t) {
    while (m_at < m_ranges.size() && m_ranges[m_at].end <= t) ++m_at;
    return m_at < m_ranges.size() && m_ranges[m_at].begin <= t;
  }
  [[nodiscard]] TimeNs changesAfter(TimeNs t) const {
    if (m_at == m_ranges.size()) return kAllTime.end;
    return m_ranges[m_at].begin <= t ? m_ranges[m_at].end : m_ranges[m_at].begin;
  }

 private:
  std::span<const TimeRange> m_ranges;
  std::size_t m_at = 0;
};

class HostAccount {
 public:
  HostAccount(const Analysis& analysis, RankIndex rank, const CommunicationFacts& facts)
      : m_host(hostActivity(*analysis.trace().rank(rank).trace, analysis.trace().names(),
                            analysis.wholeStepWindows(rank))),
        m_threads(hostThreads(*analysis.trace().rank(rank).trace, analysis.trace().names())),
        m_marks(hostMarks(*analysis.trace().rank(rank).trace, analysis.trace().names(), m_threads)),
        m_judge(analysis, rank, facts), m_calls(callsOf(analysis, rank)), m_compute(m_host.compute),
        m_communication(m_host.collectives), m_loads(m_host.dataLoader) {}

  TimePieces pieces(TimeRange range) {
    m_pieces = TimePieces(range.begin);
    for (TimeNs t = range.begin; t < range.end; t = m_pieces.range().end) {
      const bool computes = m_compute.holds(t);
      const bool communicates = m_communication.holds(t);
      const bool loads = m_loads.holds(t);
      TimeNs end = std::min(range.end, m_compute.changesAfter(t));
      if (computes) {
        m_pieces.addUntil(end, TimeClass::Compute, Leaf::Ideal, {});
        continue;
      }
      end = std::min(end, m_communication.changesAfter(t));
      if (communicates) {
        addCommunication(t, end);
        continue;
      }
      end = std::min(end, m_loads.changesAfter(t));
      m_pieces.addUntil(end, TimeClass::Idle, loads ? Leaf::HostInput : leafOfPause({t, end}), {});
    }
    return std::move(m_pieces);
  }

 private:
  static std::vector<OwnedTime> callsOf(const Analysis& analysis, RankIndex rank) {
    std::vector<OwnedTime> calls;
    for (const CollectiveCall& call : analysis.collectiveCalls(rank))
      calls.push_back({call.range.ns(), call.event});
    return ownedTimesOf(std::move(calls));
  }

  void addCommunication(TimeNs t, TimeNs end) {
    while (m_call < m_calls.size() && m_calls[m_call].range.end <= t) ++m_call;
    if (m_call == m_calls.size() || m_calls[m_call].range.begin > t) {
      const TimeNs next = m_call < m_calls.size() ? m_calls[m_call].range.begin : end;
      m_pieces.addUntil(std::min(end, next), TimeClass::ExposedCommunication, Leaf::CommTransfer, {});
      return;
    }
    const OwnedTime& call = m_calls[m_call];
    const CommunicationLeaves::Verdict verdict = m_judge.judge(call.event);
    end = std::min(end, call.range.end);
    m_pieces.addUntil(std::min(verdict.arrival, end), TimeClass::ExposedCommunication, verdict.wait,
                      call.event);
    m_pieces.addUntil(end, TimeClass::ExposedCommunication, verdict.rest, call.event);
  }

  // A thread that trains and records nothing for long was not running, unless it awaits another process.
  [[nodiscard]] Leaf leafOfPause(TimeRange range) const {
    if (m_threads.main == HostThreads::kNone) return Leaf::HostPython;
    if (2 * m_marks.of(m_threads.main, HostWork::HostCommunication).coveredWithin(range) > range.length())
      return Leaf::HostComm;
    if (range.length() <= kSilence) return Leaf::HostPython;
    const HostThread& main = m_threads.threads[m_threads.main];
    const bool silent = main.work.coveredWithin(range) == 0 && main.inPython.coveredWithin(range) == 0;
    return silent ? Leaf::HostDescheduled : Leaf::HostPython;
  }

  HostActivity m_host;
  HostThreads m_threads;
  HostMarks m_marks;
  CommunicationLeaves m_judge;
  std::vector<OwnedTime> m_calls;
  SetCursor m_compute;
  SetCursor m_communication;
  SetCursor m_loads;
  std::size_t m_call = 0; // of m_calls: the first that does not end before
  TimePieces m_pieces;
};

} // namespace

TimePieces hostPieces(const Analysis& analysis, RankIndex rank, const CommunicationFacts& facts,
                      TimeRange range) {
  return HostAccount(analysis, rank, facts).pieces(range);
}

} // namespace rankscope
