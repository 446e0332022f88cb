// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/sql_text_functions.h"

#include "core/sql/virtual_table.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

namespace rankscope {

namespace {

// The character at the begin of a text, and how many bytes it has. A byte that begins none is one.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};

Character firstOf(std::string_view text) {
  if (text.empty()) return {};
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : 1;
  if (bytes == 1 || text.size() < bytes) return {lead, 1};
  char32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80U) return {lead, 1};
    code = (code << 6U) | (next & 0x3FU);
  }
  return {code, bytes};
}

char32_t lower(char32_t code) {
  return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
}

// One element of a pattern that stands for one character, or for any text.
struct Element {
  enum class Kind : std::uint8_t { Exact, AnyCharacter, AnyText, Set, Never };
  Kind kind = Kind::Never;
  char32_t code = 0;
  std::string_view set; // between the brackets
  std::size_t bytes = 0;
};

Element likeElement(std::string_view pattern, char32_t escape) {
  const Character first = firstOf(pattern);
  if (escape != 0 && first.code == escape) {
    const Character next = firstOf(pattern.substr(first.bytes));
    if (next.bytes == 0) return {Element::Kind::Never, 0, {}, first.bytes};
    return {Element::Kind::Exact, lower(next.code), {}, first.bytes + next.bytes};
  }
  if (first.code == '%') return {Element::Kind::AnyText, 0, {}, first.bytes};
  if (first.code == '_') return {Element::Kind::AnyCharacter, 0, {}, first.bytes};
  return {Element::Kind::Exact, lower(first.code), {}, first.bytes};
}

Element globElement(std::string_view pattern) {
  const Character first = firstOf(pattern);
  if (first.code == '*') return {Element::Kind::AnyText, 0, {}, first.bytes};
  if (first.code == '?') return {Element::Kind::AnyCharacter, 0, {}, first.bytes};
  if (first.code != '[') return {Element::Kind::Exact, first.code, {}, first.bytes};
  std::size_t end = 1;
  if (end < pattern.size() && pattern[end] == '^') ++end;
  if (end < pattern.size() && pattern[end] == ']') ++end; // the first one belongs to the set
  end = pattern.find(']', end);
  if (end == std::string_view::npos) return {Element::Kind::Never, 0, {}, pattern.size()};
  return {Element::Kind::Set, 0, pattern.substr(1, end - 1), end + 1};
}

bool isInSet(std::string_view set, char32_t code) {
  const bool inverted = set.starts_with('^');
  if (inverted) set.remove_prefix(1);
  bool found = false;
  while (!set.empty()) {
    const Character from = firstOf(set);
    set.remove_prefix(from.bytes);
    Character to = from;
    if (set.size() > 1 && set[0] == '-') {
      to = firstOf(set.substr(1));
      set.remove_prefix(1 + to.bytes);
    }
    found = found || (from.code <= code && code <= to.code);
  }
  return found != inverted;
}

bool accepts(const Element& element, char32_t code) {
  switch (element.kind) {
  case Element::Kind::Exact:
    return element.code == code;
  case Element::Kind::AnyCharacter:
    return true;
  case Element::Kind::Set:
    return isInSet(element.set, code);
  default:
    return false;
  }
}

// Only the last "any text" is ever extended: an earlier one need not be longer than it is.
template <class ElementOf, class Fold>
bool matchesPattern(std::string_view text, std::string_view pattern, TextWork& work, ElementOf&& elementOf,
                    Fold&& fold) {
  std::string_view rest = pattern;
  std::optional<std::string_view> afterAny; // of the pattern
  std::string_view anyFrom;                 // where it was last tried
  while (work.add(1)) {
    if (!rest.empty()) {
      const Element element = elementOf(rest);
      if (element.kind == Element::Kind::Set && !work.add(element.set.size())) return false;
      if (element.kind == Element::Kind::AnyText) {
        rest.remove_prefix(element.bytes);
        if (rest.empty()) return true;
        afterAny = rest;
        anyFrom = text;
        continue;
      }
      const Character next = firstOf(text);
      if (next.bytes > 0 && accepts(element, fold(next.code))) {
        rest.remove_prefix(element.bytes);
        text.remove_prefix(next.bytes);
        continue;
      }
    } else if (text.empty()) {
      return true;
    }
    if (!afterAny || anyFrom.empty()) return false;
    anyFrom.remove_prefix(firstOf(anyFrom).bytes);
    text = anyFrom;
    rest = *afterAny;
  }
  return false;
}

const SqliteConnection* connectionOf(sqlite3_context* context) {
  return static_cast<const SqliteConnection*>(sqlite3_user_data(context));
}

