// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text_pattern.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>

namespace rankscope {
namespace {

bool found(std::string_view pattern, std::string_view text) {
  const auto parsed = TextPattern::parse(pattern);
  EXPECT_TRUE(parsed.ok()) << pattern << ": " << (parsed.ok() ? "" : parsed.error().message);
  return parsed.ok() && parsed.value().foundIn(text);
}

TEST(TextPattern, findsItselfAnywhereAndForgetsAboutCase) {
  EXPECT_TRUE(found("gemm", "void ampere_SGEMM_128x64<float>"));
  EXPECT_TRUE(found("[A-Z]gemm_\\d+x\\d+", "void ampere_sgemm_128x64<float>"));
  EXPECT_TRUE(found("^nccl.*(sum|avg)", "ncclDevKernel_AllReduce_Sum_f32"));
  EXPECT_FALSE(found("^nccl.*(sum|avg)$", "ncclDevKernel_AllReduce_Sum_f32"));
  EXPECT_TRUE(found("", "anything"));
  EXPECT_TRUE(found("^$", ""));
  EXPECT_FALSE(found("a{3}", "aabaa"));
  EXPECT_TRUE(found("a{2}b?a{2}", "aabaa"));
  EXPECT_TRUE(found("\\bmm\\b", "aten::mm"));
  EXPECT_FALSE(found("\\bmm\\b", "aten::addmm"));
  EXPECT_TRUE(found("[^:]:[^:]", "nccl:all_reduce"));
  EXPECT_TRUE(found("\\.py\\(\\d+\\)", "model.py(12): forward"));
  EXPECT_TRUE(found("[]x]", "a]"));
}

TEST(TextPattern, agreesWithTheStandardLibraryOnRandomPatternsAndTexts) {
  std::mt19937 random(11);
  const std::string pieces[] = {"a",    "b",     "c",  ".",  "(a|b)",   "[ab]",
                                "[^a]", "(ab)*", "a+", "b?", "(a|bc)+", "c{1,2}"};
  for (int round = 0; round < 3000; ++round) {
    std::string pattern;
    for (std::size_t i = 0; i < 1 + random() % 5; ++i) pattern += pieces[random() % std::size(pieces)];
    if (random() % 4 == 0) pattern = "^" + pattern;
    if (random() % 4 == 0) pattern += "$";
    std::string text;
    for (std::size_t i = 0; i < random() % 9; ++i) text += static_cast<char>('a' + random() % 4);
    ASSERT_EQ(found(pattern, text), std::regex_search(text, std::regex(pattern)))
        << pattern << " in " << text;
  }
}

TEST(TextPattern, saysWhatIsWrongAndWhere) {
  const auto error = [](std::string_view pattern) {
    const auto parsed = TextPattern::parse(pattern);
    EXPECT_FALSE(parsed.ok()) << pattern;
    return parsed.ok() ? std::pair<std::uint64_t, std::string>()
                       : std::pair(parsed.error().byteOffset.value_or(999), parsed.error().message);
  };
  EXPECT_EQ(error("ab(c"),
            (std::pair<std::uint64_t, std::string>(2, "an opening bracket without a closing one")));
  EXPECT_EQ(error("ab)c").first, 2u);
  EXPECT_EQ(error("a|*").first, 2u);
  EXPECT_EQ(error("x[abc").first, 1u);
  EXPECT_EQ(error("abc\\").first, 3u);
  EXPECT_EQ(error("a{5,2}").first, 1u);
  EXPECT_EQ(error("a{9999}").first, 1u);
  EXPECT_EQ(error("[z-a]").first, 0u);
  error("(((a{1000}){1000}){1000}){1000}");
  error(std::string(100'000, '('));
}

TEST(TextPattern, whatMakesABacktrackerRunForYearsIsAnsweredAtOnce) {
  EXPECT_FALSE(found("(a*)*(a*)*b", std::string(20'000, 'a')));
  EXPECT_TRUE(found("(x+x+)+y", std::string(20'000, 'x') + "y"));
}

} // namespace
} // namespace rankscope
