// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/reader/trace_reader.h"

namespace rankscope {

Result<Excerpt> TraceReader::excerpt(const FileBytes& file, const ExcerptRequest&) const {
  return Error{
      ErrorKind::Format,
      "no excerpt can be written of this format, only of traces of the PyTorch profiler; Nsight Systems "
      "itself cuts its reports while recording (nsys profile --capture-range)",
      file.path(), std::nullopt};
}

std::optional<int> TraceReader::rankInFront(const FileBytes&) const {
  return std::nullopt;
}

} // namespace rankscope
