// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of work on devices, of counters and of memory.
#include "core/io/nsys/nsys_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope {

namespace {

constexpr std::int64_t kNone = 4'294'967'295; // "no stream", "no event"
constexpr std::int64_t kMostShape = 1 << 30;

std::int64_t numberOrNone(const SqliteRows& rows, int column) {
  const std::int64_t value = rows.optionalInteger(column).value_or(-1);
  return value == kNone || value < 0 ? -1 : value;
}

// CUPTI's ids have 32 bits; some exporters write them as signed.
std::uint64_t correlationOf(const SqliteRows& rows, int column) {
  return static_cast<std::uint64_t>(rows.integer(column)) & 0xffffffffu;
}

// Until linkCapturingOperators replaces it. Nodes are numbered from 1.
std::uint64_t graphNodeOf(const SqliteRows& rows, int column) {
  return static_cast<std::uint64_t>(rows.integer(column));
}

std::int64_t sizeOf(const SqliteRows& rows, int column) {
  return std::clamp<std::int64_t>(rows.integer(column), 0, kMostShape);
}

LaunchShape launchOf(const SqliteRows& rows) {
  LaunchShape launch;
  const auto product = [&](int x, int y, int z) {
    const double all = static_cast<double>(sizeOf(rows, x)) * static_cast<double>(sizeOf(rows, y)) *
                       static_cast<double>(sizeOf(rows, z));
    constexpr double kMost = 1e15;
    return static_cast<std::int64_t>(std::min(all, kMost));
  };
  launch.blocks = product(kGridX, kGridY, kGridZ);
  launch.threads = product(kBlockX, kBlockY, kBlockZ);
  launch.registers = sizeOf(rows, kRegisters);
  launch.sharedBytes = sizeOf(rows, kStaticShared) + sizeOf(rows, kDynamicShared);
  return launch;
}

} // namespace

float blocksPerMultiprocessor(const NsysGpu& gpu, const LaunchShape& launch) {
  if (gpu.multiprocessors <= 0 || launch.blocks <= 0) return -1;
  return static_cast<float>(static_cast<double>(launch.blocks) / static_cast<double>(gpu.multiprocessors));
}

// As Kineto estimates it: the blocks that fit on a multiprocessor by warps, registers and shared memory, but
// no more than were launched.
float estimatedOccupancy(const NsysGpu& gpu, const LaunchShape& launch) {
  constexpr std::int64_t kWarp = 32;
  constexpr std::int64_t kRegisterStep = 256;
  constexpr std::int64_t kMostOfBlock = 1 << 20; // more threads or registers than any device has
  if (gpu.multiprocessors <= 0 || gpu.maxWarps <= 0 || gpu.maxBlocks <= 0 || gpu.maxRegisters <= 0 ||
      gpu.maxSharedBytes <= 0 || launch.blocks <= 0 || launch.threads <= 0 || launch.registers <= 0 ||
      launch.threads > kMostOfBlock || launch.registers > kMostOfBlock)
    return -1;
  const std::int64_t warps = (launch.threads + kWarp - 1) / kWarp;
  const std::int64_t registers =
      (kWarp * launch.registers + kRegisterStep - 1) / kRegisterStep * kRegisterStep;
  const std::int64_t reserved = gpu.computeMajor >= 8 ? 1024 : 0;
  const std::int64_t shared = launch.sharedBytes + reserved;
  std::int64_t blocks = std::min(gpu.maxBlocks, gpu.maxWarps / warps);
  blocks = std::min(blocks, gpu.maxRegisters / (warps * registers));
  if (shared > 0) blocks = std::min(blocks, gpu.maxSharedBytes / shared);
  const double fit = std::min(static_cast<double>(blocks),
                              static_cast<double>(launch.blocks) / static_cast<double>(gpu.multiprocessors));
  return static_cast<float>(100 * fit * static_cast<double>(warps) / static_cast<double>(gpu.maxWarps));
}

NsysProcess::Name NsysRowReader::kernelName(NsysProcess& process, std::int64_t id, SourceRef at) {
  if (const auto known = process.kernels.find(id); known != process.kernels.end()) {
    process.seen(known->second.local, at);
    return known->second;
  }
  bool unknown = false;
  const std::string text = textOrNumber(id, unknown);
  const NsysProcess::Name name{
      process.intern(text, at), kindOf(EventCategory::Kernel, text, false), {}, unknown};
  process.kernels.emplace(id, name);
  return name;
}

