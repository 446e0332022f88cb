// SPDX-License-Identifier: GPL-3.0-or-later
// Interface of a trace file format: recognizes files, reads events, estimates the contents of a file, and
// reads details later. The rest of the program knows formats only through this interface. Readers have no
// state. All functions are thread-safe, also for several files at once.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/io/files/file_bytes.h"
#include "core/io/reader/load_filter.h"
#include "core/io/reader/work_queue.h"
#include "core/model/detail_source.h"
#include "core/model/file_events.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// What a reader gets from the load it is part of.
struct ReadContext {
  Progress& progress; // counts bytes and events; check its cancel flag once per slice
  WorkQueue& pieces;  // work on this file that other threads may do
  // Number of threads for parallel steps of this file. Call it at the start of each step: at the end of a
  // load, few files share all threads.
  std::function<unsigned()> threadCount;
  const LoadFilter& filter;
};

struct FileReading {
  // Recordings of the file, one per rank, at least one. The order depends only on the file.
  std::vector<FileEvents> recordings;
  std::uint64_t textBytes = 0; // decompressed size that was read
};

// Estimated contents of a file after filtering, extrapolated from samples to the whole file.
struct FileSample {
  double textBytes = 0;    // decompressed
  double entries = 0;      // of any kind, before filtering: what RankTrace::fileEvents will be
  double events = 0;       // that will be kept
  double deviceEvents = 0; // of these
  double memoryEvents = 0; // of these
  double flows = 0;
  bool fromFrontOnly = false; // the rest of the file may differ
};

enum class FormatMatch : std::uint8_t {
  No,
  Maybe, // plausible; the reader can report what is wrong with the file
  Yes,
};

// A part of a recording, to be written in the format of its file.
struct ExcerptRequest {
  TimeRange window;                 // on the clock of the file
  std::optional<std::int64_t> rank; // where the file does not say it; likewise the next
  std::optional<std::int64_t> worldSize;
  std::string hostJson; // its host as a JSON text, likewise; empty: not known
};

struct Excerpt {
  std::string text;
  std::uint64_t events = 0;  // in the text, without metadata
  std::uint64_t damaged = 0; // unreadable and therefore left out
};

class TraceReader {
 public:
  virtual ~TraceReader() = default;

  // Identifies the format in cached jobs, so it must never change. One word.
  [[nodiscard]] virtual std::string_view format() const = 0;
  // Endings of file names in lower case, for searching folders.
  [[nodiscard]] virtual std::span<const std::string_view> nameEndings() const = 0;
  // Examines the first bytes, not the name.
  [[nodiscard]] virtual FormatMatch match(const FileBytes& file) const = 0;

  // Reads the whole file. Damage is reported as repaired, skipped or suspicious in the diagnostics of a
  // recording. An Error if nothing could be read or the load was cancelled. May throw.
  [[nodiscard]] virtual Result<FileReading> read(const FileBytes& file, ReadContext& context) const = 0;

  // Details of events of one of the recordings returned by read().
  [[nodiscard]] virtual std::shared_ptr<const DetailSource> details(const std::string& path,
                                                                    std::size_t recording) const = 0;

  // Takes a few milliseconds. Ignores the filter's steps, because their share is unknown.
  [[nodiscard]] virtual FileSample sample(const FileBytes& file, const LoadFilter& filter) const = 0;
  // First and last step number that the profiler marked. Empty if there is none or `cancel` was set by
  // another thread. May scan the whole file.
  [[nodiscard]] virtual std::optional<LoadFilter::Steps>
  stepNumbers(const FileBytes& file, const std::atomic<bool>& cancel) const = 0;

  // The rank that its first bytes name; empty if none does. Takes a few milliseconds.
  [[nodiscard]] virtual std::optional<int> rankInFront(const FileBytes& file) const;

  // Events as written that overlap the window, with all that names ranks, processes, threads and devices. An
  // Error for formats of which no part can be written.
  [[nodiscard]] virtual Result<Excerpt> excerpt(const FileBytes& file, const ExcerptRequest& request) const;
};

} // namespace rankscope
