// SPDX-License-Identifier: GPL-3.0-or-later
// One recording of one rank: all events of its file in wall clock time. Immutable and thread-safe after
// TraceBuilder has created it. Device events (Kernel, Collective, Copy, Set) are contiguous, so their extra
// columns are dense arrays over that range.
#pragma once

#include "core/base/column.h"
#include "core/base/strong_index.h"
#include "core/base/time_range.h"
#include "core/index/longest_pyramid.h"
#include "core/model/diagnostics.h"
#include "core/model/event_kind.h"
#include "core/model/rank_list.h"
#include "core/model/source_ref.h"
#include "core/model/track.h"
#include "core/model/transfer_peer.h"

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
  RankList ranks; // as recorded; empty if not recorded
};

// Parses a recorded list of ranks, "[0, 1, 2]". A truncated list ("[0, 1, ...]") gives the ranks it contains.
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
  std::string runtimeVersion; // "CUDA 12.4", "HIP 6.4.43483"; empty if not recorded, like the next two
  std::string driverVersion;
  std::string ncclVersion; // or RCCL's: "2.22.3"
  TimeNs baseTime = 0;     // added to all times of the file; 0 if not recorded
};

// All events as parallel columns, sorted once by (track, row, begin) and never moved. Events of a row do not
// overlap, so begins and ends both ascend and can be searched by binary search.
struct EventColumns {
  Column<TimeNs> begin;    // wall time: time in the file plus base time
  Column<TimeNs> duration; // never negative
  Column<NameId> name;
  Column<EventKind> kind;
  Column<std::uint32_t> link; // correlation of runtime and device events, External id of host events; 0 none
  Column<SourceRef> source;   // identifies the event to the recording's DetailSource

  [[nodiscard]] std::size_t size() const { return begin.size(); }
  [[nodiscard]] TimeRange range(EventIndex event) const {
    return {begin[event], begin[event] + duration[event]};
  }
};

// Extra columns of device events. The index is relative to deviceBegin.
struct DeviceDetail {
  EventIndex launch; // runtime call that launched it; invalid if not recorded
  std::uint32_t externalId = 0;
  std::int32_t device = -1;
  CommunicationEvidence evidence = CommunicationEvidence::None;
  std::int64_t stream = -1;
  std::int64_t bytes = -1; // of memcpy and memset; -1 not recorded
  float blocksPerSm = -1;  // -1 not recorded
  float occupancyPct = -1; // estimated achieved occupancy; -1 not recorded
};

// Arguments of a collective. For kernels and record_param_comms as recorded; for a backend's annotation
// ("nccl:all_reduce") its name is the operation, with the number of elements and type of its tensors. NameIds
// refer to the name table of the TraceSet.
struct CollectiveDetail {
  EventIndex event;
  NameId operation; // "Collective name", or the annotation's name
  NameId dtype;
  NameId groupName;
  NameId groupDescription;
  NameId groupRanks; // text as recorded; the writer cuts it at 30 entries
  std::int64_t inElements = -1;
  std::int64_t outElements = -1;
  std::int64_t groupSize = -1;
  std::int64_t rankStart = -1; // "Global rank start" and "Global rank stride", for groups with regular ranks
  std::int64_t rankStride = -1;
  std::int64_t sequence = -1; // "Seq"
  std::int64_t rank = -1;
  TransferPeer peer;
  std::uint64_t commsId = 0; // "Comms Id"; 0 not recorded
};

struct MemoryEvent {
  TimeNs time = 0;
  EventIndex event;
  std::int64_t bytes = 0; // negative for a free
  std::uint64_t address = 0;
  std::int64_t totalAllocated = -1; // -1 not recorded
  std::int64_t totalReserved = -1;
  std::int32_t deviceType = -1; // 0 host, 1 CUDA or ROCm
  std::int32_t device = -1;
};

struct EventFlow {
  EventIndex from;
  EventIndex to;
};

// A synchronization row and the events it orders. Events that were not recorded are invalid.
struct EventWait {
  EventIndex sync;
  EventIndex call;   // the synchronizing call: cudaStreamWaitEvent, cudaEventSynchronize, ...
  EventIndex record; // call that recorded the CUDA event waited for
  EventIndex before; // last work launched on the awaited stream before the CUDA event was recorded
  EventIndex after;  // first work launched on the waiting stream afterwards; invalid if the host waits
};

struct CounterSeries {
  std::string name; // counter and key
  std::string process;
  std::vector<TimeNs> times; // ascending
  std::vector<double> values;
};

struct RankTrace {
  // Limit of rows that are searched for one event. Real calls nest by the hundred; a damaged file may have a
  // row per event. Passes over all events use RowSweep, which has no such limit.
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
  std::uint64_t fileEvents = 0; // entries of the file's event array, of any kind
  std::uint64_t leftOut = 0;    // entries excluded by the load filter
  TimeRange extent;             // of events with a duration; excludes markers and invalid events at time 0
  std::vector<int> devices;     // with device activity, ascending

  [[nodiscard]] bool hasDeviceEvents() const { return deviceBegin < deviceEnd; }
  [[nodiscard]] bool isDeviceEvent(EventIndex event) const {
    return deviceBegin <= event && event < deviceEnd;
  }
  // REQUIRES: isDeviceEvent(event).
  [[nodiscard]] const DeviceDetail& deviceDetail(EventIndex event) const {
    return deviceDetails[event.value - deviceBegin.value];
  }
  // Device events launched by a runtime call; several for a CUDA graph. Binary search.
  [[nodiscard]] std::span<const EventIndex> launchedBy(EventIndex runtimeCall) const;
  // Collective arguments of an event, or null.
  [[nodiscard]] const CollectiveDetail* collectiveOf(EventIndex event) const;
  // All waits that involve an event. Linear in the number of waits.
  [[nodiscard]] std::vector<EventWait> waitsOf(EventIndex event) const;
  // Row and track of an event. Binary search.
  [[nodiscard]] RowIndex rowOf(EventIndex event) const;
  [[nodiscard]] TrackIndex trackOf(EventIndex event) const { return rows[rowOf(event).value].track; }
  // Last event of a row that begins at or before t; invalid if there is none. Binary search.
  [[nodiscard]] EventIndex lastBeginningBy(RowIndex row, TimeNs t) const;
  // The closest enclosing event in the rows above, on the same track; invalid if there is none. Searches at
  // most kMaxLevels rows.
  [[nodiscard]] EventIndex parentOf(EventIndex event) const;
};

} // namespace rankscope
