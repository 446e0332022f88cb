// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/json/json_text.h"

#include "core/io/json/json_scan.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(JsonText, readsIntegersOfEveryWidthQuotedOrNot) {
  EXPECT_EQ(unsignedFromToken("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(signedFromToken("-9223372036854775808 "), INT64_MIN);
  EXPECT_EQ(signedFromToken("\"25738\""), 25738);
  EXPECT_EQ(signedFromToken("1.5"), std::nullopt);
  EXPECT_EQ(signedFromToken("18446744073709551616"), std::nullopt);
  EXPECT_EQ(unsignedFromToken("-1"), std::nullopt);
  EXPECT_EQ(doubleFromToken("inf"), std::nullopt);
  EXPECT_EQ(doubleFromToken("31.25"), 31.25);
}

TEST(JsonText, resolvesEscapes) {
  EXPECT_EQ(unescaped(R"(a\"b\\c\/\n\u00e9\ud83d\ude00)"), "a\"b\\c/\n\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(unescaped(R"(\ud83d alone)"), "\xef\xbf\xbd alone");
  EXPECT_EQ(unescaped(R"(C:\path\q)"), "C:\\path\\q");
  EXPECT_EQ(unescaped(R"(\u12)"), "\\u12");
}

TEST(JsonText, mendsWhatBreaksEvents) {
  const auto bytes = [](std::string_view text) { return repairedEvent(text, Repair::Bytes); };
  EXPECT_EQ(bytes("{\"name\": \"a\xff\"}"), "{\"name\": \"a\xef\xbf\xbd\"}");
  EXPECT_EQ(bytes("{\"name\": \"a\nb\"}"), "{\"name\": \"a b\"}");
  EXPECT_EQ(bytes(R"({"name": "C:\x"})"), R"({"name": "C:\\x"})");
  EXPECT_EQ(bytes(R"({"a": [1, 2,], "b": 3,})"), R"({"a": [1, 2], "b": 3})");
  EXPECT_EQ(bytes(R"({"args": {"a": 1})"), R"({"args": {"a": 1}})");
  EXPECT_EQ(repairedEvent(R"({"name": "say "hi", ok", "pid": 1})", Repair::NameQuotes),
            R"({"name": "say \"hi\", ok", "pid": 1})");
}

TEST(JsonText, doesNotCloseTextThatMayEndInsideANumber) {
  EXPECT_EQ(repairedEvent(R"({"ts": 12, "dur": 34)", Repair::Bytes), R"({"ts": 12, "dur": 34)");
}

TEST(JsonScan, findsTheEndOfValues) {
  const auto end = [](std::string_view text) {
    return skipJsonValue(text.data(), text.data() + text.size()) - text.data();
  };
  EXPECT_EQ(end(R"({"a": "}\"]", "b": [1, {}]}, 5)"), 27);
  EXPECT_EQ(end(R"("a\\", 1)"), 5);
  EXPECT_EQ(end("12, 3"), 2);
  EXPECT_EQ(end(R"({"a": [1, 2)"), 12) << "one beyond the text when it stops first";
  EXPECT_EQ(end(R"("never closed\")"), 16);
}

TEST(JsonScan, findsBoundariesBetweenEventsOnly) {
  const std::string text = R"({"ph":"X","args":{"l":[{"k":1},{"k":2}],"s":"},{\"ph\""}} , {"ph":"i"})";
  const char* begin = text.data();
  const char* end = begin + text.size();
  const char* comma = EventBoundary().find(begin, begin, end);
  ASSERT_NE(comma, end);
  EXPECT_EQ(std::string_view(comma, 10), R"(, {"ph":"i)");
  EXPECT_EQ(EventBoundary().find(begin, comma + 3, end), end);
  EXPECT_NE(EventBoundary("k").find(begin, begin, end), comma) << "an unusual first key counts as well";
}

} // namespace
} // namespace rankscope
