// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of an export that become events, with the columns that are read. The position of an event is its
// table and rowid; the numbers of tables are stored in caches and must not change.
#pragma once

#include "core/io/nsys/nsys_database.h"
#include "core/model/source_ref.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// In the order in which they are read.
enum class NsysTable : std::uint8_t {
  Kernel = 1,
  Memcpy,
  Memset,
  GraphTrace,
  Decompress,
  Runtime,
  Nvtx,
  Sync,
  CudaEvent,
  MemoryUsage,
  CudaOverhead,
  ProfilerOverhead,
  Cudnn,
  Cublas,
  HostCallback,
  MpiCollectives,
  MpiP2p,
  MpiStartWait,
  MpiOther,
  OsRuntime,
  GpuMetrics,
};

struct NsysTableSpec {
  NsysTable table;
  std::string_view name;
  std::span<const std::string_view> columns; // in the order of the enumerations below
  std::string_view needed;                   // the table is not readable without it
};

[[nodiscard]] std::span<const NsysTableSpec> nsysTables();
[[nodiscard]] const NsysTableSpec& nsysTable(NsysTable table);
// Whether the table has the columns without which its rows are no events.
[[nodiscard]] bool isReadable(const SqliteFile& file, const NsysTableSpec& spec, const SqliteTable& table);
// What the export should have and has not, with what follows: "table CUPTI_ACTIVITY_KIND_KERNEL has no column
// correlationId: no call launched its events". Columns that only some versions write are not missed.
[[nodiscard]] std::vector<std::string> missingColumns(const SqliteFile& file);

// Numbers of columns in NsysTableSpec::columns. All tables with a duration begin with these.
inline constexpr int kStart = 0;
inline constexpr int kEnd = 1;

enum DeviceColumn : int { // Kernel, Memcpy, Memset, GraphTrace, Decompress, Sync, CudaEvent
  kDevice = 2,
  kContext,
  kStream,
  kCorrelation,
  kDevicePid,
  kFirstOwn, // further columns of each table
};
enum KernelColumn : int {
  kDemangled = kFirstOwn,
  kShort,
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kRegisters,
  kStaticShared,
  kDynamicShared,
  kGraphNode,
};
enum MemcpyColumn : int { kCopyBytes = kFirstOwn, kCopyKind, kSourceKind, kTargetKind, kCopyNode };
enum MemsetColumn : int { kSetBytes = kFirstOwn, kSetMemory, kSetNode };
enum GraphColumn : int { kGraph = kFirstOwn };
enum DecompressColumn : int { kSourceBytes = kFirstOwn };
enum SyncColumn : int { kSyncEvent = kFirstOwn, kSyncId };
enum CudaEventColumn : int { kRecordEvent = kFirstOwn, kRecordId };

enum HostColumn : int { // Runtime, Cudnn, Cublas, HostCallback, OsRuntime, overheads
  kThread = 2,
  kNameId,
  kClass,
  kCall,
};
enum RuntimeColumn : int { kReturned = kCall + 1 };
enum OverheadColumn : int { kOverheadType = kClass };
enum MpiColumn : int { kMpiText = kNameId };

enum NvtxColumn : int {
  kNvtxThread = 2,
  kEventType,
  kText,
  kTextId,
  kDomain,
  kBinary,
};

// The type of NVTX_EVENTS of a moment.
inline constexpr std::int64_t kNvtxMark = 34;

enum MemoryColumn : int {
  kMemoryTime,
  kMemoryPid,
  kMemoryDevice,
  kMemoryAddress,
  kMemoryBytes,
  kMemoryKind,
  kMemoryOperation,
};

enum MetricColumn : int { kMetricTime, kMetricType, kMetricId, kMetricValue };

// Empty if the rowid does not fit.
[[nodiscard]] std::optional<SourceRef> nsysSource(NsysTable table, std::int64_t rowid);
[[nodiscard]] NsysTable tableOf(SourceRef source);
[[nodiscard]] std::int64_t rowidOf(SourceRef source);
// "CUPTI_ACTIVITY_KIND_KERNEL row 17".
[[nodiscard]] std::string nsysPlace(SourceRef source);

// Upper bits of a global thread or process id: host, virtual machine and process.
[[nodiscard]] constexpr std::int64_t processKey(std::int64_t global) {
  return global & 0x7FFFFFFFFF000000; // without the sign: negative keys have other meanings
}
[[nodiscard]] constexpr std::int64_t pidOf(std::int64_t global) {
  return (global >> 24) & 0xFFFFFF;
}
[[nodiscard]] constexpr std::int64_t tidOf(std::int64_t global) {
  return global & 0xFFFFFF;
}
// Rows without a process: of the only rank, if there is only one.
inline constexpr std::int64_t kNoProcess = -1;

} // namespace rankscope
