// SPDX-License-Identifier: GPL-3.0-or-later
// Texts for the leaves of the account: title, one-sentence definition, source of evidence, and display group.
// Constant data.
#pragma once

#include "core/analysis/account/leaves.h"

#include <cstdint>
#include <string_view>

namespace rankscope {

// In the order from ideal to measured step.
enum class LeafGroup : std::uint8_t {
  Ideal,
  Kernels,  // compute time that better kernels would save
  Transfer, // exposed communication after the last arrival
  Wait,     // for other ranks
  Memcpy,
  Host,
  Queue,
  Recording, // edges and start-up of the recording; not part of the job
};

inline constexpr std::size_t kLeafGroupCount = static_cast<std::size_t>(LeafGroup::Recording) + 1;

[[nodiscard]] LeafGroup leafGroup(Leaf leaf);
// Title in a legend: "ideal compute", "kernels", "exposed transfer", ...
[[nodiscard]] std::string_view leafGroupTitle(LeafGroup group);

// "DataLoader", "Wait for other ranks", ...
[[nodiscard]] std::string_view leafTitle(Leaf leaf);
// Also of what leaves stand under: "host.input" is "DataLoader", "host.dispatch" is "Dispatch". The text
// itself where it is neither.
[[nodiscard]] std::string_view leafOrParentTitle(std::string_view text);
// Definition of the leaf, as a sentence.
[[nodiscard]] std::string_view leafDefinition(Leaf leaf);
// Part of the recording that the leaf is derived from.
[[nodiscard]] std::string_view leafSource(Leaf leaf);

// "compute", "exposed communication", "memcpy", "idle".
[[nodiscard]] std::string_view timeClassTitle(TimeClass timeClass);

} // namespace rankscope
