// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank spent a range of its time on, part by part, as far as it can make the rank late: what two ranks
// are compared by. Pure; O(log) for each part.
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

// The first two are more specific than the phase they occur in.
inline constexpr std::array kLateParts{LatePart::DataLoader, LatePart::Kernels,  LatePart::Forward,
                                       LatePart::Loss,       LatePart::Backward, LatePart::Optimizer,
                                       LatePart::Host};
// A part explains a lateness when it makes up this share of it.
inline constexpr double kPartExplains = 0.3;
// A name stands out when it makes up this share of its part's excess.
inline constexpr double kNameStandsOut = 0.4;

using TimeOfParts = std::array<TimeNs, kLateParts.size()>; // in the order of kLateParts

// range: on the rank's own clock.
[[nodiscard]] TimeOfParts timeOfParts(const Analysis& analysis, RankIndex rank, TimeRange range);

// The part with the largest excess of at least `least`, and the excess; the first two win over the rest.
[[nodiscard]] std::pair<LatePart, TimeNs> worstPart(const TimeOfParts& excess, TimeNs minimum);

} // namespace rankscope
