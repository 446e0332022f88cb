// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/mangled_name.h"

#include <charconv>
#include <cstddef>

namespace rankscope {

namespace {

constexpr int kDeepest = 200; // a name of brackets must not exhaust the stack

// Names of functions as the grammar of the ABI has them, but for expressions. Each function reads what it is
// named after, and gives false where the text is something else.
class MangledReader {
 public:
  explicit MangledReader(std::string_view text) : m_left(text) {}

  [[nodiscard]] bool name() {
    const Depth depth(*this);
    if (depth.tooDeep()) return false;
    if (m_left.starts_with('N')) return nestedName();
    if (m_left.starts_with('Z')) return localName();
    if (m_left.starts_with('S')) {
      if (!substitution(true)) return false;
      if (!m_left.starts_with('I')) return unqualifiedName() && optionalArguments();
      return optionalArguments();
    }
    return unqualifiedName() && optionalArguments();
  }
  [[nodiscard]] std::string take() { return std::move(m_text); }

 private:
  class Depth {
   public:
    explicit Depth(MangledReader& reader) : m_reader(reader) { ++m_reader.m_depth; }
    ~Depth() { --m_reader.m_depth; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    [[nodiscard]] bool tooDeep() const { return m_reader.m_depth > kDeepest; }

   private:
    MangledReader& m_reader;
  };

  static bool isDigit(char c) { return c >= '0' && c <= '9'; }
  static bool isLower(char c) { return c >= 'a' && c <= 'z'; }

  [[nodiscard]] char next() const { return m_left.empty() ? '\0' : m_left.front(); }
  bool skip(std::string_view text) {
    if (!m_left.starts_with(text)) return false;
    m_left.remove_prefix(text.size());
    return true;
  }
  void skipDigits() {
    while (isDigit(next())) m_left.remove_prefix(1);
  }
  void add(std::string_view text) {
    if (m_muted == 0) m_text += text;
  }

  bool sourceName(bool shown) {
    std::size_t length = 0;
    const char* const begin = m_left.data();
    const auto [end, error] = std::from_chars(begin, begin + m_left.size(), length);
    if (error != std::errc()) return false;
    m_left.remove_prefix(static_cast<std::size_t>(end - begin));
    if (length == 0 || length > m_left.size()) return false;
    const std::string_view word = m_left.substr(0, length);
    m_left.remove_prefix(length);
    if (shown) add(word.starts_with("_GLOBAL__N") ? "(anonymous namespace)" : word);
    return true;
  }

  // "S_", "S1A_", "Sa"; of "St" only the prefix.
  bool substitution(bool asScope) {
    if (!skip("S")) return false;
    if (skip("t")) {
      add("std::");
      return true;
    }
    if (isLower(next())) {
      m_left.remove_prefix(1);
    } else {
      while (isDigit(next()) || (next() >= 'A' && next() <= 'Z')) m_left.remove_prefix(1);
      if (!skip("_")) return false;
    }
    if (asScope) add("_");
    return true;
  }

  // "T_", "T12_".
  bool templateParameter() {
    if (!skip("T")) return false;
    skipDigits();
    return skip("_");
  }

  bool unqualifiedName() {
    skip("L"); // of one translation unit
    if (isDigit(next())) {
      if (!sourceName(true)) return false;
    } else if (skip("Ul")) {
      if (!muted(&MangledReader::types) || !skip("E")) return false;
      skipDigits();
      if (!skip("_")) return false;
      add("{lambda}");
    } else if (skip("Ut")) {
      skipDigits();
      if (!skip("_")) return false;
      add("{unnamed}");
    } else if ((next() == 'C' || next() == 'D') && m_left.size() > 1 && isDigit(m_left[1])) {
      m_left.remove_prefix(2);
      add("{structor}");
    } else if (skip("cl")) {
      add("operator()"); // of a lambda; no kernel is another operator
    } else {
      return false;
    }
    while (skip("B"))
      if (!sourceName(false)) return false;
    return true;
  }

  bool nestedName() {
    if (!skip("N")) return false;
    while (skip("r") || skip("V") || skip("K")) {
    }
    if (!skip("R")) skip("O");
    bool first = true;
    while (!skip("E")) {
      if (next() == 'I') {
        if (first || !arguments()) return false;
        continue;
      }
      if (!first && !m_text.ends_with("std::")) add("::");
      first = false;
      const bool known = next() == 'S';
      if (known ? !substitution(true) : next() == 'T' ? !templateParameter() : !unqualifiedName())
        return false;
    }
    return !first;
  }

