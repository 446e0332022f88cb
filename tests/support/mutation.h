// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as they come out of broken disks, killed writers and careless scripts: bits flipped, ends cut, blocks
// lost, doubled, swapped or overwritten, tokens of JSON and absurd numbers put in. The same seed gives the
// same bytes on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope::test {

// Numbers from a seed (SplitMix64), the same everywhere.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : m_state(seed) {}
  [[nodiscard]] std::uint64_t next();
  // In [0, end); 0 when end is 0.
  [[nodiscard]] std::size_t below(std::size_t end);

 private:
  std::uint64_t m_state;
};

// One change; says in `what`, when it is given, which and where.
void mutateOnce(std::string& bytes, Chance& chance, std::string* what = nullptr);

// One to six changes.
[[nodiscard]] std::string mutated(std::string_view bytes, Chance& chance, std::string* what = nullptr);

} // namespace rankscope::test
