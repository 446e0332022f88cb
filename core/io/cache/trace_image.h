// SPDX-License-Identifier: GPL-3.0-or-later
// Serializes a TraceSet to a CheckedFile and back. Columns, texts and pyramids have their memory layout and
// are used directly from the mapping; small data is copied. Equal TraceSets give equal bytes. Reading
// validates all indices, so that even a file with valid checksums over invalid data cannot cause reads out of
// bounds.
#pragma once

#include "core/io/cache/checked_file.h"
#include "core/model/trace_set.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// Writes all data and returns the directory. If `cancel` is set, stops early; the file is then invalid.
[[nodiscard]] std::string writeTraceImage(const TraceSet& traces, CheckedFileWriter& file,
                                          const std::atomic<bool>& cancel);

// Approximate size of the image.
[[nodiscard]] std::uint64_t traceImageBytes(const TraceSet& traces);

// Creates the DetailSource of a recording; null if its format is no longer supported.
using DetailsOf = std::function<std::shared_ptr<const DetailSource>(const FileRecord&)>;

// Null if the data is inconsistent or details are missing. Without detailsOf, the recordings have no details.
// directory: as written, where that of the file has more. REQUIRES: the file was verified.
[[nodiscard]] std::shared_ptr<const TraceSet>
readTraceImage(const CheckedFile& file, TraceOrigin origin, unsigned threadCount,
               const DetailsOf& detailsOf = {}, std::optional<std::string_view> directory = std::nullopt);

// Whether all indices of the recording are in bounds. O(n).
[[nodiscard]] bool isSound(const RankTrace& trace, std::size_t nameCount);

} // namespace rankscope
