// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/placement/name_tokens.h"

#include <algorithm>
#include <charconv>

namespace rankscope {

namespace {

NameTokens::Kind kindOf(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= '0' && byte <= '9') return NameTokens::Kind::Number;
  // Non-ASCII bytes are letters, so that a Chinese name is one word.
  if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte >= 0x80)
    return NameTokens::Kind::Word;
  return NameTokens::Kind::Mark;
}

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr std::string_view kSeparators = "-_. ";

} // namespace

NameTokens::NameTokens(std::string_view name) {
  std::size_t at = 0;
  while (at < name.size()) {
    const Kind kind = kindOf(name[at]);
    std::size_t end = at + 1;
    while (kind != Kind::Mark && end < name.size() && kindOf(name[end]) == kind) ++end;
    Token token{kind, name.substr(at, end - at), {}, false};
    token.lower.resize(token.text.size());
    std::ranges::transform(token.text, token.lower.begin(), lowered);
    m_tokens.push_back(std::move(token));
    at = end;
  }
}

bool NameTokens::isWord(std::size_t i, std::string_view lower) const {
  return i < size() && m_tokens[i].kind == Kind::Word && m_tokens[i].lower == lower;
}

bool NameTokens::isWordOf(std::size_t i, std::initializer_list<std::string_view> lower) const {
  return std::ranges::any_of(lower, [&](std::string_view word) { return isWord(i, word); });
}

bool NameTokens::isMark(std::size_t i, std::string_view anyOf) const {
  return i < size() && m_tokens[i].kind == Kind::Mark &&
         anyOf.find(m_tokens[i].text.front()) != std::string_view::npos;
}

bool NameTokens::isNumber(std::size_t i, std::size_t minDigits, std::size_t maxDigits) const {
  return i < size() && m_tokens[i].kind == Kind::Number && !m_tokens[i].taken &&
         m_tokens[i].text.size() >= minDigits && m_tokens[i].text.size() <= maxDigits;
}

std::int64_t NameTokens::number(std::size_t i) const {
  return wholeNumber(m_tokens[i].text).value_or(0);
}

std::size_t NameTokens::numberAfter(std::size_t i, std::size_t maxDigits) const {
  const std::size_t at = isMark(i + 1, "-_=.: [(") ? i + 2 : i + 1;
  return isNumber(at, 1, maxDigits) ? at : kNone;
}

void NameTokens::take(std::size_t first, std::size_t last) {
  if (last > first && isMark(last - 1, "[(") && isMark(last + 1, "])")) ++last;
  for (std::size_t i = first; i <= last && i < size(); ++i) m_tokens[i].taken = true;
}

std::string NameTokens::rest() const {
  std::string text;
  for (const Token& token : m_tokens) {
    if (token.taken) continue;
    const bool separator =
        token.kind == Kind::Mark && kSeparators.find(token.text.front()) != std::string_view::npos;
    const bool afterSeparator = text.empty() || kSeparators.find(text.back()) != std::string_view::npos;
    if (separator && afterSeparator) continue;
    text += token.text;
  }
  while (!text.empty() && kSeparators.find(text.back()) != std::string_view::npos) text.pop_back();
  return text;
}

std::optional<std::int64_t> wholeNumber(std::string_view digits) {
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [at, failed] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || digits.front() == '-' || failed != std::errc{} || at != end) return std::nullopt;
  return value;
}

} // namespace rankscope
