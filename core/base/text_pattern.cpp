// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text_pattern.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace rankscope {
namespace {

constexpr std::size_t kMaxProgramSize = 20'000;
constexpr int kMaxRepeats = 1000;
constexpr int kMaxDepth = 100; // nesting depth of brackets

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool isWordByte(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

using ByteSet = std::bitset<256>;

ByteSet both(unsigned char first, unsigned char last) {
  ByteSet set;
  for (unsigned c = first; c <= last; ++c) {
    set.set(c);
    if (c >= 'a' && c <= 'z') set.set(c - 'a' + 'A');
    if (c >= 'A' && c <= 'Z') set.set(c - 'A' + 'a');
  }
  return set;
}

// \d, \w and \s; upper case letters are their complements.
std::optional<ByteSet> namedSet(char letter) {
  ByteSet set;
  switch (lower(letter)) {
  case 'd':
    set = both('0', '9');
    break;
  case 'w':
    set = both('0', '9') | both('a', 'z');
    set.set('_');
    break;
  case 's':
    for (const char c : {' ', '\t', '\n', '\r', '\f', '\v'}) set.set(static_cast<unsigned char>(c));
    break;
  default:
    return std::nullopt;
  }
  return letter == lower(letter) ? set : ~set;
}

} // namespace

// Recursive descent parser. Each parsed part is a piece of program with relative jumps, so that pieces can be
// concatenated and repeated by copying.
class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : m_text(text) {}

  Result<TextPattern> parse() {
    Piece all = alternatives(0);
    if (!m_error && m_at < m_text.size()) fail(m_at, "a closing bracket without an opening one");
    if (m_error) return *std::move(m_error);
    TextPattern pattern;
    pattern.m_program = std::move(all);
    pattern.m_sets = std::move(m_sets);
    return pattern;
  }

 private:
  using Step = TextPattern::Step;
  using Instruction = TextPattern::Instruction;
  using Piece = std::vector<Instruction>;

  [[nodiscard]] bool more() const { return !m_error && m_at < m_text.size(); }
  [[nodiscard]] char here() const { return m_text[m_at]; }
  [[nodiscard]] bool take(char c) {
    if (!more() || here() != c) return false;
    ++m_at;
    return true;
  }

  void fail(std::size_t at, std::string what) {
    if (!m_error) m_error = Error{ErrorKind::Format, std::move(what), {}, at};
  }

  static std::int32_t sizeOf(const Piece& piece) { return static_cast<std::int32_t>(piece.size()); }

  void append(Piece& to, const Piece& piece) {
    if (to.size() + piece.size() > kMaxProgramSize) return fail(m_at, "the pattern is too large");
    to.insert(to.end(), piece.begin(), piece.end());
  }

  Piece alternatives(int depth) {
    if (depth > kMaxDepth) fail(m_at, "too many brackets within brackets");
    Piece left = sequence(depth);
    while (take('|')) {
      const Piece right = sequence(depth);
      Piece either{{Step::Split, 1, sizeOf(left) + 2, 0}};
      append(either, left);
      append(either, {{Step::Jump, sizeOf(right) + 1, 0, 0}});
      append(either, right);
      left = std::move(either);
    }
    return left;
  }

  Piece sequence(int depth) {
    Piece whole;
    while (more() && here() != '|' && here() != ')') append(whole, repeated(depth));
    return whole;
  }

  Piece repeated(int depth) {
    const std::size_t from = m_at;
    Piece piece = atom(depth);
    while (more()) {
      const std::size_t at = m_at;
      if (take('*'))
        piece = times(piece, 0, -1);
      else if (take('+'))
        piece = times(piece, 1, -1);
      else if (take('?'))
        piece = times(piece, 0, 1);
      else if (here() == '{' && m_at + 1 < m_text.size() && m_text[m_at + 1] >= '0' &&
               m_text[m_at + 1] <= '9')
        piece = counted(piece, at);
      else
        break;
    }
    if (m_at == from) fail(from, "an empty pattern");
    return piece;
  }

  Piece counted(const Piece& piece, std::size_t at) {
    ++m_at;
    const int minCount = number();
    int maxCount = minCount;
    if (take(',')) maxCount = more() && here() != '}' ? number() : -1;
    if (!take('}')) {
      fail(at, "{ without }");
    } else if (minCount > kMaxRepeats || maxCount > kMaxRepeats) {
      fail(at, "more than 1000 repetitions");
    } else if (maxCount >= 0 && maxCount < minCount) {
      fail(at, "the range is reversed");
    }
    return m_error ? Piece() : times(piece, minCount, maxCount);
  }

  int number() {
    int value = 0;
    while (more() && here() >= '0' && here() <= '9')
      value = std::min(10 * value + (m_text[m_at++] - '0'), kMaxRepeats + 1);
    return value;
  }

  // maxCount < 0: unlimited.
  Piece times(const Piece& piece, int minCount, int maxCount) {
    Piece whole;
    for (int i = 0; i < minCount && !m_error; ++i) append(whole, piece);
    const std::int32_t size = sizeOf(piece);
    for (int i = minCount; i < maxCount && !m_error; ++i) {
      append(whole, {{Step::Split, 1, size + 1, 0}});
      append(whole, piece);
    }
    if (maxCount < 0) {
      append(whole, {{Step::Split, 1, size + 2, 0}});
      append(whole, piece);
      append(whole, {{Step::Jump, -size - 1, 0, 0}});
    }
    return whole;
  }

