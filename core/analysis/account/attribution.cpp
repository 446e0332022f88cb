// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/attribution.h"

#include "core/analysis/account/clock_ratios.h"
#include "core/analysis/account/compute_leaves.h"
#include "core/analysis/account/copy_leaves.h"
#include "core/analysis/account/gap_leaves.h"
#include "core/analysis/account/host_account.h"
#include "core/analysis/account/object_collectives.h"
#include "core/analysis/activity/owned_time.h"
#include "core/base/parallel_for.h"
#include "core/model/side_files.h"
#include "core/model/trace_pages.h"

#include <algorithm>
#include <span>

namespace rankscope {

namespace {

// What one class of device events owns, walked along with a time that only rises.
class OwnedCursor {
 public:
  explicit OwnedCursor(std::span<const OwnedTime> times) : m_times(times) {}

  void passUntil(TimeNs t) {
    while (m_at < m_times.size() && m_times[m_at].range.end <= t) ++m_at;
  }
  // The one that runs at the time that was passed until; null when none does.
  [[nodiscard]] const OwnedTime* at(TimeNs t) const {
    return m_at < m_times.size() && m_times[m_at].range.begin <= t ? &m_times[m_at] : nullptr;
  }
  // Where the next one begins.
  [[nodiscard]] TimeNs nextBegin(TimeNs t) const {
    const std::size_t next = at(t) != nullptr ? m_at + 1 : m_at;
    return next < m_times.size() ? m_times[next].range.begin : kAllTime.end;
  }
  [[nodiscard]] EventIndex nextEvent() const { return m_times[m_at].event; }

 private:
  std::span<const OwnedTime> m_times;
  std::size_t m_at = 0;
};

// Lays the pieces of a rank with device events end to end.
class DeviceAccount {
 public:
  DeviceAccount(const Analysis& analysis, RankIndex rank, const AccountFacts& facts)
      : m_trace(*analysis.trace().rank(rank).trace), m_owned(ownedTimes(m_trace)), m_compute(m_owned.compute),
        m_communication(m_owned.communication), m_memory(m_owned.memory),
        m_gaps(m_trace, analysis.trace().names(), analysis.wholeStepWindows(rank), analysis.wholePhases(rank),
               objectLaunches(analysis, rank)),
        m_calls(analysis, rank, facts.communication), m_copies(analysis.trace().names()),
        m_excesses(computeExcesses(analysis, rank, m_owned.compute, facts.clockRatios[rank.value])) {}

  TimePieces pieces(TimeRange range) {
    m_pieces = TimePieces(range.begin);
    for (TimeNs t = range.begin; t < range.end; t = m_pieces.range().end) addPiece(t, range.end);
    return std::move(m_pieces);
  }
  [[nodiscard]] KernelExcesses takeExcesses() { return std::move(m_excesses); }

 private:
  void addPiece(TimeNs t, TimeNs end) {
    m_compute.passUntil(t);
    m_communication.passUntil(t);
    m_memory.passUntil(t);
    if (const OwnedTime* const kernel = m_compute.at(t)) {
      m_previous = kernel->event;
      addKernel(*kernel, end);
      return;
    }
    end = std::min(end, m_compute.nextBegin(t));
    if (const OwnedTime* const call = m_communication.at(t)) {
      m_previous = call->event;
      addCommunication({t, std::min(end, call->range.end)}, call->event);
      return;
    }
    end = std::min(end, m_communication.nextBegin(t));
    if (const OwnedTime* const copy = m_memory.at(t)) {
      m_previous = copy->event;
      m_pieces.addUntil(std::min(end, copy->range.end), TimeClass::ExposedMemory,
                        m_copies.leafOf(m_trace, copy->event), copy->event);
      return;
    }
    end = std::min(end, m_memory.nextBegin(t));
    addGap({t, end});
  }

  // The excess is the end of what the kernel owns.
  void addKernel(const OwnedTime& kernel, TimeNs end) {
    while (m_nextExcess < m_excesses.size() && m_excesses[m_nextExcess].owned.begin < kernel.range.begin)
      ++m_nextExcess;
    const bool exceeds = m_nextExcess < m_excesses.size() && m_excesses[m_nextExcess].kernel == kernel.event;
    const TimeNs needed = kernel.range.end - (exceeds ? m_excesses[m_nextExcess].high : 0);
    m_pieces.addUntil(std::min(needed, end), TimeClass::Compute, Leaf::Ideal, kernel.event);
    if (exceeds)
      m_pieces.addUntil(std::min(kernel.range.end, end), TimeClass::Compute, m_excesses[m_nextExcess].leaf,
                        kernel.event);
  }

  void addCommunication(TimeRange range, EventIndex event) {
    if (event != m_call) {
      m_call = event;
      m_verdict = m_calls.judge(event);
    }
    m_pieces.addUntil(std::min(m_verdict.arrival, range.end), TimeClass::ExposedCommunication, m_verdict.wait,
                      event);
    addPart(range.end, m_verdict.unlaunched, Leaf::CommUnlaunched, event);
    addPart(range.end, m_verdict.slowLink, Leaf::CommSlowLink, event);
    addPart(range.end, m_verdict.fragmented, Leaf::CommFragmented, event);
    m_pieces.addUntil(range.end, TimeClass::ExposedCommunication, m_verdict.rest, event);
  }
  // As much of the amount as there is until the end; what is left of it waits for the call's next stretch.
  void addPart(TimeNs end, TimeNs& amount, Leaf leaf, EventIndex event) {
    const TimeNs from = m_pieces.range().end;
    if (from >= end || amount <= 0) return;
    const TimeNs part = std::min(amount, end - from);
    amount -= part;
    m_pieces.addUntil(from + part, TimeClass::ExposedCommunication, leaf, event);
  }

