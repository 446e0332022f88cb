// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_rows.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope {

NsysRowCounts& NsysRowCounts::operator+=(const NsysRowCounts& other) {
  rows += other.rows;
  events += other.events;
  metadata += other.metadata;
  beforeCapture += other.beforeCapture;
  filtered += other.filtered;
  unusable += other.unusable;
  unnamed += other.unnamed;
  return *this;
}

void NsysEventCounts::add(const RawEvent& event) {
  const auto kind = static_cast<EventKind>(event.kind);
  const NsysTable table = tableOf(event.source());
  if (table == NsysTable::Nvtx)
    ++ranges;
  else if (kind == EventKind::Runtime)
    ++calls;
  else
    ++others;
  operators = operators || kind == EventKind::CpuOp;
  graphsAsWhole = graphsAsWhole || table == NsysTable::GraphTrace;
  last = std::max(last, event.begin + event.duration);
}

std::uint32_t NsysTracks::find(ReaderTables& tables, const std::string& process, const std::string& thread,
                               TrackKind kind, int device) {
  std::string key = process;
  key += '\n';
  key += thread;
  key += static_cast<char>('a' + static_cast<int>(kind));
  const auto [found, isNew] =
      tables.trackByKey.try_emplace(key, static_cast<std::uint32_t>(tables.tracks.size()));
  if (isNew) tables.tracks.push_back({process, thread, kind, device});
  int& known = tables.tracks[found->second].device;
  known = std::max(known, device);
  return found->second;
}

std::uint32_t NsysTracks::ofThread(ReaderTables& tables, std::int64_t thread, TrackKind kind) {
  Known& known = m_threads[(static_cast<std::uint64_t>(thread) * 7 + static_cast<unsigned>(kind)) % kSlots];
  if (known.track == kNoRecord || known.first != thread || known.kind != kind)
    known = {thread, 0, kind,
             find(tables, std::to_string(pidOf(thread)), std::to_string(tidOf(thread)), kind, -1)};
  return known.track;
}

std::uint32_t NsysTracks::ofStream(ReaderTables& tables, std::int64_t device, std::int64_t stream,
                                   TrackKind kind) {
  Known& known = m_streams[(static_cast<std::uint64_t>(stream) * 7 + static_cast<std::uint64_t>(device) * 3 +
                            static_cast<unsigned>(kind)) %
                           kSlots];
  if (known.track == kNoRecord || known.first != device || known.second != stream || known.kind != kind)
    known = {device, stream, kind,
             find(tables, std::to_string(device), std::to_string(stream), kind, static_cast<int>(device))};
  return known.track;
}

std::uint32_t NsysTracks::lane(ReaderTables& tables, std::int64_t thread, std::string_view name) {
  return find(tables, std::to_string(pidOf(thread)), std::to_string(tidOf(thread)).append(" ").append(name),
              TrackKind::Other, -1);
}

std::uint32_t NsysProcess::intern(std::string_view name, SourceRef at) {
  const std::uint32_t id = tables->names.intern(name).value;
  if (id == tables->nameFirstAt.size()) tables->nameFirstAt.push_back(at);
  seen(id, at);
  return id;
}

void NsysProcess::seen(std::uint32_t name, SourceRef at) {
  SourceRef& first = tables->nameFirstAt[name];
  first = std::min(first, at);
}

NsysRowReader::NsysRowReader(const NsysExport& facts, SqliteFile file, NsysFilter filter)
    : m_facts(facts), m_file(std::move(file)), m_strings(m_file), m_filter(std::move(filter)) {}

NsysRowReader::Target NsysRowReader::target(std::int64_t process, NsysPieceResult& result) {
  if (m_last == nullptr || m_lastProcess != process) {
    m_last = &m_processes[process];
    m_lastProcess = process;
  }
  const auto found = std::ranges::find(result.parts, process, &NsysPart::process);
  if (found != result.parts.end()) return {m_last, &*found};
  NsysPart& part = result.parts.emplace_back();
  part.process = process;
  if (!m_spare.empty()) {
    NsysBuffers& spare = m_spare.back();
    part.slice.events = std::move(spare.events);
    part.slice.device = std::move(spare.device);
    part.pending.sequences = std::move(spare.sequences);
    m_spare.pop_back();
  }
  return {m_last, &part};
}

void NsysRowReader::reuse(NsysBuffers buffers) {
  constexpr std::size_t kMostSpare = 16;
  if (m_spare.size() >= kMostSpare) return;
  buffers.events.clear();
  buffers.device.clear();
  buffers.sequences.clear();
  m_spare.push_back(std::move(buffers));
}

