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
constexpr std::array<Names, 7> kRuntime{"start",      "end",           "globalTid",  "nameId",
                                        "eventClass", "correlationId", "returnValue"};
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
    NsysTableSpec{NsysTable::Runtime, "CUPTI_ACTIVITY_KIND_RUNTIME", kRuntime, "end"},
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

// Columns that every version writes; of two names, either is enough.
struct Expected {
  Names column;
  Names other; // empty: only this one
  Names without;
};

constexpr std::array kDeviceColumns{
    Expected{"deviceId", "", "the device of its events is unknown"},
    Expected{"streamId", "", "the stream of its events is unknown"},
    Expected{"correlationId", "", "no call launched its events"},
    Expected{"globalPid", "", "its events are those of the only process that uses a GPU, if there is one"},
};
constexpr std::array kKernelColumns{
    Expected{"demangledName", "shortName", "its kernels have no names"},
    Expected{"gridX", "", "blocks per SM and occupancy are unknown"},
    Expected{"blockX", "", "occupancy is unknown"},
    Expected{"registersPerThread", "", "occupancy is unknown"},
};
constexpr std::array kCopyColumns{
    Expected{"bytes", "", "sizes of copies are unknown"},
    Expected{"copyKind", "", "directions of copies are unknown"},
};
constexpr std::array kSetColumns{Expected{"bytes", "", "sizes are unknown"}};
constexpr std::array kCallColumns{
    Expected{"globalTid", "", "the process and thread of its calls are unknown"},
    Expected{"nameId", "", "its calls have no names"},
};
constexpr std::array kRuntimeColumns{
    Expected{"eventClass", "", "copies of calls for call stacks count as calls"},
    Expected{"correlationId", "", "its calls launched nothing"},
    Expected{"returnValue", "", "failed calls are not known"},
};
constexpr std::array kRangeColumns{
    Expected{"end", "", "all ranges last to the end of the capture"},
    Expected{"eventType", "", "none of its rows can be read"},
    Expected{"text", "textId", "its ranges have no names"},
    Expected{"globalTid", "", "the process and thread of its ranges are unknown"},
    Expected{"domainId", "", "ranges of libraries stand among those of the program"},
};
constexpr std::array kMemoryColumns{
    Expected{"globalPid", "", "its process is unknown"},
    Expected{"bytes", "", "sizes are unknown"},
    Expected{"address", "", "blocks cannot be told apart"},
    Expected{"memoryOperationType", "", "frees count as allocations"},
};
constexpr std::array kMetricColumns{
    Expected{"typeId", "", "its counters have no names"},
    Expected{"metricId", "", "its counters have no names"},
    Expected{"value", "", "its counters are 0"},
};

// What is expected of a table, in groups.
std::vector<std::span<const Expected>> expectedOf(NsysTable table) {
  switch (table) {
  case NsysTable::Kernel:
    return {kDeviceColumns, kKernelColumns};
  case NsysTable::Memcpy:
    return {kDeviceColumns, kCopyColumns};
  case NsysTable::Memset:
    return {kDeviceColumns, kSetColumns};
  case NsysTable::GraphTrace:
  case NsysTable::Decompress:
  case NsysTable::Sync:
  case NsysTable::CudaEvent:
    return {kDeviceColumns};
  case NsysTable::Runtime:
    return {kCallColumns, kRuntimeColumns};
  case NsysTable::Nvtx:
    return {kRangeColumns};
  case NsysTable::MemoryUsage:
    return {kMemoryColumns};
  case NsysTable::GpuMetrics:
    return {kMetricColumns};
  case NsysTable::Cudnn:
  case NsysTable::Cublas:
  case NsysTable::OsRuntime:
    return {kCallColumns};
  case NsysTable::HostCallback:
  case NsysTable::CudaOverhead:
  case NsysTable::ProfilerOverhead:
  case NsysTable::MpiCollectives:
  case NsysTable::MpiP2p:
  case NsysTable::MpiStartWait:
  case NsysTable::MpiOther:
    break;
  }
  return {};
}

std::string lackText(Names table, Names column, Names without) {
  std::string text = "table ";
  text.append(table).append(" has no column ").append(column).append(": ");
  return text.append(without);
}

} // namespace

bool isReadable(const SqliteFile& file, const NsysTableSpec& spec, const SqliteTable& table) {
  return table.has(spec.needed) && (spec.columns[kStart] != "start" || table.has("start")) &&
         file.hasRowids(table);
}

std::vector<std::string> missingColumns(const SqliteFile& file) {
  std::vector<std::string> missing;
  const auto hasRows = [&](Names name) {
    const SqliteTable* const table = file.table(name);
    return table != nullptr && !file.rowsOf(*table).empty();
  };
  if (file.table("StringIds") == nullptr)
    missing.emplace_back("table StringIds is missing: names are shown as their numbers");
  if (file.table("CUPTI_ACTIVITY_KIND_RUNTIME") == nullptr && hasRows("CUPTI_ACTIVITY_KIND_KERNEL"))
    missing.emplace_back("table CUPTI_ACTIVITY_KIND_RUNTIME is missing: no call launched the kernels");
  for (const NsysTableSpec& spec : nsysTables()) {
    const SqliteTable* const table = file.table(spec.name);
    if (table == nullptr) continue;
    if (!file.hasRowids(*table)) {
      missing.push_back("table " + table->name + " has no rowids: its rows are not read");
      continue;
    }
    if (file.rowsOf(*table).empty()) continue;
    if (!isReadable(file, spec, *table)) {
      const bool start = spec.columns[kStart] == "start" && !table->has("start");
      missing.push_back(lackText(table->name, start ? "start" : spec.needed, "its rows are not read"));
      continue;
    }
    for (const std::span<const Expected> group : expectedOf(spec.table)) {
      for (const Expected& of : group) {
        if (table->has(of.column) || (!of.other.empty() && table->has(of.other))) continue;
        const std::string columns = of.other.empty() ? std::string(of.column)
                                                     : std::string(of.column).append(" or ").append(of.other);
        missing.push_back(lackText(table->name, columns, of.without));
      }
    }
  }
  return missing;
}

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
