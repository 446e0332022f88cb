// SPDX-License-Identifier: GPL-3.0-or-later
// Traces with an extreme number of one item, and little else: 100 000 devices, threads, overlapping or nested
// events, launches inside them. About 100 bytes per event. They reveal algorithms with quadratic cost in a
// number that a file controls.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace rankscope::test {

struct CrowdedTrace {
  std::string_view name;
  std::string (*text)(std::size_t events); // approximate number of events
};

[[nodiscard]] std::span<const CrowdedTrace> crowdedTraces();

} // namespace rankscope::test
