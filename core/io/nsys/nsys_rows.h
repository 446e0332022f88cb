// SPDX-License-Identifier: GPL-3.0-or-later
// Reads ranges of rows of an export into the events of its processes. What needs other tables or the whole
// file (types of synchronization, domains, open ranges, links) is kept as pending, for nsys_joins. One reader
// per thread; readers share nothing but the facts.
#pragma once

#include "core/io/nsys/nsys_export.h"
#include "core/io/nsys/nsys_tables.h"
#include "core/io/nsys/nsys_text.h"
#include "core/model/slice_events.h"

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rankscope {

struct NsysFilter {
  bool skipCpuOps = false;
  // Of chosen steps, in file time after subtraction of the shift; of each process its own.
  std::optional<TimeRange> window = {};
  std::map<std::int64_t, TimeRange> ofProcess = {};

  // That of a process without steps of its own is the window of all.
  [[nodiscard]] std::optional<TimeRange> windowOf(std::int64_t process) const {
    const auto own = ofProcess.find(process);
    return own == ofProcess.end() ? window : std::optional(own->second);
  }
};

struct NsysPiece {
  NsysTable table = NsysTable::Kernel;
  SqliteFile::RowRange rows;
};

// A range of a domain other than the default, one that crosses threads, or one without an end.
struct PendingRange {
  TimeNs begin = 0;
  std::optional<TimeNs> end;
  SourceRef source;
  std::int64_t thread = 0; // global id
  std::int64_t domain = 0;
  std::uint32_t name = 0;
  EventKind kind = EventKind::Annotation;
  bool crossesThreads = false;
};

struct PendingSync {
  TimeNs begin = 0;
  TimeNs duration = 0;
  SourceRef source;
  std::uint64_t correlation = 0;
  std::int64_t context = -1;
  std::int64_t stream = -1;
  std::int64_t event = -1;
  std::int64_t syncId = -1;
};

// A call that records a CUDA event, from the table of CUDA events.
struct RecordedEvent {
  std::uint64_t correlation = 0;
  std::int64_t context = -1;
  std::int64_t stream = -1;
  std::int64_t event = -1;
  std::int64_t syncId = -1;
};

// A runtime call that synchronizes or records.
struct SyncCall {
  std::uint64_t correlation = 0;
  TimeNs begin = 0;
  std::int64_t thread = 0;
  SyncRole role = SyncRole::Other;
};

// An event of a slice: an operator with a sequence number, or an autograd node, which holds operators.
struct SequenceNumber {
  static constexpr std::int64_t kNode = -1;

  std::int64_t sequence = kNode;
  std::uint32_t event = 0; // of the slice's events, stored ones first
};

// A range of NCCL's domain with its payload.
struct NcclRange {
  TimeRange range;
  SourceRef source;
  std::int64_t thread = 0;
  std::int64_t domain = 0;
  std::uint32_t name = 0;
  std::string payload; // as recorded; empty if not exported
};

// Memory that the program got from CUDA or gave back. PyTorch's allocator keeps such blocks: they are what it
// has reserved, not what tensors use.
struct ReservedChange {
  TimeNs time = 0;
  SourceRef source;
  std::int64_t device = -1;
  bool onHost = false; // pinned
  std::int64_t bytes = 0;
};

// A call of CUDA that returned an error.
struct FailedCall {
  std::uint32_t name = 0; // of the reader's tables
  bool driver = false;
  std::int64_t code = 0;

  auto operator<=>(const FailedCall&) const = default;
};

struct NsysPending {
  std::vector<PendingRange> ranges;
  std::vector<PendingSync> syncs;
  std::vector<RecordedEvent> records;
  std::vector<SyncCall> calls;
  std::vector<SequenceNumber> sequences; // in addition to those in storedSequences
  StoredSpan<SequenceNumber> storedSequences;
  std::vector<std::pair<std::int64_t, std::int64_t>> contexts; // (context, device) of device work
  std::vector<std::pair<std::int64_t, std::string>> domains;   // names
  std::vector<std::pair<std::int64_t, std::string>> threads;   // names by global id
  std::vector<NcclRange> payloads;
  std::vector<ReservedChange> reserved;
  std::map<FailedCall, std::uint64_t> failed; // with how often
  bool hasShapes = false;                     // some operator has the sizes of its inputs
};

// Rows of a table that became no event, by reason.
struct NsysRowCounts {
  std::uint64_t rows = 0;
  std::uint64_t events = 0;        // events, counters or links
  std::uint64_t metadata = 0;      // names, copies of calls for call stacks
  std::uint64_t beforeCapture = 0; // ended before the capture began
  std::uint64_t filtered = 0;
  std::uint64_t unusable = 0; // in the diagnostics
  std::uint64_t unnamed = 0;  // events whose name is not in StringIds

  NsysRowCounts& operator+=(const NsysRowCounts& other);
};

// Counts of events, made while they are at hand.
struct NsysEventCounts {
  std::uint64_t ranges = 0; // of NVTX
  std::uint64_t calls = 0;  // of CUDA
  std::uint64_t others = 0;
  bool operators = false;
  bool graphsAsWhole = false;
  TimeNs last = 0; // the latest end

  void add(const RawEvent& event);
};

// What a piece has of one process. Names and tracks are those of the reader's tables of this process.
struct NsysPart {
  std::int64_t process = kNoProcess;
  SliceEvents slice;
  NsysPending pending;
  NsysEventCounts stored; // of the slice's stored events
};

// Memory for the records of a part, which is used again for the next piece.
struct NsysBuffers {
  std::vector<RawEvent> events;
  std::vector<RawDevice> device;
  std::vector<SequenceNumber> sequences;
};

struct NsysPieceResult {
  NsysTable table = NsysTable::Kernel;
  std::vector<NsysPart> parts;
  NsysRowCounts counts;
  std::vector<SqliteFile::RowRange> damaged;
  std::set<std::int64_t> unknownNames;
};

// Metrics of a GPU stand under a key of their own, until it is known which process used it.
[[nodiscard]] constexpr std::int64_t gpuKey(std::int64_t gpu) {
  return -2 - gpu;
}

class NsysTracks {
 public:
  [[nodiscard]] std::uint32_t ofThread(ReaderTables& tables, std::int64_t thread, TrackKind kind);
  [[nodiscard]] std::uint32_t ofStream(ReaderTables& tables, std::int64_t device, std::int64_t stream,
                                       TrackKind kind);
  // A lane of a thread: "145 NCCL".
  [[nodiscard]] static std::uint32_t lane(ReaderTables& tables, std::int64_t thread, std::string_view name);
  [[nodiscard]] static std::uint32_t find(ReaderTables& tables, const std::string& process,
                                          const std::string& thread, TrackKind kind, int device);

 private:
  struct Known {
    std::int64_t first = 0;
    std::int64_t second = 0;
    TrackKind kind = TrackKind::Other;
    std::uint32_t track = kNoRecord;
  };
  static constexpr std::size_t kSlots = 64;
  std::array<Known, kSlots> m_threads{};
  std::array<Known, kSlots> m_streams{};
};

// The tables of a process that one reader fills.
struct NsysProcess {
  struct Name {
    std::uint32_t local = 0;
    EventKind kind = EventKind::Other;
    std::optional<SyncRole> role;
    bool unknown = false; // not in StringIds
  };
  std::unique_ptr<ReaderTables> tables = std::make_unique<ReaderTables>();
  NsysTracks tracks;
  std::unordered_map<std::int64_t, Name> kernels; // by string id
  std::unordered_map<std::int64_t, Name> calls;
  std::unordered_map<std::int64_t, Name> others;
  std::unordered_map<std::uint64_t, EventKind> ranges; // kind by local name and what follows it

  // Interns a name whose first event may be at this position.
  [[nodiscard]] std::uint32_t intern(std::string_view name, SourceRef at);
  void seen(std::uint32_t name, SourceRef at);
};

// Launch limits of a device, for blocks per multiprocessor and occupancy.
struct LaunchShape {
  std::int64_t blocks = 0;
  std::int64_t threads = 0; // per block
  std::int64_t registers = 0;
  std::int64_t sharedBytes = 0;
};
// -1 if the GPU does not say how many multiprocessors it has.
[[nodiscard]] float blocksPerMultiprocessor(const NsysGpu& gpu, const LaunchShape& launch);
// Estimated achieved occupancy in percent; -1 if a limit of the GPU is not recorded.
[[nodiscard]] float estimatedOccupancy(const NsysGpu& gpu, const LaunchShape& launch);

class NsysRowReader {
 public:
  NsysRowReader(const NsysExport& facts, SqliteFile file, NsysFilter filter);

  // cancelled: stops early; the result is then worthless.
  [[nodiscard]] NsysPieceResult read(const NsysPiece& piece, const std::atomic<bool>& cancelled);
  [[nodiscard]] std::map<std::int64_t, NsysProcess>& processes() { return m_processes; }
  // Memory of records that were stored elsewhere, for the next piece; and its end.
  void reuse(NsysBuffers buffers);
  void dropSpare() { m_spare = {}; }

 private:
  struct Target {
    NsysProcess* process = nullptr;
    NsysPart* part = nullptr;
  };

  [[nodiscard]] Target target(std::int64_t process, NsysPieceResult& result);
  void scan(SqliteRows& rows, const NsysPiece& piece, NsysPieceResult& result,
            const std::atomic<bool>& cancelled);
  void take(const SqliteRows& rows, SourceRef at, NsysPieceResult& result);

  void takeDevice(const SqliteRows& rows, SourceRef at, NsysPieceResult& result);
  void takeSync(const SqliteRows& rows, SourceRef at, NsysPieceResult& result);
  void takeRecord(const SqliteRows& rows, NsysPieceResult& result);
  void takeCall(const SqliteRows& rows, SourceRef at, NsysPieceResult& result);
  void takeHost(const SqliteRows& rows, SourceRef at, NsysPieceResult& result);
  void takeNvtx(const SqliteRows& rows, SourceRef at, NsysPieceResult& result);
  void takeRange(const SqliteRows& rows, SourceRef at, const Target& to, NsysPieceResult& result);
  void takeMemory(const SqliteRows& rows, SourceRef at, NsysPieceResult& result);
  void takeMetric(const SqliteRows& rows, SourceRef at, NsysPieceResult& result);

  // Begin and duration of a row; empty if it is unusable, before the capture or filtered, which is counted.
  [[nodiscard]] std::optional<TimeRange> timeOf(const SqliteRows& rows, SourceRef at, SliceEvents& to,
                                                NsysRowCounts& counts) const;
  [[nodiscard]] bool wanted(EventKind kind, TimeRange range, const Target& of) const;
  [[nodiscard]] NsysProcess::Name kernelName(NsysProcess& process, std::int64_t id, SourceRef at);
  [[nodiscard]] NsysProcess::Name callNameOf(NsysProcess& process, std::int64_t id, SourceRef at);
  // "#17" and unknown set for a string that is not there.
  [[nodiscard]] std::string textOrNumber(std::int64_t id, bool& unknown);
  static void countUnknown(bool unknown, std::int64_t id, NsysPieceResult& result);
  void addCall(const Target& to, RawEvent event, const NsysProcess::Name& name, std::int64_t thread,
               std::uint64_t correlation);

  const NsysExport& m_facts;
  SqliteFile m_file;
  NsysStrings m_strings;
  NsysFilter m_filter;
  std::map<NsysTable, SqliteRows> m_rows;
  std::map<std::int64_t, NsysProcess> m_processes;
  std::int64_t m_lastProcess = 0;
  NsysProcess* m_last = nullptr;
  std::vector<NsysBuffers> m_spare;
  const NsysGpu* m_gpu = nullptr; // of the last device
  std::int64_t m_gpuProcess = 0;
  std::int64_t m_gpuDevice = -2;
};

} // namespace rankscope
