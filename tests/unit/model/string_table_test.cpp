// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/string_table.h"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace rankscope {

TEST(StringTable, equalTextsAreOneNameInOrderOfTheirFirstAppearance) {
  StringInterner names;
  EXPECT_EQ(names.intern("b"), NameId(0));
  EXPECT_EQ(names.intern(""), NameId(1));
  EXPECT_EQ(names.intern(std::string("b")), NameId(0));
  const StringTable before = names.snapshot();
  for (int i = 0; i < 5000; ++i)
    EXPECT_EQ(names.intern("name " + std::to_string(i)), NameId(static_cast<std::size_t>(i) + 2));
  EXPECT_EQ(names.intern("name 4321"), NameId(4323));
  EXPECT_EQ(before.size(), 2U);
  EXPECT_EQ(before[NameId(0)], "b");
  EXPECT_EQ(names.snapshot()[NameId(4323)], "name 4321");
}

// What a hash that multiplies by known numbers makes 0 of, whatever follows: a file of such names would take
// the square of their number.
TEST(StringTable, namesMadeToFallTogetherDoNot) {
  const std::uint64_t first = 16 * 0x9e3779b97f4a7c15ull;
  std::string text(16, ' ');
  std::memcpy(text.data(), &first, sizeof first);
  std::set<std::uint64_t> hashes;
  for (char c = 'a'; c <= 'z'; ++c) {
    text.back() = c;
    hashes.insert(StringInterner::hashOf(text));
  }
  EXPECT_EQ(hashes.size(), 26U);
}

} // namespace rankscope
