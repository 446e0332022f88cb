// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the files beside traces: memory snapshots, memory timelines, Flight Recorder dumps. Recognized by
// content. Thread-safe; blocks.
#pragma once

#include "core/base/progress.h"
#include "core/io/pickle/plain_data.h"
#include "core/model/side_files.h"
#include "core/model/trace_set.h"

#include <cstdint>
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

// What is noted of files, by which they are told apart.
inline constexpr std::string_view kNoteOfSnapshot = "memory snapshot";
inline constexpr std::string_view kNoteOfDump = "Flight Recorder dump";
inline constexpr std::string_view kNoteOfOtherJob = "a dump of another job: open its folder separately";

struct SideNote {
  std::string path;
  std::uint64_t bytes = 0;
  FileStatus status = FileStatus::NotATrace;
  std::string note;
  SideUse use = SideUse::None;
};

// A file that was read, by whoever has it.
struct SideFile {
  std::string path;
  std::uint64_t bytes = 0;
  PlainGuess guess;
  std::optional<MemorySnapshot> snapshot;
  std::optional<MemoryTimeline> timeline;
  std::optional<FlightRecord> flight;
  std::string note;
  SideUse use = SideUse::Whole; // of what could be read
};

struct SideReading {
  std::shared_ptr<const SideFiles> files; // never null
  std::vector<SideNote> notes;            // of those that were recognized or refused, in the order of paths
};

[[nodiscard]] SideFile readSideFile(const std::string& path, const Progress& progress);
// What files say together: dumps of another job than the first are left out, and so are files of other kinds.
[[nodiscard]] SideReading joinedSideFiles(std::vector<SideFile> files);

// Both. Files of other kinds are passed over. Dumps of another job than the first are left out.
[[nodiscard]] SideReading readSideFiles(std::span<const std::string> paths, unsigned threadCount,
                                        const Progress& progress);

// The job with what was read; its file records say so.
[[nodiscard]] std::shared_ptr<const TraceSet> withSideFiles(const TraceSet& job, const SideReading& side);

// The job that knows which ranks were left out of it.
[[nodiscard]] std::shared_ptr<const TraceSet> withRanksLeftOut(const TraceSet& job, std::vector<int> ranks);

} // namespace rankscope
