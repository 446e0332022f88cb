// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/stack_text.h"

#include <algorithm>

namespace rankscope {

bool isOwnSource(std::string_view frame) {
  return frame.find(".py(") != std::string_view::npos && !frame.starts_with("torch/") &&
         frame.find("/torch/") == std::string_view::npos;
}

std::string detailOfStackText(std::string_view text, PythonDetail detail) {
  std::string found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view frame = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (frame.empty()) continue;
    if (detail == PythonDetail::SourceLine && isOwnSource(frame)) return std::string(frame);
    if (detail == PythonDetail::Stack) found = std::string(frame) + (found.empty() ? "" : "\n") + found;
  }
  return found;
}

} // namespace rankscope
