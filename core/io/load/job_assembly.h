// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a job while they are read, and the TraceSet that those make which have arrived. What is
// decided over all of their recordings (where each belongs, who lends a base time) is decided again for every
// set, from the facts of each file: a set depends on which files have arrived, never on the order in
// which they did, nor on the sets before it. One thread at a time. A set costs a few microseconds a file.
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
#include <vector>

namespace rankscope {

class JobAssembly {
 public:
  // paths: what was opened. capture: only this one of every rank. bySteps: only some steps were asked for.
  JobAssembly(std::vector<std::string> paths, const Discovery& discovery, std::optional<int> capture,
              bool bySteps);

  [[nodiscard]] std::size_t size() const { return m_slots.size(); }
  [[nodiscard]] const DiscoveredFile& file(std::size_t index) const { return m_slots[index].found; }

  // What became of a file; names: those of the job by now. When it throws, the file has not arrived.
  void arrived(std::size_t index, const Result<LoadedFile>& loaded, const StringTable& names);
  // The job of what has arrived. A recording that two sets have in common is the same object.
  [[nodiscard]] std::shared_ptr<const TraceSet> traces(StringTable names, TraceOrigin origin = {});

  // Whether another reading of the same files finds the same.
  [[nodiscard]] bool repeatable() const;
  // Of the first file for which there was not enough memory: figures of the others would be no job's.
  [[nodiscard]] const Error* outOfMemory() const;
  // Why there is no rank to be shown. searchedNames: what folders were searched for. REQUIRES: all files have
  // arrived.
  [[nodiscard]] Error nothingRead(const std::string& searchedNames) const;

 private:
  // A recording before its placement, or a file that has none.
  struct Part {
    FileFacts facts;
    FileRecord record;
    LoadedRecording recorded; // null in a file that has none
    // The recording with the base time that it was last lent; null: never.
    std::shared_ptr<const RankTrace> moved;
    TimeNs movedBy = 0;
  };
  struct Slot {
    DiscoveredFile found;
    std::vector<Part> parts;    // empty until the file has arrived
    std::optional<Error> error; // instead of recordings
  };
  // The base time of files that have one, and when they were recorded, a day about it.
  struct Base {
    TimeNs time = 0;
    TimeRange near;
  };

  [[nodiscard]] static Part partOf(const DiscoveredFile& file);
  [[nodiscard]] std::optional<Base> commonBase() const;
  // The recording as it lies in the job.
  [[nodiscard]] static std::shared_ptr<const RankTrace> timed(Part& part, const std::optional<Base>& base);
  [[nodiscard]] FileRecord recordOf(const Part& part, const FilePlacement& placement,
                                    const RankTrace* trace) const;

  std::vector<std::string> m_paths;
  std::optional<int> m_capture;
  bool m_bySteps;
  std::vector<Slot> m_slots;
  std::vector<FileRecord> m_notTraces;
};

} // namespace rankscope
