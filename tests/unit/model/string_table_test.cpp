// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/string_table.h"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

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

TEST(StringInterner, tellsTextsApartWhoseHashesAreEqual) {
  StringInterner names;
  std::vector<NameId> ids;
  for (int i = 0; i < 3000; ++i) ids.push_back(names.internHashed("name " + std::to_string(i), 42));
  EXPECT_EQ(names.size(), 3000U);
  for (int i = 0; i < 3000; ++i) {
    EXPECT_EQ(names[ids[static_cast<std::size_t>(i)]], "name " + std::to_string(i));
    EXPECT_EQ(names.internHashed("name " + std::to_string(i), 42), ids[static_cast<std::size_t>(i)]);
  }
}

// Of every length around the steps of the hash, and longer than a block.
TEST(StringInterner, findsAgainWhatItWasGiven) {
  std::mt19937 random(5);
  std::unordered_map<std::string, NameId> expected;
  StringInterner names;
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % (round % 5000 == 0 ? 200'000 : 40), '\0');
    // Few letters, so that texts differ late and repeat.
    for (char& c : text) c = "ab\0\xff"[random() % 4];
    const NameId id = names.intern(text);
    const auto [known, isNew] = expected.try_emplace(text, id);
    ASSERT_EQ(known->second, id);
    if (isNew) {
      ASSERT_EQ(id.value + 1, names.size());
    }
  }
  for (const auto& [text, id] : expected) ASSERT_EQ(names[id], text);
}

TEST(StringTable, ofEarlierMeansTheSameLater) {
  StringInterner names;
  names.intern("first");
  const StringTable early = names.snapshot();
  const char* const bytes = early[NameId(0)].data();
  for (int i = 0; i < 50'000; ++i) names.intern("later " + std::to_string(i));
  const StringTable late = names.snapshot();
  EXPECT_EQ(early.size(), 1U);
  EXPECT_EQ(late.size(), 50'001U);
  EXPECT_EQ(late[NameId(0)].data(), bytes) << "the bytes never move";
  EXPECT_EQ(late[NameId()], "");
}

TEST(StringTable, outlivesItsInterner) {
  StringTable table;
  {
    StringInterner names;
    names.intern("kept");
    table = names.snapshot();
  }
  EXPECT_EQ(table[NameId(0)], "kept");
}

TEST(StringTable, isMadeOfEndsAndBytes) {
  const auto bytes = std::make_shared<const std::string>("abcdef");
  const std::vector<std::uint64_t> ends{2, 2, 6};
  const StringTable table(ends, *bytes, bytes);
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[NameId(0)], "ab");
  EXPECT_EQ(table[NameId(1)], "");
  EXPECT_EQ(table[NameId(2)], "cdef");
}

} // namespace rankscope
