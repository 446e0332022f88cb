// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/event_links.h"

#include "core/base/sort_runs.h"
#include "core/model/row_sweep.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>

namespace rankscope {

namespace {

struct Call {
  std::uint32_t correlation;
  TimeNs begin;
  EventIndex event;
};

std::vector<Call> runtimeCalls(const RankTrace& trace) {
  std::vector<Call> calls;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Thread) continue;
    for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) {
      if (trace.events.kind[e] == EventKind::Runtime && trace.events.link[e] != 0) {
        calls.push_back({trace.events.link[e], trace.events.begin[e], e});
      }
    }
  }
  const auto key = [](const Call& c) { return std::tuple(c.correlation, c.begin, c.event); };
  sortRuns(calls, [&](const Call& a, const Call& b) { return key(a) < key(b); });
  return calls;
}

// The operator at the end of a flow: of the operators on the thread that contain this time, the outermost
// that begins at it, else the innermost.
EventIndex operatorAt(const RankTrace& trace, RowSweep& sweep, TimeNs time) {
  const auto isNoCall = [&](EventIndex event) { return trace.events.kind[event] != EventKind::Runtime; };
  sweep.advance(time, isNoCall);
  std::optional<RowSweep::Begun> outermost;
  for (const RowSweep::Begun& begun : sweep.begun()) {
    const bool last = sweep.last(begun.row) == begun.event && trace.events.begin[begun.event] == time;
    if (last && isNoCall(begun.event) && (!outermost || begun.row < outermost->row)) outermost = begun;
  }
  return outermost ? outermost->event : sweep.lowestUntil(sweep.rowCount(), time + 1);
}

// An end of a flow before its operator is known.
struct ArrowEnd {
  std::uint64_t id;
  std::uint32_t track;
  TimeNs time;
  EventIndex event; // invalid if no operator is open
  bool start;
};

// Processes threads one by one in time order; the order of `ends` does not change.
void findOperators(const RankTrace& trace, std::vector<ArrowEnd>& ends) {
  std::vector<std::uint32_t> order(ends.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t i) { return std::pair(ends[i].track, ends[i].time); };
  sortRuns(order, [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  std::optional<RowSweep> sweep;
  const ArrowEnd* before = nullptr;
  for (const std::uint32_t i : order) {
    const bool newTrack = before == nullptr || before->track != ends[i].track;
    if (newTrack) sweep.emplace(trace, trace.tracks[ends[i].track]);
    const bool sameTime = !newTrack && before->time == ends[i].time;
    ends[i].event = sameTime ? before->event : operatorAt(trace, *sweep, ends[i].time);
    before = &ends[i];
  }
}

// A communicating operator may also launch kernels that scale, flatten or convert its tensors. Their names
// have typical parts of compute kernels.
bool isComputationName(std::string_view name) {
  static constexpr std::array<std::string_view, 14> kMarks{
      "at::",          "elementwise",         "gemm", "triton", "cutlass", "cudnn",  "cublas",
      "reduce_kernel", "CatArrayBatchedCopy", "copy", "fill",   "memset",  "memcpy", "index"};
  return std::ranges::any_of(
      kMarks, [&](std::string_view mark) { return name.find(mark) != std::string_view::npos; });
}

// Whether the operator that encloses a launch is one that communicates.
bool launchedByCollective(const RankTrace& trace, EventIndex launch) {
  const EventIndex parent = trace.parentOf(launch);
  return parent.valid() && trace.events.kind[parent] == EventKind::HostCollective;
}

} // namespace

void weighCommunicationEvidence(RankTrace& trace, const StringTable& names) {
  // Few launches are inside of communicating operators; without such operators nothing needs to be checked.
  const bool hasHostCollectives = std::ranges::any_of(
      trace.events.kind.span(), [](EventKind kind) { return kind == EventKind::HostCollective; });
  std::vector<bool> judged(names.size());
  std::vector<bool> computes(names.size());
  std::vector<EventIndex> linked;
  std::vector<DeviceDetail> details = trace.deviceDetails.take();
  for (EventIndex e = trace.deviceBegin; e < trace.deviceEnd; ++e.value) {
    DeviceDetail& detail = details[e.value - trace.deviceBegin.value];
    const EventKind kind = trace.events.kind[e];
    if (kind == EventKind::Collective) {
      detail.evidence =
          trace.collectiveOf(e) != nullptr ? CommunicationEvidence::Arguments : CommunicationEvidence::Name;
    } else if (kind == EventKind::Kernel && hasHostCollectives && detail.launch.valid()) {
      const NameId name = trace.events.name[e];
      if (!judged[name.value]) {
        judged[name.value] = true;
        computes[name.value] = isComputationName(names[name]);
      }
      if (computes[name.value] || !launchedByCollective(trace, detail.launch)) continue;
      detail.evidence = CommunicationEvidence::LinkedOperator;
      linked.push_back(e);
    }
  }
  trace.deviceDetails = Column(std::move(details));
  if (linked.empty()) return;
  std::vector<EventKind> kinds = trace.events.kind.take();
  for (const EventIndex e : linked) kinds[e.value] = EventKind::Collective;
  trace.events.kind = Column(std::move(kinds));
}

void linkLaunches(RankTrace& trace) {
  const std::vector<Call> calls = runtimeCalls(trace);
  std::vector<DeviceDetail> details = trace.deviceDetails.take();
  std::vector<EventIndex> byLaunch;
  for (std::size_t i = 0; i < details.size(); ++i) {
    const EventIndex event(trace.deviceBegin.value + i);
    const std::uint32_t correlation = trace.events.link[event];
    if (correlation == 0) continue;
    const auto call = std::ranges::lower_bound(calls, correlation, {}, &Call::correlation);
    if (call == calls.end() || call->correlation != correlation) continue;
    details[i].launch = call->event;
    byLaunch.push_back(event);
  }
  trace.deviceDetails = Column(std::move(details));
  const auto key = [&](EventIndex e) { return std::pair(trace.deviceDetail(e).launch, e); };
  sortRuns(byLaunch, [&](EventIndex a, EventIndex b) { return key(a) < key(b); });
  trace.byLaunch = Column(std::move(byLaunch));
}

void linkForwardBackward(const FileEvents& file, const std::vector<std::vector<std::uint32_t>>& trackMaps,
                         RankTrace& trace) {
  std::vector<ArrowEnd> ends; // of all flows, in file order
  for (const SliceEvents& slice : file.slices) {
    for (const RawFlow& flow : slice.flows)
      ends.push_back({flow.id,
                      trackMaps[slice.tables][flow.thread],
                      flow.time + trace.metadata.baseTime,
                      {},
                      flow.start});
  }
  findOperators(trace, ends);
  std::erase_if(ends, [](const ArrowEnd& end) { return !end.event.valid(); });
  sortRuns(ends, [](const ArrowEnd& a, const ArrowEnd& b) { return a.id < b.id; });
  std::vector<EventFlow> flows;
  for (std::size_t first = 0, last = 0; first < ends.size(); first = last) {
    EventIndex from; // if an id was reused, the last start
    for (; last < ends.size() && ends[last].id == ends[first].id; ++last) {
      if (ends[last].start) from = ends[last].event;
    }
    if (!from.valid()) continue;
    for (std::size_t i = first; i < last; ++i) {
      if (!ends[i].start) flows.push_back({from, ends[i].event});
    }
  }
  std::ranges::sort(flows, {}, [](const EventFlow& f) { return std::pair(f.from, f.to); });
  trace.forwardBackward = Column(std::move(flows));
}

namespace {

// The work of one stream in launch order.
struct StreamWork {
  struct Piece {
    TimeNs launched;
    EventIndex event;
  };
  std::vector<Piece> pieces;

  [[nodiscard]] EventIndex lastBefore(TimeNs time) const {
    const auto at = std::ranges::lower_bound(pieces, time, {}, &Piece::launched);
    return at == pieces.begin() ? EventIndex() : std::prev(at)->event;
  }
  [[nodiscard]] EventIndex firstSince(TimeNs time) const {
    const auto at = std::ranges::lower_bound(pieces, time, {}, &Piece::launched);
    return at == pieces.end() ? EventIndex() : at->event;
  }
};

using StreamKey = std::pair<std::int32_t, std::int64_t>; // device and stream

std::map<StreamKey, StreamWork> workOfStreams(const RankTrace& trace) {
  std::map<StreamKey, StreamWork> streams;
  for (const EventIndex event : trace.byLaunch) {
    const DeviceDetail& detail = trace.deviceDetail(event);
    streams[{detail.device, detail.stream}].pieces.push_back({trace.events.begin[detail.launch], event});
  }
  for (auto& [key, work] : streams)
    std::ranges::sort(work.pieces, {},
                      [](const StreamWork::Piece& p) { return std::pair(p.launched, p.event); });
  return streams;
}

// Synchronization rows by source position, because event indices are only assigned by the layout.
std::vector<std::pair<SourceRef, EventIndex>> syncRows(const RankTrace& trace) {
  std::vector<std::pair<SourceRef, EventIndex>> rows;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Sync) continue;
    for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value)
      rows.emplace_back(trace.events.source[e], e);
  }
  std::ranges::sort(rows);
  return rows;
}

} // namespace

