// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of one slice of a file, passed from a reader to TraceBuilder before slices are merged. Names
// and threads are numbers in the ReaderTables of the slice. Readers of all formats fill the same structures.
#pragma once

#include "core/base/chunk_store.h"
#include "core/base/time_range.h"
#include "core/model/diagnostics.h"
#include "core/model/event_kind.h"
#include "core/model/source_ref.h"
#include "core/model/string_table.h"
#include "core/model/track.h"
#include "core/model/transfer_peer.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace rankscope {

inline constexpr std::uint32_t kNoRecord = 0xffffffffu;

// An event before it has a row. 40 bytes: this size determines the memory of a load.
struct RawEvent {
  TimeNs begin;
  TimeNs duration;
  std::uint64_t sourceBits : SourceRef::kBits; // see source()
  std::uint64_t kind : 8;                      // EventKind
  std::uint32_t name;
  std::uint32_t track; // index in the reader's tables
  // Correlation of runtime calls, External id of host events. For device events the index in `device`, for
  // instants the index in `memory` or kNoRecord.
  std::uint32_t link;

  [[nodiscard]] SourceRef source() const { return SourceRef(sourceBits); }
  void setSource(SourceRef source) {
    sourceBits = source.readerBits() & ((std::uint64_t{1} << SourceRef::kBits) - 1);
  }
};
static_assert(sizeof(RawEvent) == 40);

struct RawDevice {
  std::uint64_t correlation = 0;
  std::uint64_t externalId = 0;
  std::int64_t stream = -1;
  std::int64_t bytes = -1;
  std::int32_t device = -1;
  float blocksPerSm = -1;
  float occupancyPct = -1;
};

struct RawMemory {
  std::int64_t bytes = 0;
  std::uint64_t address = 0;
  std::int64_t totalAllocated = -1;
  std::int64_t totalReserved = -1;
  std::int32_t deviceType = -1;
  std::int32_t device = -1;
};

struct RawCollective {
  SourceRef source; // of the collective's event
  std::uint32_t operation = kNoRecord;
  std::uint32_t dtype = kNoRecord;
  std::uint32_t groupName = kNoRecord;
  std::uint32_t groupDescription = kNoRecord;
  std::uint32_t groupRanks = kNoRecord;
  std::int64_t inElements = -1;
  std::int64_t outElements = -1;
  std::int64_t groupSize = -1;
  std::int64_t rankStart = -1;
  std::int64_t rankStride = -1;
  std::int64_t sequence = -1;
  std::int64_t rank = -1;
  TransferPeer peer;
  std::uint64_t commsId = 0;
};

enum class SyncRole : std::uint8_t {
  Record,     // a CUDA event is recorded on a stream
  StreamWait, // a stream waits for a CUDA event
  EventSync,  // the host waits for a CUDA event
  StreamSync, // the host waits for a stream
  Other,      // the host waits for the whole device, or unknown
};

// Arguments of a synchronization row.
struct RawSync {
  SourceRef source;                    // of the row's event
  std::uint64_t correlation = 0;       // of the synchronizing call
  std::uint64_t recordCorrelation = 0; // of the call that recorded the CUDA event waited for; 0 if unknown
  std::int64_t stream = -1;            // stream of the row; -1 if none
  std::int64_t waitedStream = -1;      // stream on which the CUDA event was recorded; -1 if unknown
  std::int32_t device = -1;
  SyncRole role = SyncRole::Record;
};

// One end of a forward-backward flow.
struct RawFlow {
  std::uint64_t id;
  TimeNs time;
  std::uint32_t thread; // track of kind Thread of the same thread
  bool start;
};

// A begin or end event of a duration.
struct RawHalf {
  RawEvent event; // of an end only begin (its time), track and source are set
  bool begins;
  std::uint32_t thread;
};

struct RawCounter {
  std::uint32_t name;
  std::uint32_t process; // name id
  TimeNs time;
  double value;
};

enum class ThreadFact : std::uint8_t { ProcessName, ProcessLabel, ThreadName };

struct RawThreadFact {
  ThreadFact fact;
  std::string process;
  std::string thread;
  std::string text;
};

// The most frequent records of a slice, moved to the ChunkStore until all slices have been read.
struct StoredRecords {
  StoredSpan<RawEvent> events;
  StoredSpan<RawDevice> device;
  StoredSpan<RawMemory> memory;
};

struct SliceEvents {
  std::vector<RawEvent> events; // in addition to those in `stored`
  std::vector<RawDevice> device;
  std::vector<RawMemory> memory;
  StoredRecords stored;
  std::vector<RawCollective> collectives;
  std::vector<RawSync> syncs;
  std::vector<RawFlow> flows;
  std::vector<RawHalf> halves;
  std::vector<RawCounter> counters;
  std::vector<RawThreadFact> threadFacts;
  Diagnostics diagnostics;
  std::uint64_t objects = 0; // entries of the event array, of any kind
  std::uint64_t leftOut = 0; // of these, entries excluded by the load filter
  std::size_t tables = 0;    // index of the ReaderTables that name and track numbers refer to
};

// Stored ones first.
template <class Use> void eachEvent(const SliceEvents& slice, Use&& use) {
  for (const RawEvent& event : slice.stored.events.values) use(event);
  for (const RawEvent& event : slice.events) use(event);
}

// A thread or stream with the kind of its events on this track.
struct RawTrack {
  std::string process;
  std::string thread;
  TrackKind kind;
  int device = -1;
};

// Numbers of names and tracks, assigned by one reader over all its slices of a file.
struct ReaderTables {
  StringInterner names;
  std::vector<SourceRef> nameFirstAt; // by name: first event with this name that this reader read
  std::vector<RawTrack> tracks;
  std::unordered_map<std::string, std::uint32_t> trackByKey;
};

} // namespace rankscope
