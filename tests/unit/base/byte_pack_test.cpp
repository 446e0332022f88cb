// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/byte_pack.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

namespace {

enum class Color : std::uint8_t { Red, Green };

struct Inner {
  std::int32_t number = 0;
  std::vector<std::string> texts;
  bool operator==(const Inner&) const = default;
};

struct Outer {
  bool yes = false;
  Color color = Color::Red;
  double ratio = 0;
  std::string text;
  std::optional<Inner> maybe;
  std::vector<std::int64_t> numbers;
  std::vector<Inner> inners;
  bool operator==(const Outer&) const = default;
};

template <class Archive, Described<Inner> T> void describe(Archive& archive, T& inner) {
  archive(inner.number, inner.texts);
}

template <class Archive, Described<Outer> T> void describe(Archive& archive, T& outer) {
  archive(outer.yes, outer.color, outer.ratio, outer.text, outer.maybe, outer.numbers, outer.inners);
}

Outer sample() {
  return {true,
          Color::Green,
          -0.25,
          std::string("a\0b", 3),
          Inner{7, {"x", ""}},
          {1, -1, INT64_MAX},
          {{1, {}}, {2, {"long enough to be no short string of its own"}}}};
}

std::string packed(const Outer& outer) {
  Packer pack;
  pack(outer);
  return pack.bytes();
}

} // namespace

TEST(BytePack, givesBackWhatWasPacked) {
  for (const Outer& outer : {Outer(), sample()}) {
    const std::string bytes = packed(outer);
    Unpacker unpack(bytes);
    Outer again = sample(); // all of it is replaced
    unpack(again);
    EXPECT_TRUE(unpack.ok());
    EXPECT_TRUE(unpack.atEnd());
    EXPECT_EQ(again, outer);
  }
}

TEST(BytePack, ofCutBytesReadsNothingBeyondThem) {
  const std::string whole = packed(sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // Of its own, so that a sanitizer sees what lies behind.
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    Unpacker unpack(std::string_view(cut.data(), cut.size()));
    Outer outer;
    unpack(outer);
    EXPECT_FALSE(unpack.ok()) << size;
    std::int64_t more = 5;
    unpack(more);
    EXPECT_EQ(more, 0) << "nothing is given after something was missing";
  }
}

TEST(BytePack, takesACountBeyondTheBytesForDamage) {
  Packer pack;
  pack(std::uint64_t{1} << 60);
  Unpacker numbers(pack.bytes());
  std::vector<std::int64_t> values{1, 2};
  numbers(values);
  EXPECT_FALSE(numbers.ok());
  EXPECT_TRUE(values.empty());
  Unpacker texts(pack.bytes());
  std::string text = "before";
  texts(text);
  EXPECT_FALSE(texts.ok());
  EXPECT_EQ(text, "");
}

TEST(BytePack, takesAnyByteForABool) {
  const std::string bytes("\x02\x00\xff", 3);
  Unpacker unpack(bytes);
  bool first = false;
  bool second = true;
  bool third = false;
  unpack(first, second, third);
  EXPECT_TRUE(first);
  EXPECT_FALSE(second);
  EXPECT_TRUE(third);
  EXPECT_TRUE(unpack.ok());
}

} // namespace rankscope
