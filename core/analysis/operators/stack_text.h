// SPDX-License-Identifier: GPL-3.0-or-later
// Functions for Python stack frames and for stacks stored as text. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope {

// The part of a call's Python stack that identifies a group.
enum class PythonDetail : std::uint8_t {
  Module,     // enclosing nn.Modules, outermost first: "Bert_0 / Linear_3"
  Stack,      // all frames, outermost on the first line
  SourceLine, // innermost frame outside of torch: "train.py(42): forward"
};

// Whether a Python frame is outside of torch ("torch/" or ".../torch/").
[[nodiscard]] bool isOwnSource(std::string_view frame);

// Converts a stack recorded as text in an operator's arguments (profiler of 2021): "inner.py(3):
// f;outer.py(9): <module>". The result has the format of groupByNameAndPython; empty if unknown.
[[nodiscard]] std::string detailOfStackText(std::string_view text, PythonDetail detail);

} // namespace rankscope
