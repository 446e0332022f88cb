// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/utf8.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace rankscope {

namespace {

const std::string kReplaced = "\xef\xbf\xbd";

} // namespace

TEST(Utf8, leavesValidTextAlone) {
  for (const std::string text : {"", "plain", "µs · 中文 · 🚀", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(isValidUtf8(text)) << text;
    EXPECT_EQ(validUtf8(text), text);
  }
}

// The examples of the Unicode standard, table 3-11.
TEST(Utf8, replacesMaximalPartsAsTheStandardRecommends) {
  EXPECT_EQ(validUtf8("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41"), kReplaced + kReplaced + kReplaced + kReplaced +
                                                                   kReplaced + kReplaced + kReplaced +
                                                                   kReplaced + "A");
  EXPECT_EQ(validUtf8("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41"),
            kReplaced + kReplaced + kReplaced + kReplaced + "A");
}

TEST(Utf8, refusesSurrogatesOverlongFormsAndTooLargeCharacters) {
  for (const char* text : {"\xed\xa0\x80", "\xc1\x81", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
                           "\xf5", "\x80", "\xe2\x82"})
    EXPECT_FALSE(isValidUtf8(text));
}

TEST(Utf8, makesAnyBytesValidAndKeepsAscii) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) text += static_cast<char>(random() % 256);
    const std::string valid = validUtf8("<" + text + ">");
    EXPECT_TRUE(isValidUtf8(valid));
    EXPECT_EQ(valid.front(), '<');
    EXPECT_EQ(valid.back(), '>');
  }
}

} // namespace rankscope
