// SPDX-License-Identifier: GPL-3.0-or-later
// Random damage to bytes: flipped bits, truncation, lost, duplicated, swapped or overwritten blocks,
// inserted JSON tokens and extreme numbers. The same seed gives the same bytes on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope::test {

// Random numbers from a seed (SplitMix64), equal on all machines.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : m_state(seed) {}
  [[nodiscard]] std::uint64_t next();
  // In [0, end); 0 when end is 0.
  [[nodiscard]] std::size_t below(std::size_t end);

 private:
  std::uint64_t m_state;
};

// Applies one change; describes it in `what` if given.
void mutateOnce(std::string& bytes, Chance& chance, std::string* what = nullptr);

// Applies one to six changes.
[[nodiscard]] std::string mutated(std::string_view bytes, Chance& chance, std::string* what = nullptr);

} // namespace rankscope::test
