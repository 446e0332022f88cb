// SPDX-License-Identifier: GPL-3.0-or-later
// One job: the recordings of its ranks, what lies beside them, and every file that was found with its status.
// Immutable. When a rank
// arrives later, a new TraceSet is created that shares the existing recordings.
#pragma once

#include "core/model/detail_source.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

// Status of a file of the job's folder.
enum class FileStatus : std::uint8_t {
  LeftOut,   // a recording, or meant to be one, that is not shown; the note says why
  NotATrace, // not a recording
  OtherJob,  // read, but belongs to another job
  Shown,
  Beside // no recording, but read and shown beside them: memory snapshots, Flight Recorder dumps
};

// A file of the job's folder, or one recording of a file with several; a row of the `files` table.
struct FileRecord {
  std::string path;
  std::string format;          // name of its TraceReader; empty if nothing was read
  std::uint32_t recording = 0; // index of the recording in the file
  std::uint64_t bytes = 0;     // of the whole file, on disk
  std::uint64_t textBytes = 0; // of the whole file, decompressed
  FileStatus status = FileStatus::LeftOut;
  std::optional<int> rank; // only if shown
  int capture = 0;
  std::string rankFrom; // source: metadata, name, folder, content, guess
  std::string host;
  std::uint64_t events = 0;
  TimeRange extent; // wall time; empty if nothing was read
  std::uint64_t repaired = 0;
  std::uint64_t skipped = 0;
  std::string note; // why it is not shown, what was guessed or is damaged
  Diagnostics diagnostics;
};

// A rank's recording within the job. Ranks are sorted by (rank, capture).
struct RankEntry {
  int rank = 0;
  int capture = 1; // 1, 2, ... for the profiling cycles of a rank, in time order
  std::string host;
  std::string gpu; // device name; empty for CPU-only jobs
  FileIndex file;  // recording it was read from
  std::shared_ptr<const RankTrace> trace;
  std::shared_ptr<const DetailSource> details = noDetails(); // of the trace's events
};

struct SideFiles; // core/model/side_files.h

struct JobIdentity; // core/io/cache/job_identity.h: files on disk and their state when they were read

// Where a TraceSet comes from.
struct TraceOrigin {
  std::shared_ptr<const JobIdentity> identity; // null without files, or if a second read may differ
  bool cached = false;                         // opened from the cache
};

class TraceSet {
 public:
  TraceSet(std::string jobName, StringTable names, std::vector<RankEntry> ranks,
           std::vector<FileRecord> files, TraceOrigin origin = {},
           std::shared_ptr<const SideFiles> side = nullptr);

  [[nodiscard]] const std::string& jobName() const { return m_jobName; }
  [[nodiscard]] const StringTable& names() const { return m_names; }
  [[nodiscard]] const std::vector<RankEntry>& ranks() const { return m_ranks; }
  [[nodiscard]] const RankEntry& rank(RankIndex index) const { return m_ranks[index.value]; }
  [[nodiscard]] const std::vector<FileRecord>& files() const { return m_files; }
  [[nodiscard]] const TraceOrigin& origin() const { return m_origin; }
  // What lies beside the recordings; empty if nothing does.
  [[nodiscard]] const SideFiles& side() const { return *m_side; }
  [[nodiscard]] const std::shared_ptr<const SideFiles>& sharedSide() const { return m_side; }
  [[nodiscard]] const FileRecord& file(FileIndex index) const { return m_files[index.value]; }
  // Whether the rank was recorded by Nsight Systems: its annotations are NVTX ranges, and no profiler marks
  // steps.
  [[nodiscard]] bool recordedByNsight(RankIndex index) const;

  // From the first to the last event with a duration, over all ranks, in wall time. Empty without events.
  [[nodiscard]] TimeRange extent() const { return m_extent; }
  [[nodiscard]] std::uint64_t eventCount() const { return m_eventCount; }
  // In the following values, a file with several recordings counts once.
  [[nodiscard]] std::size_t fileCount() const { return m_fileCount; }
  // Decompressed size of all files that were read.
  [[nodiscard]] std::uint64_t textBytes() const { return m_textBytes; }
  // Size on disk of all files that are shown.
  [[nodiscard]] std::uint64_t shownBytes() const { return m_shownBytes; }
  [[nodiscard]] std::size_t hostCount() const { return m_hostCount; }
  [[nodiscard]] std::optional<std::int64_t> worldSize() const { return m_worldSize; }
  [[nodiscard]] bool severalCaptures() const { return m_severalCaptures; }

 private:
  std::string m_jobName;
  StringTable m_names;
  std::vector<RankEntry> m_ranks;
  std::vector<FileRecord> m_files;
  TraceOrigin m_origin;
  std::shared_ptr<const SideFiles> m_side; // never null
  TimeRange m_extent;
  std::uint64_t m_eventCount = 0;
  std::size_t m_fileCount = 0;
  std::uint64_t m_textBytes = 0;
  std::uint64_t m_shownBytes = 0;
  std::size_t m_hostCount = 0;
  std::optional<std::int64_t> m_worldSize;
  bool m_severalCaptures = false;
};

// An event anywhere in the job.
struct EventRef {
  RankIndex rank;
  EventIndex event;

  [[nodiscard]] bool valid() const { return rank.valid() && event.valid(); }
  bool operator==(const EventRef&) const = default;
};

} // namespace rankscope
