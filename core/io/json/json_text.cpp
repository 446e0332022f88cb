// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/json/json_text.h"

#include "core/base/utf8.h"
#include "core/io/json/json_scan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace rankscope {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Value of the four hex digits at `at`; empty if invalid.
std::optional<std::uint32_t> hexUnit(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  std::uint32_t unit = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    const int digit = hexDigit(text[i]);
    if (digit < 0) return std::nullopt;
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  return unit;
}

void appendUtf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// Resolves the \u escape whose first hex digit is at `at`. Returns the number of characters consumed; 0 if
// invalid.
std::size_t appendUnicodeEscape(std::string& out, std::string_view text, std::size_t at) {
  const auto unit = hexUnit(text, at);
  if (!unit) return 0;
  if (*unit >= 0xd800 && *unit < 0xdc00 && text.substr(std::min(at + 4, text.size())).starts_with("\\u")) {
    const auto low = hexUnit(text, at + 6);
    if (low && *low >= 0xdc00 && *low < 0xe000) {
      appendUtf8(out, 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00));
      return 10;
    }
  }
  if (*unit >= 0xd800 && *unit < 0xe000) {
    out += kReplacement;
  } else {
    appendUtf8(out, *unit);
  }
  return 4;
}

template <class Integer> std::optional<Integer> integerFromToken(std::string_view token) {
  // Nearly all tokens are plain digits; numbers with this many digits always fit.
  constexpr std::size_t kFits = 18;
  if (!token.empty() && token.size() <= kFits) {
    Integer value = 0;
    std::size_t at = 0;
    for (; at < token.size() && token[at] >= '0' && token[at] <= '9'; ++at)
      value = value * 10 + static_cast<Integer>(token[at] - '0');
    if (at == token.size()) return value;
  }
  token = insideQuotes(trimmedToken(token));
  Integer value{};
  const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
  if (read.ec != std::errc() || read.ptr != token.data() + token.size()) return std::nullopt;
  return value;
}

std::string withoutBadBytes(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto [length, valid] = utf8PieceAt(text, at);
    if (!valid) {
      out += kReplacement;
      ++at;
      continue;
    }
    if (length == 1 && static_cast<unsigned char>(text[at]) < 0x20) {
      out += ' ';
    } else {
      out += text.substr(at, length);
    }
    at += length;
  }
  return out;
}

std::string withoutLoneBackslashes(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    out += text[at];
    if (text[at] != '\\') continue;
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    const bool escape = std::string_view("\"\\/bfnrt").find(next) != std::string_view::npos && next != '\0';
    if (escape || (next == 'u' && hexUnit(text, at + 2))) {
      out += text[++at];
    } else {
      out += '\\';
    }
  }
  return out;
}

// The real end of the string value that begins at `at`: the first quote followed by another known key or the
// end.
std::size_t trueStringEnd(std::string_view text, std::size_t at) {
  static constexpr std::array<std::string_view, 12> kKeys{"ph",  "cat",  "name", "pid", "tid", "ts",
                                                          "dur", "args", "id",   "bp",  "s",   "tts"};
  for (std::size_t quote = text.find('"', at); quote != std::string_view::npos;
       quote = text.find('"', quote + 1)) {
    const char* end = text.data() + text.size();
    const char* after = skipJsonSpace(text.data() + quote + 1, end);
    if (after < end && *after == '}') return quote;
    if (after == end || *after != ',') continue;
    const char* key = skipJsonSpace(after + 1, end);
    const auto rest = std::string_view(key, static_cast<std::size_t>(end - key));
    for (const std::string_view known : kKeys) {
      if (rest.size() > known.size() + 2 && rest.front() == '"' && rest.substr(1, known.size()) == known &&
          rest[known.size() + 1] == '"') {
        return quote;
      }
    }
  }
  return std::string_view::npos;
}

std::string withQuotesEscapedInName(std::string_view text) {
  constexpr std::string_view kKey = "\"name\"";
  const std::size_t key = text.find(kKey);
  const std::size_t open = key == std::string_view::npos ? key : text.find('"', key + kKey.size());
  if (open == std::string_view::npos) return std::string(text);
  const std::size_t close = trueStringEnd(text, open + 1);
  if (close == std::string_view::npos) return std::string(text);
  std::string out(text.substr(0, open + 1));
  for (std::size_t at = open + 1; at < close; ++at) {
    if (text[at] == '\\') {
      out += '\\';
      if (at + 1 < close) ++at; // otherwise it would escape the closing quote
    } else if (text[at] == '"') {
      out += '\\';
    }
    out += text[at];
  }
  out += text.substr(close);
  return out;
}

// Removes commas before a closing brace or bracket, and closes objects that the event's last brace left open.
// Ignores strings.
std::string withBracesRepaired(std::string_view text) {
  std::string out;
  std::string open;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    if (*at == '"') {
      const char* after = skipJsonString(at, end);
      if (after == nullptr) {
        out.append(at, end);
        break;
      }
      out.append(at, after);
      at = after;
      continue;
    }
    const char c = *at++;
    if (c == '{' || c == '[') open += c == '{' ? '}' : ']';
    if ((c == '}' || c == ']') && !open.empty()) open.pop_back();
    if (c == ',') {
      const char* next = skipJsonSpace(at, end);
      if (next == end || *next == '}' || *next == ']') continue;
    }
    out += c;
  }
  // Truncated text may end inside a number; closing it would invent a value.
  if (trimmedToken(out).ends_with('}')) out.append(open.rbegin(), open.rend());
  return out;
}

} // namespace

std::string_view trimmedToken(std::string_view token) {
  while (!token.empty() && isJsonSpace(token.back())) token.remove_suffix(1);
  while (!token.empty() && isJsonSpace(token.front())) token.remove_prefix(1);
  return token;
}

std::string_view insideQuotes(std::string_view token) {
  return isQuoted(token) ? token.substr(1, token.size() - 2) : token;
}

std::string unescaped(std::string_view inside, bool* odd) {
  std::string out;
  out.reserve(inside.size());
  for (std::size_t at = 0; at < inside.size(); ++at) {
    if (inside[at] != '\\' || at + 1 == inside.size()) {
      out += inside[at];
      continue;
    }
    const char next = inside[++at];
    switch (next) {
    case '"':
    case '\\':
    case '/':
      out += next;
      break;
    case 'b':
      out += '\b';
      break;
    case 'f':
      out += '\f';
      break;
    case 'n':
      out += '\n';
      break;
    case 'r':
      out += '\r';
      break;
    case 't':
      out += '\t';
      break;
    case 'u':
      if (const std::size_t taken = appendUnicodeEscape(out, inside, at + 1); taken > 0) {
        at += taken;
        break;
      }
      [[fallthrough]];
    default:
      if (odd != nullptr) *odd = true;
      out += '\\';
      out += next;
    }
  }
  return out;
}

std::optional<std::int64_t> signedFromToken(std::string_view token) {
  return integerFromToken<std::int64_t>(token);
}
std::optional<std::uint64_t> unsignedFromToken(std::string_view token) {
  return integerFromToken<std::uint64_t>(token);
}

std::optional<double> doubleFromToken(std::string_view token) {
  token = insideQuotes(trimmedToken(token));
  double value = 0;
  const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
  if (read.ec != std::errc() || read.ptr != token.data() + token.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::string repairedEvent(std::string_view text, Repair mending) {
  const std::string bytes = withoutLoneBackslashes(withoutBadBytes(text));
  return withBracesRepaired(mending == Repair::NameQuotes ? withQuotesEscapedInName(bytes) : bytes);
}

} // namespace rankscope
