// SPDX-License-Identifier: GPL-3.0-or-later
// The supported formats, and the choice of the reader of a file. The list is in trace_readers.cpp only.
#pragma once

#include "core/io/files/trace_folder.h"
#include "core/io/reader/load_filter.h"
#include "core/model/trace_set.h"

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

class FileBytes;
class TraceReader;

// Readers in the order in which they are tried. They outlive all loads.
using TraceReaders = std::vector<const TraceReader*>;

// All readers.
[[nodiscard]] const TraceReaders& traceReaders();

// The first reader that is sure of the file, else the first that can report what is wrong with it; null if
// none.
[[nodiscard]] const TraceReader* readerOf(const FileBytes& file,
                                          const TraceReaders& readers = traceReaders());

// Details of a recording that was read earlier in the format of `file`; null if there is no such reader.
[[nodiscard]] std::shared_ptr<const DetailSource> detailsOf(const FileRecord& file,
                                                            const TraceReaders& readers = traceReaders());

// Trace files that the paths refer to. Folders are searched for the name endings of all formats.
[[nodiscard]] Discovery discoverTraceFiles(std::span<const std::string> paths,
                                           const TraceReaders& readers = traceReaders());

// The file names that folders are searched for: "*.json, *.json.gz".
[[nodiscard]] std::string searchedNames(const TraceReaders& readers = traceReaders());

// First and last step number that the profiler marked in a file. Empty if there is none, the file cannot be
// read, or `cancel` was set by another thread. May scan the whole file.
[[nodiscard]] std::optional<LoadFilter::Steps> stepNumbers(const std::string& path,
                                                           const std::atomic<bool>& cancel,
                                                           const TraceReaders& readers = traceReaders());

} // namespace rankscope
