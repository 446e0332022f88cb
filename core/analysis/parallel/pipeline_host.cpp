// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/pipeline_host.h"

#include "core/analysis/digest/rank_answers.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <map>
#include <optional>

namespace rankscope {

namespace {

// Forward operators of less than this share of a usual stretch prepare something else.
constexpr double kSmallShare = 0.05;

std::optional<std::size_t> stepAt(const StepWindows& steps, TimeNs time) {
  if (!steps.areSteps()) return steps.steps.empty() ? std::nullopt : std::optional<std::size_t>(0);
  const auto after =
      std::ranges::upper_bound(steps.steps, time, {}, [](const StepWindow& step) { return step.host.begin; });
  if (after == steps.steps.begin() || !std::prev(after)->host.contains(time)) return std::nullopt;
  return static_cast<std::size_t>(std::prev(after) - steps.steps.begin());
}

struct TopOperator {
  EventIndex event;
  TimeRange range;
  bool backward = false;
  bool collective = false;
};

class HostReader {
 public:
  HostReader(const Analysis& analysis, RankIndex rank)
      : m_trace(*analysis.trace().rank(rank).trace), m_names(analysis.trace().names()),
        m_steps(analysis.wholeStepWindows(rank)), m_phases(analysis.wholePhases(rank)) {}

  void readLabels(PipelineHost& host) const {
    std::map<NameId, std::vector<ActionLabel>> known;
    for (const Track& track : m_trace.tracks) {
      if (track.kind != TrackKind::Annotations) continue;
      for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) {
        const NameId name = m_trace.events.name[e];
        const auto [place, isNew] = known.try_emplace(name);
        if (isNew) place->second = actionsOfLabel(m_names[name]);
        if (place->second.empty()) continue;
        const auto step = stepAt(m_steps, m_trace.events.begin[e]);
        if (!step) continue;
        for (const ActionLabel& action : place->second)
          host.labels.push_back({m_trace.events.range(e), {}, action, *step});
      }
    }
    if (host.labels.empty()) readChunks(host);
    std::ranges::stable_sort(host.labels, {}, [](const HostAction& a) { return a.label.begin; });
  }

  // DualPipe labels no microbatches: each pair of chunks is the next one of both.
  void readChunks(PipelineHost& host) const {
    std::vector<TimeRange> pairs;
    std::vector<std::pair<EventIndex, ActionKind>> parts;
    std::map<NameId, std::optional<ActionKind>> known;
    for (const Track& track : m_trace.tracks) {
      if (track.kind != TrackKind::Annotations && track.kind != TrackKind::Thread) continue;
      for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) {
        const NameId name = m_trace.events.name[e];
        if (m_trace.events.kind[e] != EventKind::Annotation || !name.valid()) continue;
        if (m_names[name] == kOverlappedChunks) pairs.push_back(m_trace.events.range(e));
        const auto [place, isNew] = known.try_emplace(name);
        if (isNew) place->second = chunkPartOfLabel(m_names[name]);
        if (place->second) parts.emplace_back(e, *place->second);
      }
    }
    std::ranges::sort(pairs, {}, &TimeRange::begin);
    const bool splits = std::ranges::any_of(
        parts, [](const auto& part) { return part.second == ActionKind::WeightGradient; });
    for (const auto& [event, kind] : parts) {
      const TimeRange range = m_trace.events.range(event);
      const auto after = std::ranges::upper_bound(pairs, range.begin, {}, &TimeRange::begin);
      const auto step = stepAt(m_steps, range.begin);
      if (after == pairs.begin() || !std::prev(after)->contains(range.begin) || !step) continue;
      const bool input = splits && kind == ActionKind::Backward;
      const auto first = m_steps.areSteps() ? std::ranges::lower_bound(pairs, m_steps.steps[*step].host.begin,
                                                                       {}, &TimeRange::begin)
                                            : pairs.begin();
      const ActionLabel action{input ? ActionKind::InputGradient : kind, ActionLabel::kUnknown,
                               std::prev(after) - first};
      host.labels.push_back({range, {}, action, *step});
    }
    host.overlapped = !host.labels.empty();
  }

