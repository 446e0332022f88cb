// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the files of a job as they are loaded, and creates a TraceSet from those that have arrived.
// Decisions over all recordings (placement, shared base time) are made again for every TraceSet, from the
// facts of each file. So a TraceSet depends on which files have arrived, not on their order or on earlier
// TraceSets. For one thread. A TraceSet costs a few microseconds per file.
#pragma once

#include "core/base/result.h"
#include "core/io/files/trace_folder.h"
#include "core/io/load/file_loader.h"
#include "core/io/placement/rank_files.h"
#include "core/model/trace_set.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

class JobAssembly {
 public:
  // paths: as opened. capture: load only this capture of every rank. bySteps: a filter of steps is set.
  JobAssembly(std::vector<std::string> paths, const Discovery& discovery, std::optional<int> capture,
              bool bySteps);

  [[nodiscard]] std::size_t size() const { return m_slots.size(); }
  [[nodiscard]] const DiscoveredFile& file(std::size_t index) const { return m_slots[index].found; }

  // A file with its path and size where they are known only when it is here.
  void foundAt(std::size_t index, DiscoveredFile file) { m_slots[index].found = std::move(file); }
  void addProblem(const DiscoveryProblem& problem);
  // Adds the result of a file. names: names of the job so far. If it throws, the file has not been added.
  void arrived(std::size_t index, const Result<LoadedFile>& loaded, const StringTable& names);
  // The same for a file that another process has read: as packed there by packedArrival. False if the bytes
  // are something else.
  [[nodiscard]] bool arrivedPacked(std::size_t index, std::string_view packed);
  // What is known of a file without its events.
  [[nodiscard]] static std::string packedArrival(const DiscoveredFile& file, const Result<LoadedFile>& loaded,
                                                 const StringTable& names);
  // The names of a file that has arrived, for numberedByFiles.
  void keepNames(std::size_t index, std::vector<NameId> names) { m_slots[index].names = std::move(names); }
  // Numbers names as if the files had been read in their order; `names` are those so far. Needs their kept
  // names. Recordings of TraceSets that were made before keep their ids.
  [[nodiscard]] StringTable numberedByFiles(const StringTable& names);
  // Number of records of the job's files that are of this file, which follow those of the files before it.
  [[nodiscard]] std::size_t recordsOf(std::size_t index) const { return m_slots[index].parts.size(); }

  // The job from all files that have arrived. Recordings are shared between successive TraceSets.
  [[nodiscard]] std::shared_ptr<const TraceSet> traces(StringTable names, TraceOrigin origin = {});

  // Whether reading the same files again would give the same result.
  [[nodiscard]] bool repeatable() const;
  // The first out-of-memory error, or null. The load then fails: results without that file would be wrong.
  [[nodiscard]] const Error* outOfMemory() const;
  // The error if no rank can be shown. searchedNames: file names that folders were searched for. REQUIRES:
  // all files have arrived.
  [[nodiscard]] Error nothingRead(const std::string& searchedNames) const;

 private:
  // A recording before placement, or a file without one.
  struct Part {
    FileFacts facts;
    FileRecord record;
    LoadedRecording recorded; // null for a file without a recording
    // The recording shifted by a shared base time; null if it was never shifted.
    std::shared_ptr<const RankTrace> moved;
    TimeNs movedBy = 0;
    TimeNs clockShift = 0; // see alignBySystemClock
  };
  struct Slot {
    DiscoveredFile found;
    std::vector<Part> parts;    // empty until the file has arrived
    std::optional<Error> error; // set instead of recordings
    std::vector<NameId> names;  // see keepNames
  };
  // A base time shared by files, and the time of their recordings ± a day.
  struct Base {
    TimeNs time = 0; // the earliest
    TimeRange near;
    bool common = true; // of all files
  };

  [[nodiscard]] static Slot slotOf(const DiscoveredFile& file, const Result<LoadedFile>& loaded,
                                   const StringTable& names);
  [[nodiscard]] static Part partOf(const DiscoveredFile& file);
  [[nodiscard]] std::optional<Base> commonBase() const;
  void alignBySystemClock();
  // The recording with its final times.
  [[nodiscard]] static std::shared_ptr<const RankTrace> timed(Part& part, const std::optional<Base>& base);
  [[nodiscard]] FileRecord recordOf(const Part& part, const FilePlacement& placement,
                                    const RankTrace* trace) const;

  std::vector<std::string> m_paths;
  std::optional<int> m_capture;
  bool m_bySteps;
  std::vector<Slot> m_slots;
  std::vector<FileRecord> m_notTraces;
  OtherFiles m_others;
};

} // namespace rankscope
