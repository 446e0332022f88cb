// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the files beside traces: memory snapshots, memory timelines, Flight Recorder dumps. Recognized by
// content. Thread-safe; blocks.
#pragma once

#include "core/base/progress.h"
#include "core/model/side_files.h"
#include "core/model/trace_set.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Of a file in a searched folder: whether its name is one that such files have, so that it is worth a look.
[[nodiscard]] bool mayBeSideFile(std::string_view fileName);

// What became of a file.
enum class SideUse : std::uint8_t {
  None,
  Whole,
  Part,        // it ends before its end
  AnotherForm, // of a dump that is used
  OtherJob,    // a dump of another job than the first
};

struct SideNote {
  std::string path;
  std::uint64_t bytes = 0;
  FileStatus status = FileStatus::NotATrace;
  std::string note;
  SideUse use = SideUse::None;
};

struct SideReading {
  std::shared_ptr<const SideFiles> files; // never null
  std::vector<SideNote> notes;            // of those that were recognized or refused, in the order of paths
};

// Files of other kinds are passed over. Dumps of another job than the first are left out.
[[nodiscard]] SideReading readSideFiles(std::span<const std::string> paths, unsigned threadCount,
                                        const Progress& progress);

// The job with what was read; its file records say so.
[[nodiscard]] std::shared_ptr<const TraceSet> withSideFiles(const TraceSet& job, const SideReading& side);

// The job that knows which ranks were left out of it.
[[nodiscard]] std::shared_ptr<const TraceSet> withRanksLeftOut(const TraceSet& job, std::vector<int> ranks);

} // namespace rankscope
