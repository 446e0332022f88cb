// SPDX-License-Identifier: GPL-3.0-or-later
// Traces that hold far more of one thing than any recording does, and little else: 100 000 devices, threads,
// events that overlap or nest, work launched within them. About 100 bytes an event. Whatever costs the square
// of a number that a file may choose shows on one of them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace rankscope::test {

struct CrowdedTrace {
  std::string_view name;
  std::string (*text)(std::size_t events); // about so many
};

[[nodiscard]] std::span<const CrowdedTrace> crowdedTraces();

} // namespace rankscope::test