void NsysRowReader::takeDevice(const SqliteRows& rows, SourceRef at, NsysPieceResult& result) {
  const std::optional<std::int64_t> pid = rows.optionalInteger(kDevicePid);
  const std::int64_t process = pid ? processKey(*pid) : kNoProcess;
  const Target to = target(process, result);
  SliceEvents& slice = to.part->slice;
  ++slice.objects;
  if (result.table == NsysTable::GraphTrace && rows.integer(kStart) == 0 && rows.integer(kEnd) == 0) {
    ++result.counts.unusable;
    slice.diagnostics.add(DiagnosticKind::Skipped, at, "a CUDA graph without times");
    return;
  }
  const auto range = timeOf(rows, at, slice, result.counts);
  if (!range) return;
  RawDevice raw;
  raw.correlation = correlationOf(rows, kCorrelation);
  raw.stream = numberOrNone(rows, kStream);
  const std::int64_t device = numberOrNone(rows, kDevice);
  raw.device = device > std::numeric_limits<std::int32_t>::max() ? -1 : static_cast<std::int32_t>(device);
  NsysProcess::Name name{0, EventKind::Kernel, {}};
  switch (result.table) {
  case NsysTable::Kernel: {
    raw.externalId = graphNodeOf(rows, kGraphNode);
    const int column = rows.isNull(kDemangled) ? kShort : kDemangled;
    name = kernelName(*to.process, rows.integer(column), at);
    countUnknown(name.unknown, rows.integer(column), result);
    if (m_gpuProcess != process || m_gpuDevice != raw.device) {
      m_gpu = m_facts.gpuOf(process, raw.device);
      m_gpuProcess = process;
      m_gpuDevice = raw.device;
    }
    if (m_gpu == nullptr) break;
    const LaunchShape launch = launchOf(rows);
    raw.blocksPerSm = blocksPerMultiprocessor(*m_gpu, launch);
    raw.occupancyPct = estimatedOccupancy(*m_gpu, launch);
    break;
  }
  case NsysTable::Memcpy: {
    const std::int64_t kind = numberOrNone(rows, kCopyKind);
    raw.bytes = numberOrNone(rows, kCopyBytes);
    raw.externalId = graphNodeOf(rows, kCopyNode);
    name.kind = EventKind::Copy;
    name.local = to.process->intern(
        copyName(kind, numberOrNone(rows, kSourceKind), numberOrNone(rows, kTargetKind)), at);
    break;
  }
  case NsysTable::Memset:
    raw.bytes = numberOrNone(rows, kSetBytes);
    raw.externalId = graphNodeOf(rows, kSetNode);
    name.kind = EventKind::Set;
    name.local = to.process->intern(setName(numberOrNone(rows, kSetMemory)), at);
    break;
  case NsysTable::Decompress:
    raw.bytes = numberOrNone(rows, kSourceBytes);
    name.kind = EventKind::Copy;
    name.local = to.process->intern("Decompress", at);
    break;
  default:
    name.local = to.process->intern("CUDA graph " + std::to_string(rows.integer(kGraph)), at);
    break;
  }
  if (!wanted(name.kind, *range, to)) {
    ++slice.leftOut;
    ++result.counts.filtered;
    return;
  }
  const std::int64_t context = numberOrNone(rows, kContext);
  auto& contexts = to.part->pending.contexts;
  if (contexts.empty() || contexts.back() != std::pair(context, device))
    contexts.emplace_back(context, device);
  RawEvent event{};
  event.begin = range->begin;
  event.duration = range->length();
  event.setSource(at);
  event.kind = static_cast<std::uint8_t>(name.kind);
  event.name = name.local;
  event.track = to.process->tracks.ofStream(*to.process->tables, raw.device, raw.stream, TrackKind::Stream);
  event.link = static_cast<std::uint32_t>(slice.device.size());
  slice.device.push_back(raw);
  slice.events.push_back(event);
  ++result.counts.events;
}

