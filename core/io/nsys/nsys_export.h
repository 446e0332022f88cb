// SPDX-License-Identifier: GPL-3.0-or-later
// What an export says about itself, apart from its events: versions, clock, host, GPUs, names of processes,
// threads and streams, and of the environment the variables that give a rank. Other variables, the command's
// output and strings that no event refers to are never read. Immutable after reading, for any thread.
#pragma once

#include "core/base/time_range.h"
#include "core/io/nsys/nsys_database.h"
#include "core/model/rank_trace.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

struct NsysGpu {
  std::int64_t id = -1;
  std::int64_t cudaDevice = -1; // -1 not recorded
  std::string name;
  std::int64_t memoryBytes = 0;
  std::int64_t multiprocessors = 0;
  std::int64_t maxWarps = 0; // these per multiprocessor
  std::int64_t maxBlocks = 0;
  std::int64_t maxRegisters = 0;
  std::int64_t maxSharedBytes = 0;
  std::int64_t computeMajor = 0;
  std::int64_t computeMinor = 0;
};

struct NsysMessage {
  std::int64_t severity = 0; // 1 info, 2 warning, 3 error
  std::string text;
  std::uint64_t count = 0;
};

struct NsysExport {
  std::string recordedBy; // "Nsight Systems 2026.2.1"
  std::string report;     // name of the report that was exported; may be empty
  std::string host;
  std::string session; // when it began, else its UUID: equal in all exports of a report; may be empty
  std::int64_t schemaMajor = 0;
  // Wall time = time in the file - shift + base.
  TimeNs shift = 0;
  TimeNs base = 0;              // 0 if the file has no wall time
  std::int64_t systemClock = 0; // at base
  TimeNs captureEnd = 0;        // after subtraction of the shift; 0 if not recorded
  std::map<std::string, std::int64_t, std::less<>> environment;
  bool graphsAsWhole = false; // recorded with one event per launch of a CUDA graph
  bool partial = false;       // exported with a choice of tables or times
  bool blobsLeftOut = false;  // payloads were recorded, but not exported
  bool jsonLines = false;     // the form of the export; it has no clock and no GPUs
  std::vector<NsysGpu> gpus;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> gpuOfDevice; // (pid, CUDA device)
  std::map<std::int64_t, std::string> processes;                             // by process key
  std::map<std::int64_t, std::int64_t> threadNames;                          // global id: string
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> streamNames;  // (pid, stream)
  std::map<std::int64_t, int> mpiRanks;                                      // by process key
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> metrics;      // (type, metric)
  std::vector<NsysMessage> messages;
  std::vector<std::pair<std::string, std::uint64_t>> notImported; // tables of other kinds, with their rows
  std::string fileDamage;          // of the file as a whole; empty if there is none
  std::vector<std::string> damage; // of its small tables
  std::vector<std::string> lacks;  // tables and columns that are missing, with what follows

  // The GPU that a process sees as this device, or null.
  [[nodiscard]] const NsysGpu* gpuOf(std::int64_t process, std::int64_t device) const;
};

[[nodiscard]] NsysExport readExport(const SqliteFile& database);

// Whether the database has the tables of an export.
[[nodiscard]] bool isNsysExport(const SqliteFile& file);

// The recorded variables that matter, by name.
void takeEnvironmentLine(std::string_view line, std::map<std::string, std::int64_t, std::less<>>& to);
// A whole environment, with NUL or ';' between the variables.
void takeEnvironment(std::string_view text, std::map<std::string, std::int64_t, std::less<>>& to);

// The strings of an export by id, one at a time.
class NsysStrings {
 public:
  explicit NsysStrings(const SqliteFile& file);
  // Empty if there is none. Valid until the next call.
  [[nodiscard]] std::optional<std::string_view> text(std::int64_t id);

 private:
  [[nodiscard]] bool seek(std::int64_t rowid);

  std::optional<SqliteRows> m_rows;
  bool m_indexed = false;
  std::map<std::int64_t, std::int64_t> m_rowOfId; // only if ids are not rowids
};

} // namespace rankscope
