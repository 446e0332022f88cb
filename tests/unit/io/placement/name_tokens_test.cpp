// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/placement/name_tokens.h"

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace rankscope {

namespace {

std::vector<std::string> textsOf(const NameTokens& name) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < name.size(); ++i) texts.emplace_back(name[i].text);
  return texts;
}

} // namespace

TEST(NameTokens, areWordsNumbersAndSingleMarks) {
  const NameTokens name("Rank12--of(64).模型x");
  EXPECT_EQ(textsOf(name),
            (std::vector<std::string>{"Rank", "12", "-", "-", "of", "(", "64", ")", ".", "模型x"}));
  EXPECT_EQ(name[0].kind, NameTokens::Kind::Word);
  EXPECT_EQ(name[0].lower, "rank");
  EXPECT_EQ(name[1].kind, NameTokens::Kind::Number);
  EXPECT_EQ(name[2].kind, NameTokens::Kind::Mark);
  EXPECT_EQ(name[9].kind, NameTokens::Kind::Word) << "letters of any alphabet";
  EXPECT_EQ(NameTokens("").size(), 0U);
}

TEST(NameTokens, ofWhatIsNotThereAreNothing) {
  const NameTokens name("rank");
  EXPECT_TRUE(name.isWord(0, "rank"));
  EXPECT_FALSE(name.isWord(1, "rank"));
  EXPECT_FALSE(name.isMark(7, "-_"));
  EXPECT_FALSE(name.isNumber(NameTokens::kNone, 1, 9));
  EXPECT_EQ(name.numberAfter(0, 9), NameTokens::kNone);
}

TEST(NameTokens, findTheNumberOfAWord) {
  for (const char* text :
       {"rank7", "rank-7", "rank_7", "rank=7", "rank.7", "rank:7", "rank 7", "rank[7]", "rank(7)"}) {
    const NameTokens name(text);
    const std::size_t at = name.numberAfter(0, 5);
    ASSERT_NE(at, NameTokens::kNone) << text;
    EXPECT_EQ(name.number(at), 7);
  }
  for (const char* text : {"rank--7", "rank x7", "rank123456", "rank"})
    EXPECT_EQ(NameTokens(text).numberAfter(0, 5), NameTokens::kNone) << text;
}

TEST(NameTokens, ofANumberCountTheDigitsAndWhetherItWasTaken) {
  NameTokens name("0042");
  EXPECT_TRUE(name.isNumber(0, 1, 4));
  EXPECT_TRUE(name.isNumber(0, 4, 4));
  EXPECT_FALSE(name.isNumber(0, 5, 9));
  EXPECT_FALSE(name.isNumber(0, 1, 3));
  EXPECT_EQ(name.number(0), 42);
  name.take(0, 0);
  EXPECT_FALSE(name.isNumber(0, 1, 4));
}

TEST(NameTokens, leaveTheRestWithoutSeparatorsThatNobodyNeeds) {
  NameTokens name("job-a_rank(3)_.host7");
  EXPECT_TRUE(name.isWord(4, "rank"));
  const std::size_t number = name.numberAfter(4, 5);
  ASSERT_NE(number, NameTokens::kNone);
  name.take(4, number);
  EXPECT_EQ(name.rest(), "job-a_host7") << "the closing bracket went with the opening one";
  NameTokens all("rank3");
  all.take(0, 1);
  EXPECT_EQ(all.rest(), "");
  EXPECT_EQ(NameTokens("--a--b--").rest(), "a-b");
}

TEST(WholeNumber, isDigitsThatFit) {
  EXPECT_EQ(wholeNumber("0"), 0);
  EXPECT_EQ(wholeNumber("007"), 7);
  EXPECT_EQ(wholeNumber("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const char* text : {"", "-1", "+1", "1.5", "12a", " 1", "9223372036854775808"})
    EXPECT_EQ(wholeNumber(text), std::nullopt) << text;
}

} // namespace rankscope