void linkWaits(const FileEvents& file, RankTrace& trace) {
  const auto rows = syncRows(trace);
  if (rows.empty()) return;
  const std::vector<Call> calls = runtimeCalls(trace);
  const std::map<StreamKey, StreamWork> streams = workOfStreams(trace);
  const auto callOf = [&](std::uint64_t id) {
    const std::uint32_t correlation = narrowId(id);
    const auto call = std::ranges::lower_bound(calls, correlation, {}, &Call::correlation);
    const bool found = correlation != 0 && call != calls.end() && call->correlation == correlation;
    return found ? call->event : EventIndex();
  };
  std::vector<EventWait> waits;
  for (const SliceEvents& slice : file.slices) {
    for (const RawSync& raw : slice.syncs) {
      const auto row = std::ranges::lower_bound(rows, std::pair(raw.source, EventIndex(0)));
      if (row == rows.end() || row->first != raw.source) continue;
      EventWait wait{row->second, callOf(raw.correlation), callOf(raw.recordCorrelation), {}, {}};
      if (raw.role == SyncRole::Record) wait.record = wait.call;
      // A wait for a stream waits for all work launched on it so far.
      const EventIndex mark = raw.role == SyncRole::StreamSync ? wait.call : wait.record;
      const bool names = raw.role == SyncRole::Record || raw.role == SyncRole::StreamSync;
      const auto waited = streams.find({raw.device, names ? raw.stream : raw.waitedStream});
      if (waited != streams.end() && mark.valid())
        wait.before = waited->second.lastBefore(trace.events.begin[mark]);
      const auto waiting = streams.find({raw.device, raw.stream});
      if (raw.role == SyncRole::StreamWait && waiting != streams.end() && wait.call.valid())
        wait.after = waiting->second.firstSince(trace.events.begin[wait.call]);
      waits.push_back(wait);
    }
  }
  std::ranges::sort(waits, {}, &EventWait::sync);
  trace.waits = Column(std::move(waits));
}

} // namespace rankscope