  // Sends and receives, without the calls that one of them makes.
  void readTransfers(const std::vector<CollectiveCall>& calls, const std::vector<CallUse>& uses,
                     const std::vector<std::int32_t>& members, PipelineHost& host) const {
    std::map<EventIndex, TimeNs> doneOf;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (uses[i].issuer.valid() && !m_trace.isDeviceEvent(calls[i].event))
        doneOf.emplace(uses[i].issuer, calls[i].range.end.ns());
    }
    std::vector<std::pair<EventIndex, const CollectiveDetail*>> events;
    for (const CollectiveDetail& detail : m_trace.collectives) {
      if (detail.peer.known() && m_trace.events.kind[detail.event] == EventKind::HostCollective)
        events.emplace_back(detail.event, &detail);
    }
    // Nsight Systems knows the peers of kernels only: a transfer begins with the call that launched it.
    if (events.empty()) {
      for (const CollectiveDetail& detail : m_trace.collectives) {
        if (!detail.peer.known() || !m_trace.isDeviceEvent(detail.event)) continue;
        const EventIndex launch = m_trace.deviceDetail(detail.event).launch;
        if (launch.valid()) events.emplace_back(launch, &detail);
      }
    }
    std::ranges::stable_sort(events, {}, [&](const auto& e) {
      return std::pair(m_trace.events.begin[e.first], -m_trace.events.duration[e.first]);
    });
    TimeRange last{0, 0};
    for (const auto& [event, detail] : events) {
      const TimeRange range = m_trace.events.range(event);
      if (last.contains(range.begin)) {
        // What the call of the backend has as a place, the record within it may have as a rank.
        if (detail->peer.numbering == PeerNumbering::Job) host.transfers.back().peer = detail->peer.number;
        continue;
      }
      const auto operation = operationOf(event, *detail);
      const auto step = stepAt(m_steps, range.begin);
      if (!isPointToPoint(operation) || !step) continue;
      last = range;
      HostTransfer transfer{range.begin, range.end, detail->peer.rankAmong(members),
                            operation == CollectiveOperation::Send, *step};
      if (const auto done = doneOf.find(event); done != doneOf.end())
        transfer.done = std::max(transfer.done, done->second);
      host.transfers.push_back(transfer);
    }
  }

  [[nodiscard]] std::vector<TopOperator> topOperators() const {
    std::vector<TopOperator> found;
    for (const Track& track : m_trace.tracks) {
      if (track.kind != TrackKind::Thread) continue;
      std::vector<TopOperator> ofTrack = topOperatorsOf(track);
      const bool trains = track.mainThread || std::ranges::any_of(ofTrack, &TopOperator::backward);
      if (trains) found.insert(found.end(), ofTrack.begin(), ofTrack.end());
    }
    std::ranges::stable_sort(found, {}, [](const TopOperator& o) { return o.range.begin; });
    return found;
  }

  void readWork(const std::vector<TopOperator>& operators, PipelineHost& host) const {
    for (HostAction& action : host.labels) {
      auto first = std::ranges::lower_bound(operators, action.label.begin, {},
                                            [](const TopOperator& o) { return o.range.begin; });
      while (first != operators.end() && first->collective && first->range.begin < action.label.end) ++first;
      if (first != operators.end() && first->range.begin < action.label.end)
        action.work = {first->range.begin, action.label.end};
    }
  }

  void readStretches(const std::vector<TopOperator>& operators, PipelineHost& host) const {
    std::vector<Run> runs;
    std::size_t transfer = 0;
    const std::vector<TimeNs> linked = linkedForwards();
    for (const TopOperator& op : operators) {
      while (transfer < host.transfers.size() && host.transfers[transfer].begin <= op.range.begin) ++transfer;
      if (op.collective || (!op.backward && m_phases.optimizer.contains(op.range.begin))) continue;
      const auto step = stepAt(m_steps, op.range.begin);
      if (!step) continue;
      const auto flow = std::ranges::lower_bound(linked, op.range.begin);
      const bool isLinked = op.backward || linked.empty() || (flow != linked.end() && *flow < op.range.end);
      Run* const last = runs.empty() ? nullptr : &runs.back();
      if (last != nullptr && last->stretch.backward == op.backward && last->transfers == transfer &&
          last->stretch.step == *step) {
        if (isLinked && !last->linked) last->firstLinked = op.range.begin;
        if (!isLinked && !last->linked) last->leading.push_back(op.range);
        last->stretch.range.end = std::max(last->stretch.range.end, op.range.end);
        last->linked |= isLinked;
      } else {
        runs.push_back({{op.range, op.backward, *step}, transfer, isLinked, op.range.begin, {}});
        if (!isLinked) runs.back().leading.push_back(op.range);
      }
    }
    keepActions(runs, host);
  }

 private:
  struct Run {
    HostStretchOfWork stretch;
    std::size_t transfers = 0; // before it
    bool linked = false;       // has a backward operator
    TimeNs firstLinked = 0;
    std::vector<TimeRange> leading; // operators before the first that has one
  };

  [[nodiscard]] CollectiveOperation operationOf(EventIndex event, const CollectiveDetail& detail) const {
    const CollectiveOperation named = collectiveOperationOf(m_names[m_trace.events.name[event]]);
    if (isPointToPoint(named) || !detail.operation.valid()) return named;
    return collectiveOperationOf(m_names[detail.operation]);
  }

  [[nodiscard]] std::vector<TopOperator> topOperatorsOf(const Track& track) const {
    std::vector<TopOperator> all;
    for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) {
      const EventKind kind = m_trace.events.kind[e];
      if (kind != EventKind::CpuOp && kind != EventKind::HostCollective) continue;
      all.push_back({e, m_trace.events.range(e), false, kind == EventKind::HostCollective});
    }
    std::ranges::stable_sort(
        all, {}, [](const TopOperator& o) { return std::pair(o.range.begin, -o.range.length()); });
    std::vector<TopOperator> top;
    for (TopOperator& op : all) {
      if (!top.empty() && op.range.begin < top.back().range.end) continue;
      op.backward =
          !op.collective && frameworkPhaseOf(m_names[m_trace.events.name[op.event]]) == Phase::Backward;
      top.push_back(op);
    }
    return top;
  }

  // When operators began that have a backward operator.
  [[nodiscard]] std::vector<TimeNs> linkedForwards() const {
    std::vector<TimeNs> times;
    times.reserve(m_trace.forwardBackward.size());
    for (const EventFlow& flow : m_trace.forwardBackward) times.push_back(m_trace.events.begin[flow.from]);
    std::ranges::sort(times);
    return times;
  }

  // Small operators before the first with a backward operator prepare the microbatch.
  static TimeNs beginOf(const Run& run) {
    if (!run.linked) return run.stretch.range.begin;
    const double least = kSmallShare * static_cast<double>(run.stretch.range.length());
    for (const TimeRange& op : run.leading) {
      if (static_cast<double>(op.length()) >= least) return op.begin;
    }
    return run.firstLinked;
  }

  // Drops what is small or has no backward operator, then joins stretches without a transfer between them.
  static void keepActions(const std::vector<Run>& runs, PipelineHost& host) {
    std::vector<double> forwards;
    for (const Run& run : runs) {
      if (!run.stretch.backward && run.linked)
        forwards.push_back(static_cast<double>(run.stretch.range.length()));
    }
    const double least = forwards.empty() ? 0 : kSmallShare * median(forwards);
    std::size_t transfers = 0;
    for (const Run& run : runs) {
      HostStretchOfWork stretch = run.stretch;
      stretch.range.begin = beginOf(run);
      if (!stretch.backward && (!run.linked || static_cast<double>(stretch.range.length()) < least)) continue;
      const bool joins = !host.stretches.empty() && host.stretches.back().backward == stretch.backward &&
                         transfers == run.transfers && host.stretches.back().step == stretch.step;
      if (joins)
        host.stretches.back().range.end = std::max(host.stretches.back().range.end, stretch.range.end);
      else
        host.stretches.push_back(stretch);
      transfers = run.transfers;
    }
  }

  const RankTrace& m_trace;
  const StringTable& m_names;
  const StepWindows& m_steps;
  const HostPhases& m_phases;
};

