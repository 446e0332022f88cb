// SPDX-License-Identifier: GPL-3.0-or-later
// A TraceSet in a CheckedFile and back. Columns, texts and pyramids lie in the file as they lie in memory and
// are used where they are mapped; what is small is copied. Equal TraceSets give equal bytes. Reading checks
// that nothing points out of its array, so that even a file whose checksums were made over nonsense cannot be
// read beyond its ends.
#pragma once

#include "core/io/cache/checked_file.h"
#include "core/model/trace_set.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace rankscope {

// Writes all data and returns the directory. Stops when `cancel` is set; what is there then is no image.
[[nodiscard]] std::string writeTraceImage(const TraceSet& traces, CheckedFileWriter& file,
                                          const std::atomic<bool>& cancel);

// About how many bytes that takes.
[[nodiscard]] std::uint64_t traceImageBytes(const TraceSet& traces);

// What knows more of the events of a recording; null when nothing does any more.
using DetailsOf = std::function<std::shared_ptr<const DetailSource>(const FileRecord&)>;

// Null when what is in the file does not fit together, or has no details. Without detailsOf nobody will ask
// for any. REQUIRES: the file was verified.
[[nodiscard]] std::shared_ptr<const TraceSet> readTraceImage(const CheckedFile& file, TraceOrigin origin,
                                                             unsigned threadCount,
                                                             const DetailsOf& detailsOf = {});

// Whether every index in the recording leads to something. O(n).
[[nodiscard]] bool isSound(const RankTrace& trace, std::size_t nameCount);

} // namespace rankscope
