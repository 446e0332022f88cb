// SPDX-License-Identifier: GPL-3.0-or-later
// Which of another tool's rules are applied. Every rule is a place where the tool does something else than
// our definitions; with none the tool's algorithm runs on our definitions, with all it is the tool. Rule is
// an enum class that counts from 0 and ends in Count, at most 32.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankscope::peers {

template <class Rule> class RuleSet {
 public:
  static constexpr std::size_t kCount = static_cast<std::size_t>(Rule::Count);
  static_assert(kCount <= 32);

  constexpr RuleSet() = default;
  [[nodiscard]] static constexpr RuleSet all() { return RuleSet((std::uint64_t{1} << kCount) - 1); }

  [[nodiscard]] constexpr bool has(Rule rule) const { return (m_bits & bit(rule)) != 0; }
  [[nodiscard]] constexpr RuleSet with(Rule rule) const { return RuleSet(m_bits | bit(rule)); }
  [[nodiscard]] constexpr RuleSet without(Rule rule) const { return RuleSet(m_bits & ~bit(rule)); }
  [[nodiscard]] constexpr bool empty() const { return m_bits == 0; }
  constexpr auto operator<=>(const RuleSet&) const = default;

 private:
  constexpr explicit RuleSet(std::uint64_t bits) : m_bits(bits) {}
  [[nodiscard]] static constexpr std::uint64_t bit(Rule rule) {
    return std::uint64_t{1} << static_cast<unsigned>(rule);
  }

  std::uint64_t m_bits = 0;
};

} // namespace rankscope::peers
