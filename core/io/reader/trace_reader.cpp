// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/reader/trace_reader.h"

namespace rankscope {

Result<Excerpt> TraceReader::excerpt(const FileBytes& file, const ExcerptRequest&) const {
  return Error{ErrorKind::Format, "excerpts are written of Kineto traces only", file.path(), std::nullopt};
}

std::optional<int> TraceReader::rankInFront(const FileBytes&) const {
  return std::nullopt;
}

} // namespace rankscope
