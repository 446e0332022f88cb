// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/json/json_walk.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace rankscope {
namespace {

// The text with the room behind it that the first stage reads.
class Text {
 public:
  explicit Text(std::string text) : m_length(text.size()), m_bytes(std::move(text)) {
    m_bytes.resize(m_length + JsonStructure::kPadding, '"'); // what follows must not matter
  }
  [[nodiscard]] bool index(JsonStructure& structure) const {
    return structure.index(m_bytes.data(), m_length);
  }

 private:
  std::size_t m_length;
  std::string m_bytes;
};

using Members = std::vector<std::pair<std::string, std::string>>;

// The members of an object as written; nothing when the walk gives up or does not end at the text's end.
std::optional<Members> membersOf(const std::string& text) {
  const Text padded(text);
  JsonStructure structure;
  if (!padded.index(structure)) return std::nullopt;
  JsonCursor cursor = structure.cursor();
  Members members;
  const bool whole = cursor.eachMember([&](const char* key, JsonCursor& value) {
    const std::string_view written = value.value();
    members.emplace_back(std::string(key, std::string_view(key).find('"')), std::string(written));
    return !written.empty();
  });
  if (!whole || !cursor.atEnd()) return std::nullopt;
  return members;
}

TEST(JsonWalk, givesEveryMemberAsItWasWritten) {
  const auto members =
      membersOf(R"( {"a" : 12.50 , "b":"x\"y,}" ,"c": [1, {"d": []}] , "e":{"f" :null} ,"g":true } )");
  EXPECT_EQ(members, (Members{{"a", "12.50"},
                              {"b", R"("x\"y,}")"},
                              {"c", R"([1, {"d": []}])"},
                              {"e", R"({"f" :null})"},
                              {"g", "true"}}));
  EXPECT_EQ(membersOf("{}"), Members{});
}

TEST(JsonWalk, givesUpWhereBracketsCommasOrColonsAreOutOfOrder) {
  for (const char* text : {"{",
                           "{\"a\"",
                           "{\"a\":",
                           "{\"a\":1",
                           "{\"a\":1,",
                           "{\"a\":1,}",
                           "{,}",
                           "{\"a\" 1}",
                           "{\"a\":}",
                           "{1:2}",
                           "{\"a\":1 \"b\":2}",
                           "{\"a\":1]",
                           "{\"a\":[1,2}",
                           "{\"a\":[1,2",
                           "[]",
                           "7",
                           "{\"a\"::1}",
                           "{\"a\":,\"b\":1}",
                           "{\"a\":1}}",
                           "{\"a\":1} {"}) {
    EXPECT_EQ(membersOf(text), std::nullopt) << text;
  }
}

TEST(JsonWalk, refusesTextThatIsNoTextOrHasOpenStrings) {
  JsonStructure structure;
  EXPECT_FALSE(Text("{\"a\": \"b}").index(structure));
  EXPECT_FALSE(Text("{\"a\": \"\xff\"}").index(structure));
  EXPECT_FALSE(Text("{\"a\": \"line\nbreak\"}").index(structure));
  EXPECT_FALSE(Text("").index(structure));
  EXPECT_TRUE(Text("{\"a\": \"b\"}").index(structure)) << "usable again after a failure";
}

TEST(JsonWalk, walksListsAndSkipsWhatNobodyAsksFor) {
  const Text text(R"([{"skipped": [[1], {"x": "]"}]}, 2, "three", []])");
  JsonStructure structure;
  ASSERT_TRUE(text.index(structure));
  JsonCursor cursor = structure.cursor();
  std::vector<char> firsts;
  EXPECT_TRUE(cursor.eachItem([&](JsonCursor& item) {
    firsts.push_back(item.here());
    return item.skip();
  }));
  EXPECT_TRUE(cursor.atEnd());
  EXPECT_EQ(firsts, (std::vector<char>{'{', '2', '"', '['}));
}

TEST(JsonWalk, growsWithItsTexts) {
  JsonStructure structure;
  for (const int items : {1, 100, 20'000, 10}) {
    std::string list = "[0";
    for (int i = 1; i < items; ++i) list += ',' + std::to_string(i);
    const Text text(list + "]");
    ASSERT_TRUE(text.index(structure));
    JsonCursor cursor = structure.cursor();
    int count = 0;
    EXPECT_TRUE(cursor.eachItem([&](JsonCursor& item) { return item.value() == std::to_string(count++); }));
    EXPECT_EQ(count, items);
  }
}

} // namespace
} // namespace rankscope
