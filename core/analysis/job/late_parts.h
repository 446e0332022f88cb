// SPDX-License-Identifier: GPL-3.0-or-later
// Splits a time range of a rank into parts that can make the rank late, so that ranks can be compared. Pure;
// O(log) per part.
#pragma once

#include "core/model/trace_set.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace rankscope {

class Analysis;

enum class LatePart : std::uint8_t { Unknown, DataLoader, Forward, Loss, Backward, Optimizer, Kernels, Host };

// "its DataLoader", "its forward", ..., "its kernels", "its host code".
[[nodiscard]] std::string_view latePartText(LatePart part);

// The first two are more specific than the phase that contains them.
inline constexpr std::array kLateParts{LatePart::DataLoader, LatePart::Kernels,  LatePart::Forward,
                                       LatePart::Loss,       LatePart::Backward, LatePart::Optimizer,
                                       LatePart::Host};
// Minimum share of the lateness for a part to be its cause.
inline constexpr double kPartExplains = 0.3;
// Minimum share of the part's excess for a name to be reported.
inline constexpr double kNameStandsOut = 0.4;

using TimeOfParts = std::array<TimeNs, kLateParts.size()>; // in the order of kLateParts

// range: on the rank's clock.
[[nodiscard]] TimeOfParts timeOfParts(const Analysis& analysis, RankIndex rank, TimeRange range);

// The part with the largest excess of at least `minimum`, and the excess. The first two take precedence.
[[nodiscard]] std::pair<LatePart, TimeNs> worstPart(const TimeOfParts& excess, TimeNs minimum);

} // namespace rankscope
