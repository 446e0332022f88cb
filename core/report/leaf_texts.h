// SPDX-License-Identifier: GPL-3.0-or-later
// The leaves of the account as people read them: a title, a definition in one sentence, what it was judged
// by, and the group that it is shown with. Constant data.
#pragma once

#include "core/analysis/account/leaves.h"

#include <cstdint>
#include <string_view>

namespace rankscope {

// In the order in which they lead from the ideal to the measured step.
enum class LeafGroup : std::uint8_t {
  Ideal,
  Kernels,  // of compute, what better kernels would save
  Transfer, // exposed communication after the last arrival
  Wait,     // for other ranks
  Memcpy,
  Host,
  Queue,
  Recording, // edges and start-up: not the job's
};

inline constexpr std::size_t kLeafGroupCount = static_cast<std::size_t>(LeafGroup::Recording) + 1;

[[nodiscard]] LeafGroup leafGroup(Leaf leaf);
// "ideal compute", "kernels", "exposed transfer", ...: for a legend.
[[nodiscard]] std::string_view leafGroupTitle(LeafGroup group);

// "DataLoader", "Wait for other ranks", ...
[[nodiscard]] std::string_view leafTitle(Leaf leaf);
// What is in the leaf, as a sentence.
[[nodiscard]] std::string_view leafDefinition(Leaf leaf);
// What of the recording it was judged by.
[[nodiscard]] std::string_view leafSource(Leaf leaf);

// "compute", "exposed communication", "memcpy", "idle".
[[nodiscard]] std::string_view timeClassTitle(TimeClass timeClass);

} // namespace rankscope