  // Of a lambda or type within a function.
  bool localName() {
    if (!skip("Z") || !name() || !muted(&MangledReader::types) || !skip("E")) return false;
    if (skip("s")) return true;
    if (skip("d")) {
      skipDigits();
      if (!skip("_")) return false;
    }
    add("::");
    if (!name()) return false;
    if (skip("__")) {
      skipDigits();
      return skip("_");
    }
    if (skip("_")) skipDigits();
    return true;
  }

  bool optionalArguments() { return next() != 'I' || arguments(); }

  bool arguments() {
    const Depth depth(*this);
    if (depth.tooDeep() || !skip("I")) return false;
    add("<");
    if (!argumentsToEnd()) return false;
    add(">");
    return true;
  }

  bool argumentsToEnd() {
    for (bool first = true; !skip("E"); first = false) {
      if (!first) add(", ");
      if (!argument()) return false;
    }
    return true;
  }

  bool argument() {
    if (skip("J")) {
      const Depth depth(*this);
      return !depth.tooDeep() && argumentsToEnd();
    }
    if (next() == 'L') return muted(&MangledReader::value);
    if (skip("Xad")) return muted(&MangledReader::value) && skip("E"); // the address of a function
    return type();
  }

  // "Li256E", "LNS_4KindE1E", "L_Z3fooivE".
  bool value() {
    if (!skip("L")) return false;
    if (skip("_Z")) return name() && types() && skip("E");
    if (!type()) return false;
    const std::size_t end = m_left.find('E');
    if (end == std::string_view::npos) return false;
    m_left.remove_prefix(end + 1);
    return true;
  }

  // Until something that is no type.
  bool types() {
    while (!m_left.empty() && next() != 'E' && next() != '.') {
      if (!type()) return false;
    }
    return true;
  }

  bool type() {
    const Depth depth(*this);
    if (depth.tooDeep()) return false;
    while (isQualifier(next())) m_left.remove_prefix(1);
    const char first = next();
    if (first == 'N' || first == 'Z' || isDigit(first)) return name();
    if (first == 'S') {
      const bool isStd = m_left.starts_with("St");
      return substitution(false) && (!isStd || unqualifiedName()) && optionalArguments();
    }
    if (first == 'T') return templateParameter() && optionalArguments();
    if (first == 'D') return extendedType();
    if (skip("A")) {
      skipDigits();
      return skip("_") && type();
    }
    if (skip("F")) {
      skip("Y");
      if (!muted(&MangledReader::types)) return false;
      return skip("E");
    }
    if (skip("M")) return type() && type();
    if (skip("u")) return sourceName(false) && optionalArguments();
    if (skip("U")) return sourceName(false) && optionalArguments() && type();
    if (!isLower(first)) return false;
    m_left.remove_prefix(1);
    return true;
  }

  static bool isQualifier(char c) {
    return c == 'r' || c == 'V' || c == 'K' || c == 'P' || c == 'R' || c == 'O' || c == 'C' || c == 'G';
  }

  // Packs, half and other floating-point types, vectors.
  bool extendedType() {
    if (!skip("D")) return false;
    if (skip("p")) return type();
    if (skip("F")) {
      skipDigits();
      if (!isLower(next()) && next() != '_') return false;
      m_left.remove_prefix(1);
      return true;
    }
    if (skip("v")) {
      skipDigits();
      return skip("_") && type();
    }
    if (!isLower(next()) || next() == 't') return false; // decltype has an expression
    m_left.remove_prefix(1);
    return true;
  }

  // What has no place in the name.
  bool muted(bool (MangledReader::*part)()) {
    ++m_muted;
    const bool ok = (this->*part)();
    --m_muted;
    return ok;
  }

  std::string_view m_left;
  std::string m_text;
  int m_depth = 0;
  int m_muted = 0;
};

} // namespace

std::string functionOfMangled(std::string_view mangled) {
  if (!mangled.starts_with("_Z")) return {};
  MangledReader reader(mangled.substr(2));
  return reader.name() ? reader.take() : std::string();
}

} // namespace rankscope
