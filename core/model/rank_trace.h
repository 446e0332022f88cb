// SPDX-License-Identifier: GPL-3.0-or-later
// One recording of one rank: all events of its file, on the wall clock, constant after TraceBuilder
// made it and readable from all threads. Device events (Kernel, Collective, Copy, Set) lie together in
// deviceEvents, so what only they have is a dense array over that range.
#pragma once

#include "core/base/column.h"
#include "core/base/strong_index.h"
#include "core/base/time_range.h"
#include "core/index/longest_pyramid.h"
#include "core/model/diagnostics.h"
#include "core/model/event_kind.h"
#include "core/model/source_ref.h"
#include "core/model/track.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct DeviceProperties {
  int id = -1;
  std::string name;
  std::uint64_t totalMemoryBytes = 0;
  int computeMajor = 0;
  int computeMinor = 0;
  int multiprocessors = 0;
};

struct ProcessGroup {
  std::string name;
  std::string description;
  std::string backend;
  std::optional<std::int64_t> size;
  std::vector<std::int32_t> ranks; // as listed; empty when not recorded
};

// The numbers in a list of ranks as it was recorded, "[0, 1, 2]"; of a cut one ("[0, 1, ...]") those that are
// there.
[[nodiscard]] std::vector<std::int32_t> ranksInList(std::string_view text);

// Metadata of a file.
struct TraceMetadata {
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> worldSize;
  std::string backend;
  std::vector<ProcessGroup> processGroups;
  std::vector<DeviceProperties> devices;
  std::string hostName;
  std::string traceName;
  std::string jobName;
  TimeNs baseTime = 0; // the file's times count from it; 0 when not recorded
};

// The event store: parallel columns, sorted once by (track, row, begin) and never moved. Inside a row no two
// events overlap, so begins and ends both increase and one binary search answers nearly every question.
struct EventColumns {
  Column<TimeNs> begin;    // wall time: the file's time plus its base time
  Column<TimeNs> duration; // never negative
  Column<NameId> name;
  Column<EventKind> kind;
  Column<std::uint32_t> link; // correlation of runtime and device events, External id of host ones; 0 none
  Column<SourceRef> source;   // what the recording's DetailSource knows the event by

  [[nodiscard]] std::size_t size() const { return begin.size(); }
  [[nodiscard]] TimeRange range(EventIndex event) const {
    return {begin[event], begin[event] + duration[event]};
  }
};

// Of the device event at the same position of the range.
struct DeviceDetail {
  EventIndex launch; // the runtime call that launched it; invalid when not recorded
  std::uint32_t externalId = 0;
  std::int32_t device = -1;
  std::int64_t stream = -1;
  std::int64_t bytes = -1; // of memcpy and memset; -1 not recorded
  float blocksPerSm = -1;  // -1 not recorded
  float occupancyPct = -1; // est. achieved occupancy; -1 not recorded
  CommunicationEvidence evidence = CommunicationEvidence::None;
};

// The arguments of a collective: of a kernel or a record_param_comms as recorded; of a backend's annotation
// ("nccl:all_reduce") its name as the operation and its tensors' elements and type. Names are in the table of
// the TraceSet.
struct CollectiveDetail {
  EventIndex event;
  NameId operation; // "Collective name", or the annotation's name
  NameId dtype;
  NameId groupName;
  NameId groupDescription;
  NameId groupRanks; // text as recorded, cut at 30 entries by the writer
  std::int64_t inElements = -1;
  std::int64_t outElements = -1;
  std::int64_t groupSize = -1;
  std::int64_t rankStart = -1; // "Global rank start" and stride: the group's ranks when they are regular
  std::int64_t rankStride = -1;
  std::int64_t sequence = -1; // "Seq"
  std::int64_t rank = -1;
  std::int64_t peer = -1;    // Src Rank or Dst Rank
  std::uint64_t commsId = 0; // "Comms Id"; 0 not recorded
};

struct MemoryEvent {
  TimeNs time = 0;
  EventIndex event;
  std::int64_t bytes = 0; // signed: negative frees
  std::uint64_t address = 0;
  std::int64_t totalAllocated = -1; // -1 not recorded
  std::int64_t totalReserved = -1;
  std::int32_t deviceType = -1; // 0 host, 1 CUDA and ROCm
  std::int32_t device = -1;
};

struct EventFlow {
  EventIndex from;
  EventIndex to;
};

// A synchronization row with the events it orders. What was not recorded is invalid.
struct EventWait {
  EventIndex sync;
  EventIndex call;   // that asked for it: cudaStreamWaitEvent, cudaEventSynchronize, ...
  EventIndex record; // the call that recorded the event that is waited for
  EventIndex before; // what is waited for: the last work that the stream had been given by then
  EventIndex after;  // what waits: the first work that its stream was given since; not where the host waits
};

struct CounterSeries {
  std::string name; // counter and key
  std::string process;
  std::vector<TimeNs> times; // ascending
  std::vector<double> values;
};

struct RankTrace {
  // So many rows are walked for one event. Calls nest by the hundred; a file may claim a row for each event,
  // and then all of them are walked only where every event is asked for at once (RowSweep).
  static constexpr std::uint32_t kMaxLevels = 1'000;

  TraceMetadata metadata;
  EventColumns events;
  std::vector<Track> tracks;
  std::vector<Row> rows;     // by track, top row first
  LongestPyramid pyramid;    // over events.duration; query it within one row
  EventIndex deviceBegin{0}; // device events are [deviceBegin, deviceEnd)
  EventIndex deviceEnd{0};
  Column<DeviceDetail> deviceDetails;
  Column<EventIndex> byLaunch;          // device events with a launch, by (launch, event)
  Column<EventFlow> forwardBackward;    // by from
  Column<EventWait> waits;              // by sync
  Column<CollectiveDetail> collectives; // by event
  Column<MemoryEvent> memory;           // by time
  std::vector<CounterSeries> counters;
  Diagnostics diagnostics;
  std::uint64_t fileEvents = 0; // objects in the file's event array, whatever they are
  std::uint64_t leftOut = 0;    // of these, what was not to be loaded
  TimeRange extent;             // of events with a duration, markers and junk at time 0 left out
  std::vector<int> devices;     // with device activity, ascending

  [[nodiscard]] bool isDeviceEvent(EventIndex event) const {
    return deviceBegin <= event && event < deviceEnd;
  }
  // REQUIRES: isDeviceEvent(event).
  [[nodiscard]] const DeviceDetail& deviceDetail(EventIndex event) const {
    return deviceDetails[event.value - deviceBegin.value];
  }
  // The device events that a runtime call launched; more than one for a graph. Binary search.
  [[nodiscard]] std::span<const EventIndex> launchedBy(EventIndex runtimeCall) const;
  // The collective arguments of an event, or null.
  [[nodiscard]] const CollectiveDetail* collectiveOf(EventIndex event) const;
  // The waits in which an event has any part. Linear in the waits.
  [[nodiscard]] std::vector<EventWait> waitsOf(EventIndex event) const;
  // The row and the track that hold an event. Binary search.
  [[nodiscard]] RowIndex rowOf(EventIndex event) const;
  [[nodiscard]] TrackIndex trackOf(EventIndex event) const { return rows[rowOf(event).value].track; }
  // The last event of a row that begins at or before t; invalid when there is none. Binary search.
  [[nodiscard]] EventIndex lastBeginningBy(RowIndex row, TimeNs t) const;
  // The event of the nearest upper row of the same track that contains this one; invalid at the top. Not
  // looked for further up than kMaxLevels.
  [[nodiscard]] EventIndex parentOf(EventIndex event) const;
};

} // namespace rankscope
