// SPDX-License-Identifier: GPL-3.0-or-later
// One job: the recordings of its ranks on one clock, and every file that was found with its status.
// Constant after publication; a rank that arrives later makes a new TraceSet that shares the earlier ranks.
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
  LeftOut,   // it is, or should be, a recording, and nothing of it is shown: its note gives the reason
  NotATrace, // it is no recording
  OtherJob,  // it was read, and belongs to another job
  Shown
};

// A file of the job's folder, or one of the recordings in a file of several; the `files` table.
struct FileRecord {
  std::string path;
  std::string format;          // of its TraceReader; empty when nothing was read
  std::uint32_t recording = 0; // which one of the file
  std::uint64_t bytes = 0;     // of all of the file, on disk
  std::uint64_t textBytes = 0; // the same, decompressed
  FileStatus status = FileStatus::LeftOut;
  std::optional<int> rank; // of what is shown only
  int capture = 0;
  std::string rankFrom; // metadata, name, folder, content, guess
  std::string host;
  std::uint64_t events = 0;
  TimeRange extent; // wall time; empty when nothing was read
  std::uint64_t repaired = 0;
  std::uint64_t skipped = 0;
  std::string note; // why left out, what was guessed, what is damaged
  Diagnostics diagnostics;
};

// A rank's recording within the job. Ranks are sorted by (rank, capture).
struct RankEntry {
  int rank = 0;
  int capture = 1; // 1, 2, ... for the profiling cycles of a rank in order of time
  std::string host;
  std::string gpu; // name of the device; empty on CPU-only jobs
  FileIndex file;  // what of a file it was read from
  std::shared_ptr<const RankTrace> trace;
  std::shared_ptr<const DetailSource> details = noDetails(); // of the trace's events
};

struct JobIdentity; // core/io/cache/job_identity.h: the files on disk, as they were when they were read

// Where a TraceSet comes from.
struct TraceOrigin {
  std::shared_ptr<const JobIdentity> identity; // null when there are no files, or they may read otherwise
  bool cached = false;                         // opened from what an earlier reading of the files left
};

class TraceSet {
 public:
  TraceSet(std::string jobName, StringTable names, std::vector<RankEntry> ranks,
           std::vector<FileRecord> files, TraceOrigin origin = {});

  [[nodiscard]] const std::string& jobName() const { return m_jobName; }
  [[nodiscard]] const StringTable& names() const { return m_names; }
  [[nodiscard]] const std::vector<RankEntry>& ranks() const { return m_ranks; }
  [[nodiscard]] const RankEntry& rank(RankIndex index) const { return m_ranks[index.value]; }
  [[nodiscard]] const std::vector<FileRecord>& files() const { return m_files; }
  [[nodiscard]] const TraceOrigin& origin() const { return m_origin; }
  [[nodiscard]] const FileRecord& file(FileIndex index) const { return m_files[index.value]; }

  // From the first to the last event with a duration over all ranks, wall time. Empty without events.
  [[nodiscard]] TimeRange extent() const { return m_extent; }
  [[nodiscard]] std::uint64_t eventCount() const { return m_eventCount; }
  // Of the following, a file of several recordings counts once.
  [[nodiscard]] std::size_t fileCount() const { return m_fileCount; }
  // Of what was read, decompressed.
  [[nodiscard]] std::uint64_t textBytes() const { return m_textBytes; }
  // On disk, of the files of which something is shown.
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
