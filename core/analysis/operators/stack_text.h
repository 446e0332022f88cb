// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of a Python stack, and stacks stored as one text. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope {

// The part of a call's Python stack that identifies a group.
enum class PythonDetail : std::uint8_t {
  Module,     // the nn.Modules around the call, outermost first: "Bert_0 / Linear_3"
  Stack,      // all frames, the outermost on the first line
  SourceLine, // the innermost frame that is not torch's own: "train.py(42): forward"
};

// A line of Python that is not torch's: its frames lie in "torch/" or ".../torch/".
[[nodiscard]] bool isOwnSource(std::string_view frame);

// The stack recorded as text, as the profiler of 2021 wrote it into each operator's arguments:
// "inner.py(3): f;outer.py(9): <module>". In the format of groupByNameAndPython; empty when unknown.
[[nodiscard]] std::string detailOfStackText(std::string_view text, PythonDetail detail);

} // namespace rankscope
