// SPDX-License-Identifier: GPL-3.0-or-later
// What one slice of a file held, before it is merged with the rest of its file: passed from a reader
// to TraceBuilder. Names and threads are numbers in the ReaderTables that the slice was read with; a reader
// of another format fills the same structures, and nothing further on knows where events came from.
#pragma once

#include "core/base/chunk_store.h"
#include "core/base/time_range.h"
#include "core/model/diagnostics.h"
#include "core/model/event_kind.h"
#include "core/model/source_ref.h"
#include "core/model/string_table.h"
#include "core/model/track.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace rankscope {

inline constexpr std::uint32_t kNoRecord = 0xffffffffu;

// An event as a reader passes it on, before it has a row: 40 bytes, the size that a load's memory is made
// of.
struct RawEvent {
  TimeNs begin;
  TimeNs duration;
  std::uint64_t sourceBits : SourceRef::kBits; // see source()
  std::uint64_t kind : 8;                      // EventKind
  std::uint32_t name;
  std::uint32_t track; // in the reader's tables
  // Correlation of runtime calls, External id of host events; of device events the position in `device`,
  // of instants that in `memory` or kNoRecord.
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
  SourceRef source; // of its event
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
  std::int64_t peer = -1;
  std::uint64_t commsId = 0;
};

enum class SyncRole : std::uint8_t {
  Record,     // an event was recorded on its stream
  StreamWait, // a stream waits for an event
  EventSync,  // the host waits for an event
  StreamSync, // the host waits for a stream
  Other,      // the host waits for the whole device, or nobody knows
};

// What a synchronization row records about what it waits for.
struct RawSync {
  SourceRef source;                    // of its event
  std::uint64_t correlation = 0;       // of the call that asked for it
  std::uint64_t recordCorrelation = 0; // of the call that recorded the event waited for; 0 not known
  std::int64_t stream = -1;            // its own; -1 none
  std::int64_t waitedStream = -1;      // that the event waited for was recorded on; -1 not known
  std::int32_t device = -1;
  SyncRole role = SyncRole::Record;
};

// One end of a forward-backward arrow.
struct RawFlow {
  std::uint64_t id;
  TimeNs time;
  std::uint32_t thread; // a track of the same thread, of kind Thread
  bool start;
};

// Half of a duration that was written as a begin and an end.
struct RawHalf {
  RawEvent event; // of an end: only begin (its time), track and source count
  bool begins;
  std::uint32_t thread;
};

struct RawCounter {
  std::uint32_t name;
  std::uint32_t process; // a name
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

// What of a slice there is most of, moved to where it waits for the other slices of the file.
struct StoredRecords {
  StoredSpan<RawEvent> events;
  StoredSpan<RawDevice> device;
  StoredSpan<RawMemory> memory;
};

struct SliceEvents {
  std::vector<RawEvent> events; // beside those of `kept`
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
  std::uint64_t objects = 0; // entries of the event array, whatever they were
  std::uint64_t leftOut = 0; // of these, what nobody wanted to be loaded
  std::size_t tables = 0;    // which ReaderTables of the file the numbers belong to
};

// A thread or stream, and what of it a track shows.
struct RawTrack {
  std::string process;
  std::string thread;
  TrackKind kind;
  int device = -1;
};

// Numbers that a reader gave to names and tracks over all slices it read of one file.
struct ReaderTables {
  StringInterner names;
  std::vector<SourceRef> nameFirstAt; // by name: the first event in which this reader met it
  std::vector<RawTrack> tracks;
  std::unordered_map<std::string, std::uint32_t> trackByKey;
};

} // namespace rankscope
