// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_tables.h"

#include <algorithm>
#include <array>

namespace rankscope {

namespace {

using Names = std::string_view;

constexpr unsigned kRowidBits = 48;

constexpr std::array<Names, 19> kKernel{"start",
                                        "end",
                                        "deviceId",
                                        "contextId",
                                        "streamId",
                                        "correlationId",
                                        "globalPid",
                                        "demangledName",
                                        "shortName",
                                        "gridX",
                                        "gridY",
                                        "gridZ",
                                        "blockX",
                                        "blockY",
                                        "blockZ",
                                        "registersPerThread",
                                        "staticSharedMemory",
                                        "dynamicSharedMemory",
                                        "graphNodeId"};
constexpr std::array<Names, 12> kMemcpy{"start",    "end",           "deviceId",  "contextId",
                                        "streamId", "correlationId", "globalPid", "bytes",
                                        "copyKind", "srcKind",       "dstKind",   "graphNodeId"};
constexpr std::array<Names, 10> kMemset{"start",         "end",       "deviceId", "contextId", "streamId",
                                        "correlationId", "globalPid", "bytes",    "memKind",   "graphNodeId"};
constexpr std::array<Names, 8> kGraphTrace{"start",    "end",           "deviceId",  "contextId",
                                           "streamId", "correlationId", "globalPid", "graphId"};
constexpr std::array<Names, 8> kDecompress{"start",    "end",           "deviceId",  "contextId",
                                           "streamId", "correlationId", "globalPid", "sourceBytes"};
constexpr std::array<Names, 9> kSync{"start",         "end",       "deviceId", "contextId",  "streamId",
                                     "correlationId", "globalPid", "eventId",  "eventSyncId"};
constexpr std::array<Names, 9> kCudaEvent{"timestamp",     "timestamp", "deviceId", "contextId",  "streamId",
                                          "correlationId", "globalPid", "eventId",  "eventSyncId"};
constexpr std::array<Names, 6> kCall{"start", "end", "globalTid", "nameId", "eventClass", "correlationId"};
constexpr std::array<Names, 5> kOverhead{"start", "end", "globalTid", "nameId", "overheadType"};
constexpr std::array<Names, 4> kMpi{"start", "end", "globalTid", "textId"};
constexpr std::array<Names, 8> kNvtx{"start", "end",    "globalTid", "eventType",
                                     "text",  "textId", "domainId",  "binaryData"};
constexpr std::array<Names, 7> kMemory{"start", "globalPid", "deviceId",           "address",
                                       "bytes", "memKind",   "memoryOperationType"};
constexpr std::array<Names, 4> kMetrics{"timestamp", "typeId", "metricId", "value"};

constexpr std::array kTables{
    NsysTableSpec{NsysTable::Kernel, "CUPTI_ACTIVITY_KIND_KERNEL", kKernel, "end"},
    NsysTableSpec{NsysTable::Memcpy, "CUPTI_ACTIVITY_KIND_MEMCPY", kMemcpy, "end"},
    NsysTableSpec{NsysTable::Memset, "CUPTI_ACTIVITY_KIND_MEMSET", kMemset, "end"},
    NsysTableSpec{NsysTable::GraphTrace, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", kGraphTrace, "end"},
    NsysTableSpec{NsysTable::Decompress, "CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS", kDecompress, "end"},
    NsysTableSpec{NsysTable::Runtime, "CUPTI_ACTIVITY_KIND_RUNTIME", kCall, "end"},
    NsysTableSpec{NsysTable::Nvtx, "NVTX_EVENTS", kNvtx, "start"},
    NsysTableSpec{NsysTable::Sync, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kSync, "end"},
    NsysTableSpec{NsysTable::CudaEvent, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", kCudaEvent, "correlationId"},
    NsysTableSpec{NsysTable::MemoryUsage, "CUDA_GPU_MEMORY_USAGE_EVENTS", kMemory, "start"},
    NsysTableSpec{NsysTable::CudaOverhead, "CUPTI_ACTIVITY_KIND_OVERHEAD", kOverhead, "end"},
    NsysTableSpec{NsysTable::ProfilerOverhead, "PROFILER_OVERHEAD", kOverhead, "end"},
    NsysTableSpec{NsysTable::Cudnn, "CUDNN_EVENTS", kCall, "end"},
    NsysTableSpec{NsysTable::Cublas, "CUBLAS_EVENTS", kCall, "end"},
    NsysTableSpec{NsysTable::HostCallback, "CUDA_HOST_CALLBACK", kCall, "end"},
    NsysTableSpec{NsysTable::MpiCollectives, "MPI_COLLECTIVES_EVENTS", kMpi, "start"},
    NsysTableSpec{NsysTable::MpiP2p, "MPI_P2P_EVENTS", kMpi, "start"},
    NsysTableSpec{NsysTable::MpiStartWait, "MPI_START_WAIT_EVENTS", kMpi, "start"},
    NsysTableSpec{NsysTable::MpiOther, "MPI_OTHER_EVENTS", kMpi, "start"},
    NsysTableSpec{NsysTable::OsRuntime, "OSRT_API", kCall, "end"},
    NsysTableSpec{NsysTable::GpuMetrics, "GPU_METRICS", kMetrics, "timestamp"},
};

} // namespace

std::span<const NsysTableSpec> nsysTables() {
  return kTables;
}

const NsysTableSpec& nsysTable(NsysTable table) {
  const auto found = std::ranges::find(kTables, table, &NsysTableSpec::table);
  return found == kTables.end() ? kTables.front() : *found;
}

std::optional<SourceRef> nsysSource(NsysTable table, std::int64_t rowid) {
  if (rowid < 0 || rowid >= std::int64_t{1} << kRowidBits) return std::nullopt;
  return SourceRef((static_cast<std::uint64_t>(table) << kRowidBits) | static_cast<std::uint64_t>(rowid));
}

NsysTable tableOf(SourceRef source) {
  return static_cast<NsysTable>(source.readerBits() >> kRowidBits);
}

std::int64_t rowidOf(SourceRef source) {
  return static_cast<std::int64_t>(source.readerBits() & ((std::uint64_t{1} << kRowidBits) - 1));
}

std::string nsysPlace(SourceRef source) {
  if (source == SourceRef()) return {}; // about the whole file
  std::string place(nsysTable(tableOf(source)).name);
  return place.append(" row ").append(std::to_string(rowidOf(source)));
}

} // namespace rankscope
