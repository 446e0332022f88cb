// SPDX-License-Identifier: GPL-3.0-or-later
// Two sequences of signatures laid side by side so that as many as possible of equal ones stand together, in
// order. Equal sequences cost O(n), sequences with few differences O(n·differences).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace rankscope {

// Where the choice is free: whether a repeated signature is matched with its first or its last equal.
enum class Preference : std::uint8_t { Head, Tail };

// Pairs (position in a, position in b), ascending in both.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>>
alignSequences(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
               Preference preference = Preference::Head);

// The same where only some pairs are possible: allowed(i, j) is asked for equal signatures only. O(n·m).
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>>
alignAllowed(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
             const std::function<bool(std::uint32_t, std::uint32_t)>& allowed);

} // namespace rankscope