void NsysRowReader::takeSync(const SqliteRows& rows, SourceRef at, NsysPieceResult& result) {
  const Target to =
      target(rows.isNull(kDevicePid) ? kNoProcess : processKey(rows.integer(kDevicePid)), result);
  ++to.part->slice.objects;
  const auto range = timeOf(rows, at, to.part->slice, result.counts);
  if (!range) return;
  if (!wanted(EventKind::Sync, *range, to)) {
    ++to.part->slice.leftOut;
    ++result.counts.filtered;
    return;
  }
  PendingSync sync;
  sync.begin = range->begin;
  sync.duration = range->length();
  sync.source = at;
  sync.correlation = correlationOf(rows, kCorrelation);
  sync.context = numberOrNone(rows, kContext);
  sync.stream = numberOrNone(rows, kStream);
  sync.event = numberOrNone(rows, kSyncEvent);
  sync.syncId = numberOrNone(rows, kSyncId);
  to.part->pending.syncs.push_back(sync);
  ++result.counts.events;
}

void NsysRowReader::takeRecord(const SqliteRows& rows, NsysPieceResult& result) {
  const Target to =
      target(rows.isNull(kDevicePid) ? kNoProcess : processKey(rows.integer(kDevicePid)), result);
  RecordedEvent record;
  record.correlation = correlationOf(rows, kCorrelation);
  record.context = numberOrNone(rows, kContext);
  record.stream = numberOrNone(rows, kStream);
  record.event = numberOrNone(rows, kRecordEvent);
  record.syncId = numberOrNone(rows, kRecordId);
  to.part->pending.records.push_back(record);
  ++result.counts.events;
}

void NsysRowReader::takeMemory(const SqliteRows& rows, SourceRef at, NsysPieceResult& result) {
  const Target to =
      target(rows.isNull(kMemoryPid) ? kNoProcess : processKey(rows.integer(kMemoryPid)), result);
  SliceEvents& slice = to.part->slice;
  ++slice.objects;
  TimeNs time = 0;
  const std::int64_t bytes = rows.integer(kMemoryBytes);
  if (rows.isNull(kMemoryTime) || __builtin_sub_overflow(rows.integer(kMemoryTime), m_facts.shift, &time) ||
      time > kMaxTime || time < -kMaxTime || bytes < 0) {
    ++result.counts.unusable;
    slice.diagnostics.add(DiagnosticKind::Skipped, at, "a memory operation without a readable time or size");
    return;
  }
  const std::optional<TimeRange> window = m_filter.windowOf(to.part->process);
  if (window && time >= window->end) { // what came before counts for the level
    ++slice.leftOut;
    ++result.counts.filtered;
    return;
  }
  constexpr std::int64_t kPageable = 0, kPinned = 1, kDeviceMemory = 2;
  const std::int64_t kind = rows.optionalInteger(kMemoryKind).value_or(kDeviceMemory);
  const bool onHost = kind == kPageable || kind == kPinned;
  to.part->pending.reserved.push_back({time, at, onHost ? -1 : numberOrNone(rows, kMemoryDevice), onHost,
                                       rows.integer(kMemoryOperation) == 0 ? bytes : -bytes});
  ++result.counts.events;
}

void NsysRowReader::takeMetric(const SqliteRows& rows, SourceRef at, NsysPieceResult& result) {
  const std::int64_t type = rows.integer(kMetricType);
  const std::int64_t gpu = type & 0xFF;
  const Target to = target(gpuKey(gpu), result);
  ++to.part->slice.objects;
  TimeNs time = 0;
  if (rows.isNull(kMetricTime) || __builtin_sub_overflow(rows.integer(kMetricTime), m_facts.shift, &time) ||
      time < 0 || time > kMaxTime) {
    ++result.counts.unusable;
    return;
  }
  const auto name = m_facts.metrics.find({type, rows.integer(kMetricId)});
  if (name == m_facts.metrics.end()) {
    ++result.counts.unusable;
    to.part->slice.diagnostics.add(DiagnosticKind::Skipped, at, "a metric without a name");
    return;
  }
  if (m_filter.window && !m_filter.window->contains(time)) {
    ++to.part->slice.leftOut;
    ++result.counts.filtered;
    return;
  }
  to.part->slice.counters.push_back({to.process->intern(name->second, at),
                                     to.process->intern("GPU " + std::to_string(gpu), at), time,
                                     rows.real(kMetricValue)});
  ++result.counts.events;
}

} // namespace rankscope
