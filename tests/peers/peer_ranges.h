// SPDX-License-Identifier: GPL-3.0-or-later
// The plugin's arithmetic of ranges of doubles: lists sorted and apart, as its merge makes them.
#pragma once

#include <utility>
#include <vector>

namespace rankscope::peers {

using Range = std::pair<double, double>;
using Ranges = std::vector<Range>;

// Sorted by begin; touching ranges join. Keeps ranges without length where nothing covers them.
[[nodiscard]] Ranges merged(Ranges ranges);
[[nodiscard]] Ranges common(const Ranges& one, const Ranges& other);
[[nodiscard]] Ranges without(const Ranges& one, const Ranges& other);
[[nodiscard]] double totalLength(const Ranges& ranges);

} // namespace rankscope::peers