  Piece atom(int depth) {
    const std::size_t at = m_at;
    const char c = m_text[m_at++];
    switch (c) {
    case '(': {
      if (take('?') && !take(':')) fail(at, "of the brackets with a question mark only (?: ) is known");
      Piece inside = alternatives(depth + 1);
      if (!take(')')) fail(at, "an opening bracket without a closing one");
      return inside;
    }
    case '[':
      return bytes(bracket(at));
    case '.':
      return bytes(~ByteSet());
    case '^':
      return {{Step::TextBegin, 0, 0, 0}};
    case '$':
      return {{Step::TextEnd, 0, 0, 0}};
    case '*':
    case '+':
    case '?':
      fail(at, std::string("nothing before the ") + c + " that could be repeated");
      return {};
    case '\\':
      return escaped(at);
    default:
      return bytes(both(static_cast<unsigned char>(c), static_cast<unsigned char>(c)));
    }
  }

  Piece escaped(std::size_t at) {
    if (!more()) {
      fail(at, "a backslash at the end; write \\\\ for a backslash");
      return {};
    }
    const char c = m_text[m_at++];
    if (c == 'b') return {{Step::WordEdge, 0, 0, 0}};
    if (const auto set = namedSet(c)) return bytes(*set);
    if (isWordByte(static_cast<unsigned char>(c))) fail(at, std::string("\\") + c + " has no meaning here");
    return bytes(both(static_cast<unsigned char>(c), static_cast<unsigned char>(c)));
  }

  ByteSet bracket(std::size_t at) {
    ByteSet set;
    const bool others = take('^');
    for (bool first = true; more() && (first || here() != ']'); first = false) {
      char c = m_text[m_at++];
      if (c == '\\' && more()) {
        c = m_text[m_at++];
        if (const auto named = namedSet(c)) {
          set |= *named;
          continue;
        }
      }
      auto low = static_cast<unsigned char>(c);
      auto high = low;
      if (m_at + 1 < m_text.size() && here() == '-' && m_text[m_at + 1] != ']') {
        high = static_cast<unsigned char>(m_text[m_at + 1]);
        m_at += 2;
        if (high < low) fail(at, "a range of characters that runs backwards");
      }
      if (low <= high) set |= both(low, high);
    }
    if (!take(']')) fail(at, "[ without ]");
    return others ? ~set : set;
  }

  Piece bytes(const ByteSet& set) {
    const auto known = std::ranges::find(m_sets, set);
    const auto index = static_cast<std::uint32_t>(known - m_sets.begin());
    if (known == m_sets.end()) m_sets.push_back(set);
    return {{Step::Bytes, 0, 0, index}};
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  std::vector<ByteSet> m_sets;
  std::optional<Error> m_error;
};

Result<TextPattern> TextPattern::parse(std::string_view pattern) {
  return PatternParser(pattern).parse();
}

namespace {

// Positions in the program that wait for the next byte, without duplicates.
struct Waiting {
  std::vector<std::uint32_t> places;
  std::vector<std::uint32_t> since; // by position: iteration in which it was last added

  explicit Waiting(std::size_t program) : since(program + 1, 0) {}
  bool add(std::size_t place, std::uint32_t turn) {
    if (since[place] == turn) return false;
    since[place] = turn;
    return true;
  }
};

} // namespace

bool TextPattern::foundIn(std::string_view text) const {
  const std::size_t end = m_program.size();
  Waiting waiting(end);
  std::vector<std::uint32_t> next;
  std::vector<std::size_t> stack;
  std::uint32_t turn = 0;
  const auto isWord = [&](std::size_t at) {
    return at < text.size() && isWordByte(static_cast<unsigned char>(text[at]));
  };
  for (std::size_t at = 0;; ++at) {
    ++turn;
    waiting.places.clear();
    next.push_back(0); // a match may begin at every position
    for (const std::uint32_t from : next) {
      stack.push_back(from);
      while (!stack.empty()) {
        const std::size_t place = stack.back();
        stack.pop_back();
        if (!waiting.add(place, turn)) continue;
        if (place == end) return true;
        const Instruction& instruction = m_program[place];
        const auto relative = [&](std::int32_t by) {
          return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(place) + by);
        };
        switch (instruction.step) {
        case Step::Bytes:
          waiting.places.push_back(static_cast<std::uint32_t>(place));
          break;
        case Step::Split:
          stack.push_back(relative(instruction.orTo));
          stack.push_back(relative(instruction.to));
          break;
        case Step::Jump:
          stack.push_back(relative(instruction.to));
          break;
        case Step::TextBegin:
          if (at == 0) stack.push_back(place + 1);
          break;
        case Step::TextEnd:
          if (at == text.size()) stack.push_back(place + 1);
          break;
        case Step::WordEdge:
          if ((at > 0 && isWord(at - 1)) != isWord(at)) stack.push_back(place + 1);
          break;
        }
      }
    }
    if (at == text.size()) return false;
    next.clear();
    const auto byte = static_cast<unsigned char>(text[at]);
    for (const std::uint32_t place : waiting.places) {
      if (m_sets[m_program[place].bytes].test(byte)) next.push_back(place + 1);
    }
  }
}

bool holdsFolded(std::string_view text, std::string_view part) {
  if (part.empty()) return true;
  if (part.size() > text.size()) return false;
  const char first = part.front();
  const std::size_t last = text.size() - part.size();
  for (std::size_t at = 0; at <= last; ++at) {
    if (lower(text[at]) != first) continue;
    std::size_t same = 1;
    while (same < part.size() && lower(text[at + same]) == part[same]) ++same;
    if (same == part.size()) return true;
  }
  return false;
}

std::string folded(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), lower);
  return small;
}

} // namespace rankscope
