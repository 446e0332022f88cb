// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/result.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace rankscope {

namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error{ErrorKind::Format, "an odd number", "numbers.txt", 7};
  return number / 2;
}

} // namespace

TEST(ErrorText, namesFilePlaceAndReasonAsFarAsTheyAreKnown) {
  EXPECT_EQ((Error{ErrorKind::Io, "cannot read", "a.json", 0}).text(), "a.json: byte 0: cannot read");
  EXPECT_EQ((Error{ErrorKind::Io, "cannot read", "a.json", std::nullopt}).text(), "a.json: cannot read");
  EXPECT_EQ((Error{ErrorKind::Io, "cannot read", "", 12}).text(), "byte 12: cannot read");
  EXPECT_EQ((Error{ErrorKind::Io, "cannot read", "", std::nullopt}).text(), "cannot read");
}

TEST(Result, isTheValueOrTheError) {
  const Result<int> good = half(8);
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(good.value(), 4);
  EXPECT_EQ(*good, 4);
  const Result<int> bad = half(3);
  ASSERT_FALSE(bad.ok());
  EXPECT_FALSE(static_cast<bool>(bad));
  EXPECT_EQ(bad.error().kind, ErrorKind::Format);
  EXPECT_EQ(bad.error().text(), "numbers.txt: byte 7: an odd number");
}

TEST(Result, ofAnErrorIsNoValueThatHappensToBeAnError) {
  const Result<std::string> text(std::string("fine"));
  EXPECT_TRUE(text.ok());
  EXPECT_EQ(text->size(), 4U);
}

TEST(Result, givesAwayWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  **result += 1;
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 6);
}

} // namespace rankscope