  void addGap(TimeRange range) {
    EventIndex next;
    for (const OwnedCursor* const cursor : {&m_compute, &m_communication, &m_memory}) {
      if (cursor->nextBegin(range.begin) == range.end && !next.valid()) next = cursor->nextEvent();
    }
    const GapLeaves::Verdict verdict = m_gaps.judge({range, m_previous, next});
    m_pieces.addUntil(std::min(verdict.edgeEnd, range.end), TimeClass::Idle, Leaf::CaptureEdge,
                      verdict.event);
    m_pieces.addUntil(range.end, TimeClass::Idle, verdict.leaf, verdict.event);
  }

  const RankTrace& m_trace;
  OwnedTimes m_owned;
  OwnedCursor m_compute;
  OwnedCursor m_communication;
  OwnedCursor m_memory;
  GapLeaves m_gaps;
  CommunicationLeaves m_calls;
  CopyLeaves m_copies;
  EventIndex m_previous;
  EventIndex m_call;
  CommunicationLeaves::Verdict m_verdict; // of m_call
  TimePieces m_pieces;
  KernelExcesses m_excesses;
  std::size_t m_nextExcess = 0; // the first that does not begin before what is laid
};

// All that was recorded of a rank, and its steps, which may reach beyond.
TimeRange recordedRange(const RankTrace& trace, const StepWindows& steps, const DeviceActivity& activity) {
  TimeRange range = trace.extent.unitedWith(steps.hull());
  if (trace.hasDeviceEvents()) range = range.unitedWith(activity.span);
  return range;
}

std::vector<StepAccount> stepsOfAccount(const Analysis& analysis, RankIndex rank, const TimePieces& pieces) {
  std::vector<StepAccount> steps;
  if (analysis.wholeStepWindows(rank).areSteps()) {
    const std::vector<StepWindow>& windows = analysis.stepWindows(rank).steps;
    steps.reserve(windows.size());
    for (const StepWindow& step : windows)
      steps.push_back({step.number, step.range, pieces.within(step.range)});
  }
  if (!steps.empty()) return steps;
  const TimeRange whole = pieces.range().clippedTo(analysis.window(rank).ns());
  if (!whole.empty()) steps.push_back({Step::kUnknownNumber, whole, pieces.within(whole)});
  return steps;
}

// Of a step in which the devices wait for launches longer than they compute: what a faster kernel frees is
// waited for as well.
bool isHostBound(const LeafTimes& times) {
  TimeNs dispatch = 0;
  for (const LeafTime& part : times) dispatch += isUnder(part.leaf, "host.dispatch") ? part.time : 0;
  return dispatch > timeOf(times, TimeClass::Compute);
}

void clearHostBound(KernelExcesses& excesses, TimeRange window) {
  auto at = std::ranges::lower_bound(excesses, window.begin, {},
                                     [](const KernelExcess& excess) { return excess.owned.begin; });
  for (; at != excesses.end() && at->owned.begin < window.end; ++at) {
    at->critical = false;
    at->low = 0;
  }
}

// Whatever steps are asked about; what lies in none is judged by all of the recording when there are none.
void findHostBound(const StepWindows& steps, RankAccount& account) {
  if (account.excesses.empty()) return;
  const auto judge = [&](TimeRange window) {
    if (isHostBound(account.pieces.within(window))) clearHostBound(account.excesses, window);
  };
  if (!steps.areSteps()) return judge(account.pieces.range());
  for (const StepWindow& step : steps.steps) judge(step.range);
}

} // namespace

AccountFacts accountFacts(const Analysis& analysis, unsigned threadCount, const Progress* progress) {
  // Not of these ranks alone where the whole job was asked.
  const bool isTold = !analysis.trace().side().jobFacts.empty();
  return {isTold ? CommunicationFacts() : communicationFacts(analysis),
          clockRatios(analysis, threadCount, progress)};
}

RankAccount rankAccount(const Analysis& analysis, RankIndex rank, const AccountFacts& facts) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const TimeRange range = recordedRange(trace, analysis.wholeStepWindows(rank), analysis.wholeActivity(rank));
  RankAccount account;
  if (trace.hasDeviceEvents()) {
    DeviceAccount device(analysis, rank, facts);
    account.pieces = device.pieces(range);
    account.excesses = device.takeExcesses();
    findHostBound(analysis.wholeStepWindows(rank), account);
  } else {
    account.pieces = hostPieces(analysis, rank, facts.communication, range);
  }
  account.steps = stepsOfAccount(analysis, rank, account.pieces);
  giveBackPages(trace);
  return account;
}

JobAccount jobAccount(const Analysis& analysis, unsigned threadCount, const Progress* progress) {
  JobAccount account;
  account.ranks.resize(analysis.trace().ranks().size());
  const AccountFacts facts = accountFacts(analysis, threadCount, progress);
  const std::vector<RankIndex>& ranks = analysis.ranks();
  parallelFor(ranks.size(), threadCount, [&](std::size_t i) {
    if (progress != nullptr && progress->cancelled()) return;
    account.ranks[ranks[i].value] = rankAccount(analysis, ranks[i], facts);
  });
  return account;
}

} // namespace rankscope