NsysPieceResult NsysRowReader::read(const NsysPiece& piece, const std::atomic<bool>& cancelled) {
  NsysPieceResult result;
  result.table = piece.table;
  const NsysTableSpec& spec = nsysTable(piece.table);
  auto rows = m_rows.find(piece.table);
  if (rows == m_rows.end()) {
    const SqliteTable* const table = m_file.table(spec.name);
    if (table == nullptr) return result;
    rows = m_rows.emplace(piece.table, SqliteRows(m_file, *table, spec.columns)).first;
  }
  if (rows->second.readable()) scan(rows->second, piece, result, cancelled);
  return result;
}

void NsysRowReader::scan(SqliteRows& rows, const NsysPiece& piece, NsysPieceResult& result,
                         const std::atomic<bool>& cancelled) {
  SqliteScan scan(rows, piece.rows);
  while (!cancelled.load(std::memory_order_relaxed) && scan.next()) {
    ++result.counts.rows;
    if (const auto at = nsysSource(piece.table, rows.rowid())) {
      take(rows, *at, result);
    } else {
      ++result.counts.unusable;
    }
  }
  result.damaged = scan.damaged();
}

void NsysRowReader::take(const SqliteRows& rows, SourceRef at, NsysPieceResult& result) {
  switch (result.table) {
  case NsysTable::Kernel:
  case NsysTable::Memcpy:
  case NsysTable::Memset:
  case NsysTable::GraphTrace:
  case NsysTable::Decompress:
    return takeDevice(rows, at, result);
  case NsysTable::Sync:
    return takeSync(rows, at, result);
  case NsysTable::CudaEvent:
    return takeRecord(rows, result);
  case NsysTable::Runtime:
    return takeCall(rows, at, result);
  case NsysTable::Nvtx:
    return takeNvtx(rows, at, result);
  case NsysTable::MemoryUsage:
    return takeMemory(rows, at, result);
  case NsysTable::GpuMetrics:
    return takeMetric(rows, at, result);
  case NsysTable::CudaOverhead:
  case NsysTable::ProfilerOverhead:
  case NsysTable::Cudnn:
  case NsysTable::Cublas:
  case NsysTable::HostCallback:
  case NsysTable::MpiCollectives:
  case NsysTable::MpiP2p:
  case NsysTable::MpiStartWait:
  case NsysTable::MpiOther:
  case NsysTable::OsRuntime:
    return takeHost(rows, at, result);
  }
}

std::optional<TimeRange> NsysRowReader::timeOf(const SqliteRows& rows, SourceRef at, SliceEvents& to,
                                               NsysRowCounts& counts) const {
  const std::optional<std::int64_t> recorded = rows.optionalInteger(kStart);
  const std::int64_t start = recorded.value_or(0);
  TimeRange range;
  if (!recorded || __builtin_sub_overflow(start, m_facts.shift, &range.begin) || range.begin > kMaxTime ||
      range.begin < -kMaxTime) {
    ++counts.unusable;
    to.diagnostics.add(DiagnosticKind::Skipped, at, "an event without a readable time");
    return std::nullopt;
  }
  const std::optional<std::int64_t> recordedEnd = rows.optionalInteger(kEnd);
  const std::int64_t end = recordedEnd.value_or(0);
  if (!recordedEnd || end < start) {
    to.diagnostics.add(DiagnosticKind::Repaired, at,
                       !recordedEnd ? "an event without an end: treated as a duration of 0"
                                    : "a negative duration: treated as 0");
    range.end = range.begin;
  } else {
    std::int64_t duration = 0;
    const bool tooLong = __builtin_sub_overflow(end, start, &duration) || duration > kMaxDuration;
    range.end = range.begin + (tooLong ? kMaxDuration + 1 : duration);
  }
  if (range.end - range.begin > kMaxDuration || range.end > kMaxTime) {
    ++counts.unusable;
    to.diagnostics.add(DiagnosticKind::Skipped, at, "an event that ends beyond the time range");
    return std::nullopt;
  }
  if (range.end <= 0 && range.begin < 0) {
    ++counts.beforeCapture;
    return std::nullopt;
  }
  return range;
}

bool NsysRowReader::wanted(EventKind kind, TimeRange range, const Target& of) const {
  if (kind == EventKind::CpuOp && m_filter.skipCpuOps) return false;
  const std::optional<TimeRange> window = m_filter.windowOf(of.part->process);
  if (!window) return true;
  // Device events after the window may belong to it; this is only known after all launches have been read.
  if (range.begin >= window->end) return isDeviceActivity(kind);
  return range.end > window->begin || (range.empty() && range.begin >= window->begin);
}

std::string NsysRowReader::textOrNumber(std::int64_t id, bool& unknown) {
  const auto text = m_strings.text(id);
  unknown = !text;
  return text ? displayText(text->substr(0, kLongestName)) : "#" + std::to_string(id);
}

void NsysRowReader::countUnknown(bool unknown, std::int64_t id, NsysPieceResult& result) {
  if (!unknown) return;
  ++result.counts.unnamed;
  result.unknownNames.insert(id);
}

} // namespace rankscope
