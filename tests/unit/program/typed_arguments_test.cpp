// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/typed_arguments.h"

#include <array>
#include <gtest/gtest.h>
#include <string>

namespace rankscope {

TEST(TypedArguments, keepCredentialsOutOfEveryWord) {
  std::array<std::string, 4> typed{
      "rankscope-cli", "summary", "s3://bucket/job?access_key_id=me&secret_access_key=opensesame", "--steps"};
  std::array<char*, 4> words{};
  for (std::size_t i = 0; i < typed.size(); ++i) words[i] = typed[i].data();
  TypedArguments arguments(static_cast<int>(words.size()), words.data());
  ASSERT_EQ(arguments.count(), 4);
  EXPECT_STREQ(arguments.words()[1], "summary");
  EXPECT_EQ(std::string(arguments.words()[2]).find("opensesame"), std::string::npos);
  EXPECT_TRUE(std::string(arguments.words()[2]).starts_with("s3://bucket/job"));
  EXPECT_STREQ(arguments.words()[3], "--steps");
  EXPECT_EQ(arguments.words()[4], nullptr) << "as argv ends";
}

} // namespace rankscope
