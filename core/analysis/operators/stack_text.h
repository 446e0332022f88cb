// SPDX-License-Identifier: GPL-3.0-or-later
// What a frame of a Python stack says, and a stack that is one text. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope {

// What of a call's Python stack tells it from others.
enum class PythonDetail : std::uint8_t {
  Module,     // the nn.Modules around the call, outermost first: "Bert_0 / Linear_3"
  Stack,      // all frames, the outermost on the first line
  SourceLine, // the innermost frame that is not torch's own: "train.py(42): forward"
};

// A line of Python that is not torch's: its frames lie in "torch/" or ".../torch/".
[[nodiscard]] bool isOwnSource(std::string_view frame);

// What the text of a call's own stack says, as the profiler of 2021 wrote it into each operator's arguments:
// "inner.py(3): f;outer.py(9): <module>". In the words of groupByNameAndPython; empty when it says nothing.
[[nodiscard]] std::string detailOfStackText(std::string_view text, PythonDetail detail);

} // namespace rankscope
