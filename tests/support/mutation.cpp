// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/mutation.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

namespace rankscope::test {

namespace {

using namespace std::string_view_literals;

// JSON tokens, invalid tokens, and out-of-range numbers.
constexpr auto kTokens = std::to_array<std::string_view>({
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ",",
    ":",
    "},{",
    "]}",
    "]}{\"traceEvents\":[",
    "\n",
    "\0"sv,
    "\x01"sv,
    "\x1f"sv,
    "\xff"sv,
    "\xc0\xaf"sv,
    "\xed\xa0\x80"sv,
    "\xef\xbb\xbf"sv,
    "\\ud800",
    "\\u12",
    "\\q",
    "NaN",
    "-Infinity",
    "null",
    "true",
    "-0",
    "-1",
    "1e308",
    "1e-999",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "4294967295",
    "0.0000000000000000000001",
    "\"ph\":\"X\"",
    "\"ph\":\"B\"",
    "\"ph\":\"E\"",
    "\"ph\":\"C\"",
    "\"dur\":-5",
    "\"ts\":0",
    "\"name\":\"",
    "\"args\":{",
    "\"traceEvents\": [",
    "\"distributedInfo\": {\"rank\": -3},",
    "[[[[[[[[[[[[[[[[",
    "\x1f\x8b\x08\x00"sv,
});

struct Stretch {
  std::size_t at = 0;
  std::size_t length = 0;
};

// A random range. In three of four cases at most 64 bytes long.
Stretch stretchOf(std::size_t size, Chance& chance) {
  const std::size_t limit = chance.below(4) == 0 ? size : std::min<std::size_t>(size, 64);
  const std::size_t length = chance.below(limit) + (size > 0 ? 1 : 0);
  return {chance.below(size - length + 1), length};
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

// Replaces a number near a random position by an extreme one.
void overwriteNumber(std::string& bytes, Chance& chance) {
  const std::size_t from = chance.below(bytes.size());
  const auto first = std::find_if(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end(), isDigit);
  const auto end = std::find_if_not(first, bytes.end(), isDigit);
  static constexpr auto kNumbers = std::to_array<std::string_view>(
      {"NaN", "Infinity", "-1", "0", "1e99", "99999999999999999999", "9223372036854775807", "\"7\"", "0x10",
       "2305843009213693952", "-2305843009213693952", "4294967296", "0.5", ""});
  bytes.replace(first, end, kNumbers[chance.below(kNumbers.size())]);
}

void swapStretches(std::string& bytes, Chance& chance) {
  const Stretch a = stretchOf(bytes.size(), chance);
  const std::string moved = bytes.substr(a.at, a.length);
  bytes.erase(a.at, a.length);
  bytes.insert(chance.below(bytes.size() + 1), moved);
}

} // namespace

std::uint64_t Chance::next() {
  std::uint64_t z = (m_state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::size_t Chance::below(std::size_t end) {
  return end == 0 ? 0 : static_cast<std::size_t>(next() % end);
}

void mutateOnce(std::string& bytes, Chance& chance, std::string* what) {
  static constexpr auto kKinds = std::to_array<std::string_view>(
      {"a bit flipped", "a byte set", "the end cut", "a stretch lost", "a stretch doubled", "a token put in",
       "a token written over", "a stretch moved", "a number replaced", "zeros in place of a stretch",
       "the front cut"});
  const std::size_t kind = bytes.empty() ? 5 : chance.below(kKinds.size());
  const Stretch part = stretchOf(bytes.size(), chance);
  const std::string_view token = kTokens[chance.below(kTokens.size())];
  if (what != nullptr) *what += fmt::format("{}{} near {}", what->empty() ? "" : ", ", kKinds[kind], part.at);
  switch (kind) {
  case 0:
    bytes[part.at] = static_cast<char>(static_cast<unsigned char>(bytes[part.at]) ^ (1U << chance.below(8)));
    break;
  case 1:
    bytes[part.at] = static_cast<char>(chance.below(256));
    break;
  case 2:
    bytes.resize(part.at);
    break;
  case 3:
    bytes.erase(part.at, part.length);
    break;
  case 4:
    bytes.insert(part.at, bytes.substr(part.at, part.length));
    break;
  case 5:
    bytes.insert(part.at, token);
    break;
  case 6:
    bytes.replace(part.at, std::min(token.size(), bytes.size() - part.at), token);
    break;
  case 7:
    swapStretches(bytes, chance);
    break;
  case 8:
    overwriteNumber(bytes, chance);
    break;
  case 9:
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(part.at), part.length, '\0');
    break;
  default:
    bytes.erase(0, part.at);
    break;
  }
}

std::string mutated(std::string_view bytes, Chance& chance, std::string* what) {
  std::string changed(bytes);
  const std::size_t changes = 1 + chance.below(6);
  for (std::size_t i = 0; i < changes; ++i) mutateOnce(changed, chance, what);
  return changed;
}

} // namespace rankscope::test