template <class Act>
void guarded(sqlite3_context* context, int count, sqlite3_value** values, Act&& act) noexcept {
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return sqlite3_result_null(context);
  }
  try {
    TextWork work(connectionOf(context));
    act(work);
    if (work.stopped()) sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

constexpr std::size_t kMaxPattern = 1000;

void likeOf(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, count, values, [&](TextWork& work) {
    const std::string_view pattern = textValue(values[0]);
    if (pattern.size() > kMaxPattern) throw SqlTableError("LIKE: the pattern is longer than 1,000 bytes");
    char32_t escape = 0;
    if (count == 3) {
      const Character character = firstOf(textValue(values[2]));
      if (character.bytes == 0 || character.bytes != textValue(values[2]).size())
        throw SqlTableError("ESCAPE: is not one character");
      escape = character.code;
    }
    sqlite3_result_int(context, isLike(textValue(values[1]), pattern, escape, work) ? 1 : 0);
  });
}

void globOf(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, count, values, [&](TextWork& work) {
    if (textValue(values[0]).size() > kMaxPattern)
      throw SqlTableError("GLOB: the pattern is longer than 1,000 bytes");
    sqlite3_result_int(context, isGlob(textValue(values[1]), textValue(values[0]), work) ? 1 : 0);
  });
}

// Position of `part` from `from` on; npos if there is none, or if it is to stop.
std::size_t findText(std::string_view text, std::string_view part, std::size_t from, TextWork& work) {
  for (std::size_t at = from; at + part.size() <= text.size(); ++at) {
    if (!work.add(1)) break;
    if (text[at] != part[0]) continue;
    if (!work.add(part.size() / 8)) break;
    if (text.compare(at, part.size(), part) == 0) return at;
  }
  return std::string_view::npos;
}

void instrOf(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, count, values, [&](TextWork& work) {
    const std::string_view text = textValue(values[0]);
    const std::string_view part = textValue(values[1]);
    const std::size_t at = part.empty() ? 0 : findText(text, part, 0, work);
    if (at == std::string_view::npos) return sqlite3_result_int(context, 0);
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    sqlite3_result_int64(context, std::ranges::count_if(text.substr(0, at), begins) + 1);
  });
}

void replaceOf(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, count, values, [&](TextWork& work) {
    const std::string_view text = textValue(values[0]);
    const std::string_view part = textValue(values[1]);
    const std::string_view by = textValue(values[2]);
    const auto limit =
        static_cast<std::size_t>(sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
    std::string result;
    std::size_t at = 0;
    while (!part.empty()) {
      const std::size_t next = findText(text, part, at, work);
      if (next == std::string_view::npos) break;
      result += text.substr(at, next - at);
      result += by;
      if (result.size() > limit) return sqlite3_result_error_toobig(context);
      at = next + part.size();
    }
    result += text.substr(at);
    sqlite3_result_text64(context, result.data(), result.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  });
}

constexpr int kLeft = 1;
constexpr int kRight = 2;

template <int Sides> void trimOf(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, count, values, [&](TextWork&) {
    std::set<std::string_view> dropped;
    std::string_view characters = count > 1 ? textValue(values[1]) : " ";
    while (!characters.empty()) {
      const std::size_t bytes = firstOf(characters).bytes;
      dropped.insert(characters.substr(0, bytes));
      characters.remove_prefix(bytes);
    }
    std::string_view text = textValue(values[0]);
    while ((Sides & kLeft) != 0 && !text.empty() && dropped.contains(text.substr(0, firstOf(text).bytes)))
      text.remove_prefix(firstOf(text).bytes);
    while ((Sides & kRight) != 0 && !text.empty()) {
      std::size_t bytes = 1;
      while (bytes < 4 && bytes < text.size() &&
             (static_cast<unsigned char>(text[text.size() - bytes]) & 0xC0U) == 0x80U)
        ++bytes;
      if (!dropped.contains(text.substr(text.size() - bytes))) break;
      text.remove_suffix(bytes);
    }
    sqlite3_result_text64(context, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_TRANSIENT,
                          SQLITE_UTF8);
  });
}

} // namespace

bool isLike(std::string_view text, std::string_view pattern, char32_t escape, TextWork& work) {
  return matchesPattern(
      text, pattern, work, [&](std::string_view rest) { return likeElement(rest, escape); }, lower);
}

bool isGlob(std::string_view text, std::string_view pattern, TextWork& work) {
  return matchesPattern(text, pattern, work, globElement, [](char32_t code) { return code; });
}

int addTextFunctions(const SqliteConnection& connection) {
  int code = SQLITE_OK;
  const auto add = [&](const char* name, int arguments,
                       void (*function)(sqlite3_context*, int, sqlite3_value**)) {
    if (code == SQLITE_OK)
      code = sqlite3_create_function_v2(
          connection.handle(), name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
          const_cast<SqliteConnection*>(&connection), function, nullptr, nullptr, nullptr);
  };
  add("like", 2, likeOf);
  add("like", 3, likeOf);
  add("glob", 2, globOf);
  add("instr", 2, instrOf);
  add("replace", 3, replaceOf);
  add("trim", 1, trimOf<kLeft | kRight>);
  add("trim", 2, trimOf<kLeft | kRight>);
  add("ltrim", 1, trimOf<kLeft>);
  add("ltrim", 2, trimOf<kLeft>);
  add("rtrim", 1, trimOf<kRight>);
  add("rtrim", 2, trimOf<kRight>);
  return code;
}

} // namespace rankscope
