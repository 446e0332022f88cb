// SPDX-License-Identifier: GPL-3.0-or-later
// A format of trace files: how a file of it is recognized, read into events, looked at without reading it,
// and asked for details later. Everything right of the readers knows formats by this alone. Readers hold no
// state of files; all of it may be called from any thread, on several files at once.
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

// What the reading of one file takes from the load it is part of.
struct ReadContext {
  Progress& progress; // bytes and events are counted as they are read; to be asked for a cancel per slice
  WorkQueue& pieces;  // what of the file others may do meanwhile
  // How many threads the file may take for its own parallel steps, asked when each begins: at the end of a
  // load few files have all threads to themselves.
  std::function<unsigned()> threadCount;
  const LoadFilter& filter;
};

struct FileReading {
  // What the file holds of each rank, at least one, in an order that depends on the file alone.
  std::vector<FileEvents> recordings;
  std::uint64_t textBytes = 0; // that were read, decompressed
};

// About how much a file holds, from samples of it, with what a filter leaves. Counts are those of all of it.
struct FileSample {
  double textBytes = 0; // decompressed
  double events = 0;
  double deviceEvents = 0; // of these
  double memoryEvents = 0; // of these
  double flows = 0;
  bool fromFrontOnly = false; // what stands further back may differ
};

enum class FormatMatch : std::uint8_t {
  No,
  Maybe, // plausible, and it can report what is wrong with the file
  Yes,
};

class TraceReader {
 public:
  virtual ~TraceReader() = default;

  // One word, never changed: what was kept of a job knows its files' readers by it.
  [[nodiscard]] virtual std::string_view format() const = 0;
  // How the names of such files end, in lower case: what is looked for in folders.
  [[nodiscard]] virtual std::span<const std::string_view> nameEndings() const = 0;
  // By the first bytes, whatever the file is called.
  [[nodiscard]] virtual FormatMatch match(const FileBytes& file) const = 0;

  // Blocks until all is read. Damage is reported as repaired, skipped or suspicious in the diagnostics of a
  // recording; an Error when nothing could be read or the load was cancelled. May throw.
  [[nodiscard]] virtual Result<FileReading> read(const FileBytes& file, ReadContext& context) const = 0;

  // Of the events of one of the recordings that read() gave.
  [[nodiscard]] virtual std::shared_ptr<const DetailSource> details(const std::string& path,
                                                                    std::size_t recording) const = 0;

  // A few milliseconds. Steps of the filter are not looked for: their share is not known.
  [[nodiscard]] virtual FileSample sample(const FileBytes& file, const LoadFilter& filter) const = 0;
  // The lowest and the highest step that the profiler marked; nothing when it marked none, or `cancel` was
  // set from another thread before all was seen. May look through all of the file.
  [[nodiscard]] virtual std::optional<LoadFilter::Steps>
  stepNumbers(const FileBytes& file, const std::atomic<bool>& cancel) const = 0;
};

} // namespace rankscope
