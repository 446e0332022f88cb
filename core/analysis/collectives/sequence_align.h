// SPDX-License-Identifier: GPL-3.0-or-later
// Aligns two sequences of signatures in order, with as many equal pairs as possible. O(n) for equal
// sequences, O(n · differences) for similar ones.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace rankscope {

// Whether a repeated signature is matched with its first or last candidate if both are possible.
enum class Preference : std::uint8_t { Head, Tail };

// Pairs (index in a, index in b), ascending in both.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>>
alignSequences(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
               Preference preference = Preference::Head);

// The same with only some pairs allowed. allowed(i, j) is called for equal signatures only. O(n·m).
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>>
alignAllowed(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
             const std::function<bool(std::uint32_t, std::uint32_t)>& allowed);

} // namespace rankscope