PipelineHost hostFromEvents(const Analysis& analysis, RankIndex rank, const std::vector<CallUse>& uses,
                            const std::vector<std::int32_t>& members) {
  PipelineHost host;
  const HostReader reader(analysis, rank);
  reader.readLabels(host);
  reader.readTransfers(analysis.collectiveCalls(rank), uses, members, host);
  if (host.labels.empty() && host.transfers.empty()) return host;
  const std::vector<TopOperator> operators = reader.topOperators();
  reader.readWork(operators, host);
  if (host.labels.empty()) reader.readStretches(operators, host);
  return host;
}

} // namespace

template <class Archive, Described<ActionLabel> T> void describe(Archive& archive, T& label) {
  auto& [kind, stage, microbatch] = label;
  archive(kind, stage, microbatch);
}
template <class Archive, Described<HostAction> T> void describe(Archive& archive, T& action) {
  auto& [label, work, of, step] = action;
  archive(label, work, of, step);
}
template <class Archive, Described<HostStretchOfWork> T> void describe(Archive& archive, T& stretch) {
  auto& [range, backward, step] = stretch;
  archive(range, backward, step);
}
template <class Archive, Described<HostTransfer> T> void describe(Archive& archive, T& transfer) {
  auto& [begin, done, peer, send, step] = transfer;
  archive(begin, done, peer, send, step);
}
template <class Archive, Described<PipelineHost> T> void describe(Archive& archive, T& host) {
  // groupRanks is of the group, not of the events of the rank.
  auto& [labels, stretches, transfers, overlapped, groupRanks] = host;
  archive(labels, stretches, transfers, overlapped);
}

namespace {

// Whether the indices are of steps that there are.
bool isOfSteps(const Analysis& analysis, RankIndex rank, const PipelineHost& host) {
  const std::size_t steps = analysis.wholeStepWindows(rank).steps.size();
  const auto exists = [&](const auto& of) { return of.step < steps; };
  return std::ranges::all_of(host.labels, exists) && std::ranges::all_of(host.stretches, exists) &&
         std::ranges::all_of(host.transfers, exists);
}

} // namespace

PipelineHost pipelineHost(const Analysis& analysis, RankIndex rank, const std::vector<CallUse>& uses,
                          const std::vector<std::int32_t>& members) {
  return rankAnswer<PipelineHost>(
      analysis.trace(), rank, "work of a pipeline",
      [&] { return hostFromEvents(analysis, rank, uses, members); },
      [&](const PipelineHost& host) { return isOfSteps(analysis, rank, host); });
}

} // namespace rankscope
