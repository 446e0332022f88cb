// SPDX-License-Identifier: GPL-3.0-or-later
// The formats that are known, and which of them a file is. The list in trace_readers.cpp is the only place
// that names them.
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

// In the order in which they are asked. They live as long as the program, or the test that made them.
using TraceReaders = std::vector<const TraceReader*>;

// All that there are.
[[nodiscard]] const TraceReaders& traceReaders();

// The first that is sure of the file, else the first that can report what is wrong with it; null: none
// of their formats.
[[nodiscard]] const TraceReader* readerOf(const FileBytes& file,
                                          const TraceReaders& readers = traceReaders());

// Of events of a recording that was read in that format earlier; null when no reader has the format.
[[nodiscard]] std::shared_ptr<const DetailSource> detailsOf(const FileRecord& file,
                                                            const TraceReaders& readers = traceReaders());

// The files that the user means by the paths, folders searched for what is called like one of the formats.
[[nodiscard]] Discovery discoverTraceFiles(std::span<const std::string> paths,
                                           const TraceReaders& readers = traceReaders());

// How the files are called that folders are searched for: "*.json, *.json.gz".
[[nodiscard]] std::string searchedNames(const TraceReaders& readers = traceReaders());

// The lowest and the highest step that the profiler marked in a file; nothing when it marked none, the file
// cannot be read, or `cancel` was set from another thread before all was seen. May look through all of it.
[[nodiscard]] std::optional<LoadFilter::Steps> stepNumbers(const std::string& path,
                                                           const std::atomic<bool>& cancel,
                                                           const TraceReaders& readers = traceReaders());

} // namespace rankscope
