// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/pickle_reader.h"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kMostOnStack = 1'000'000;
constexpr std::uint32_t kLongestInteger = 255; // bytes

// Instructions that look up or call something, by their names in Python's pickletools.
constexpr const char* codeInstruction(unsigned char opcode) {
  switch (opcode) {
  case 'c':
    return "GLOBAL";
  case 0x93:
    return "STACK_GLOBAL";
  case 'i':
    return "INST";
  case 'o':
    return "OBJ";
  case 0x81:
    return "NEWOBJ";
  case 0x92:
    return "NEWOBJ_EX";
  case 'R':
    return "REDUCE";
  case 'b':
    return "BUILD";
  case 'P':
    return "PERSID";
  case 'Q':
    return "BINPERSID";
  case 0x82:
  case 0x83:
  case 0x84:
    return "EXT";
  default:
    return nullptr;
  }
}

class PickleMachine {
 public:
  // startOnly: the file goes on after the bytes.
  PickleMachine(std::string_view bytes, const Progress* progress, bool startOnly)
      : m_bytes(bytes), m_progress(progress), m_startOnly(startOnly) {
    for (std::size_t i = 0; i < m_small.size(); ++i) m_small[i] = kNoValue;
  }

  Result<PickleReading> run();

 private:
  enum class Step : std::uint8_t { Continue, End, Failed };

  Step step(unsigned char opcode);
  Step container(unsigned char opcode);
  Step scalar(unsigned char opcode);
  Step memo(unsigned char opcode);
  Step fail(std::string reason, ErrorKind kind = ErrorKind::Format) {
    if (!m_error) m_error = Error{kind, std::move(reason), {}, m_opcodeAt};
    return Step::Failed;
  }
  // The file ends within an instruction.
  Step cut() {
    m_truncated = true;
    return Step::End;
  }
  [[nodiscard]] bool has(std::uint64_t count) const { return m_bytes.size() - m_at >= count; }
  // Little-endian. REQUIRES: has(count), count <= 8.
  std::uint64_t take(std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(m_bytes[m_at + i])} << (8 * i);
    m_at += count;
    return value;
  }
  Step push(ValueId id) {
    if (m_stack.size() >= kMostOnStack) return fail("more than a million values on the stack");
    m_stack.push_back(id);
    return Step::Continue;
  }
  Step pushSmall(std::uint8_t value) {
    ValueId& known = m_small[value];
    if (known == kNoValue) known = m_tree.addInteger(value);
    return push(known);
  }
  Step text(std::size_t lengthBytes, ValueKind kind);
  Step longInteger(std::size_t lengthBytes);
  Step tuple(std::size_t count);
  Step put(std::uint64_t number);
  Step get(std::uint64_t number);
  Step references();
  Step mark();
  // Adds what is above the mark to the container below it.
  Step closeMark(bool pairs);
  Step one(std::size_t count);
  [[nodiscard]] bool topIs(std::size_t below, bool dict) const;
  void keepUnfinished();

  std::string_view m_bytes;
  const Progress* m_progress;
  bool m_startOnly;
  std::size_t m_at = 0;
  std::size_t m_opcodeAt = 0;
  ValueTree m_tree;
  std::vector<ValueId> m_stack;
  std::vector<std::size_t> m_marks; // sizes of the stack
  std::vector<ValueId> m_memo;
  std::uint32_t m_puts = 0; // MEMOIZE takes the next number
  std::array<ValueId, 256> m_small{};
  std::optional<Error> m_error;
  bool m_truncated = false;
  std::uint64_t m_instructions = 0;
};

bool isContainer(const ValueTree& tree, ValueId id) {
  return tree.kind(id) >= ValueKind::List;
}

PickleMachine::Step PickleMachine::text(std::size_t lengthBytes, ValueKind kind) {
  if (!has(lengthBytes)) return cut();
  const std::uint64_t length = take(lengthBytes);
  if (!has(length)) {
    // Without a length that can be right, nothing after it can be read.
    if (length > m_bytes.size() && !m_startOnly)
      return fail(fmt::format("a text of {} bytes is longer than the file", length));
    return cut();
  }
  const std::string_view view = m_bytes.substr(m_at, static_cast<std::size_t>(length));
  m_at += static_cast<std::size_t>(length);
  return push(m_tree.addText(view, kind));
}

PickleMachine::Step PickleMachine::longInteger(std::size_t lengthBytes) {
  if (!has(lengthBytes)) return cut();
  const std::uint64_t length = take(lengthBytes);
  if (length > kLongestInteger) return fail(fmt::format("an integer of {} bytes", length));
  if (!has(length)) return cut();
  if (length == 0) return pushSmall(0);
  const std::string_view digits = m_bytes.substr(m_at, static_cast<std::size_t>(length));
  const bool negative = (static_cast<unsigned char>(digits.back()) & 0x80U) != 0;
  const char fill = negative ? '\xff' : '\0';
  bool fits = true;
  for (std::size_t i = 8; i < digits.size(); ++i) fits = fits && digits[i] == fill;
  if (digits.size() > 8 && ((static_cast<unsigned char>(digits[7]) & 0x80U) != 0) != negative) fits = false;
  std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 0; i < digits.size() && i < 8; ++i) {
    value &= ~(std::uint64_t{0xff} << (8 * i));
    value |= std::uint64_t{static_cast<unsigned char>(digits[i])} << (8 * i);
  }
  m_at += static_cast<std::size_t>(length);
  return push(fits ? m_tree.addInteger(static_cast<std::int64_t>(value)) : m_tree.addBig(negative));
}

PickleMachine::Step PickleMachine::tuple(std::size_t count) {
  const std::size_t floor = m_marks.empty() ? 0 : m_marks.back();
  if (m_stack.size() - floor < count) return fail("too few values for a tuple");
  const ValueId id = m_tree.addContainer(ValueKind::Tuple);
  m_tree.append(id, m_stack.data() + (m_stack.size() - count), static_cast<std::uint32_t>(count));
  m_stack.resize(m_stack.size() - count);
  return push(id);
}

PickleMachine::Step PickleMachine::put(std::uint64_t number) {
  if (m_stack.empty()) return fail("nothing to remember");
  if (number > m_at) return fail(fmt::format("number {} of a remembered value is too large", number));
  if (number >= m_memo.size()) m_memo.resize(static_cast<std::size_t>(number) + 1, kNoValue);
  m_memo[static_cast<std::size_t>(number)] = m_stack.back();
  ++m_puts;
  return Step::Continue;
}

PickleMachine::Step PickleMachine::get(std::uint64_t number) {
  if (number >= m_memo.size() || m_memo[static_cast<std::size_t>(number)] == kNoValue)
    return fail(fmt::format("no value {} was remembered", number));
  return push(m_memo[static_cast<std::size_t>(number)]);
}

// Remembered values in a row, by numbers of four bytes: most of a snapshot refers to frames that it already
// has. From after the first one's opcode.
PickleMachine::Step PickleMachine::references() {
  constexpr std::size_t kEach = 5; // opcode and number
  const ValueId* const known = m_memo.data();
  const std::size_t most = m_memo.size();
  const char* at = m_bytes.data() + m_at;
  const char* const end = m_bytes.data() + m_bytes.size();
  std::size_t room = kMostOnStack - std::min(m_stack.size(), kMostOnStack);
  for (; end - at >= static_cast<std::ptrdiff_t>(kEach) && room > 0; --room) {
    std::uint32_t number = 0;
    for (int i = 0; i < 4; ++i) number |= std::uint32_t{static_cast<unsigned char>(at[i])} << (8 * i);
    if (number >= most || known[number] == kNoValue) break;
    m_stack.push_back(known[number]);
    at += 4;
    if (*at != 'j') {
      m_at = static_cast<std::size_t>(at - m_bytes.data());
      return Step::Continue;
    }
    ++at;
    ++m_instructions;
  }
  // The general way says what is wrong.
  m_at = static_cast<std::size_t>(at - m_bytes.data());
  m_opcodeAt = m_at - 1;
  return has(4) ? get(take(4)) : cut();
}

bool PickleMachine::topIs(std::size_t below, bool dict) const {
  const std::size_t floor = m_marks.empty() ? 0 : m_marks.back();
  if (m_stack.size() < floor + below + 1) return false;
  const ValueId id = m_stack[m_stack.size() - below - 1];
  return isContainer(m_tree, id) && (m_tree.kind(id) == ValueKind::Dict) == dict;
}

PickleMachine::Step PickleMachine::mark() {
  if (m_marks.size() >= kMostOnStack) return fail("more than a million marks");
  m_marks.push_back(m_stack.size());
  return Step::Continue;
}

PickleMachine::Step PickleMachine::closeMark(bool pairs) {
  if (m_marks.empty()) return fail("no mark was set");
  const std::size_t begin = m_marks.back();
  m_marks.pop_back();
  const std::size_t count = m_stack.size() - begin;
  if (begin == 0) return fail("no container below the mark");
  const ValueId to = m_stack[begin - 1];
  if (!isContainer(m_tree, to) || (m_tree.kind(to) == ValueKind::Dict) != pairs)
    return fail("values for what is no container");
  if (pairs && count % 2 != 0) return fail("a key without a value");
  m_tree.append(to, m_stack.data() + begin, static_cast<std::uint32_t>(count));
  m_stack.resize(begin);
  return Step::Continue;
}

PickleMachine::Step PickleMachine::one(std::size_t count) {
  if (!topIs(count, count == 2)) return fail("a value for what is no container");
  const std::size_t begin = m_stack.size() - count;
  m_tree.append(m_stack[begin - 1], m_stack.data() + begin, static_cast<std::uint32_t>(count));
  m_stack.resize(begin);
  return Step::Continue;
}

PickleMachine::Step PickleMachine::container(unsigned char opcode) {
  switch (opcode) {
  case 0x8f:
    return push(m_tree.addContainer(ValueKind::Set));
  case 0x90:
    return closeMark(false);
  case 's':
    return one(2);
  case 'a':
    return one(1);
  case ')':
    return tuple(0);
  case 0x85:
    return tuple(1);
  case 0x86:
    return tuple(2);
  case 0x87:
    return tuple(3);
  case 't':
  case 0x91: { // FROZENSET
    if (m_marks.empty()) return fail("no mark was set");
    const std::size_t begin = m_marks.back();
    m_marks.pop_back();
    const ValueId id = m_tree.addContainer(opcode == 't' ? ValueKind::Tuple : ValueKind::Set);
    m_tree.append(id, m_stack.data() + begin, static_cast<std::uint32_t>(m_stack.size() - begin));
    m_stack.resize(begin);
    return push(id);
  }
  case '0': // POP
    if (!m_marks.empty() && m_marks.back() == m_stack.size()) {
      m_marks.pop_back();
      return Step::Continue;
    }
    if (m_stack.empty()) return fail("the stack is empty");
    m_stack.pop_back();
    return Step::Continue;
  case '1': // POP_MARK
    if (m_marks.empty()) return fail("no mark was set");
    m_stack.resize(m_marks.back());
    m_marks.pop_back();
    return Step::Continue;
  case '2': // DUP
    if (m_stack.empty()) return fail("the stack is empty");
    return push(m_stack.back());
  default:
    return scalar(opcode);
  }
}

PickleMachine::Step PickleMachine::scalar(unsigned char opcode) {
  switch (opcode) {
  case 'N':
    return push(m_tree.addNone());
  case 0x88:
  case 0x89:
    return push(m_tree.addBool(opcode == 0x88));
  case 'J':
    return has(4) ? push(m_tree.addInteger(static_cast<std::int32_t>(static_cast<std::uint32_t>(take(4)))))
                  : cut();
  case 0x8a:
    return longInteger(1);
  case 0x8b:
    return longInteger(4);
  case 'G': {
    if (!has(8)) return cut();
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = (bits << 8) | take(1); // big-endian
    return push(m_tree.addReal(std::bit_cast<double>(bits)));
  }
  case 0x8c:
    return text(1, ValueKind::Text);
  case 'X':
    return text(4, ValueKind::Text);
  case 0x8d:
    return text(8, ValueKind::Text);
  case 'U':
    return text(1, ValueKind::Text);
  case 'T':
    return text(4, ValueKind::Text);
  case 'C':
    return text(1, ValueKind::Bytes);
  case 'B':
    return text(4, ValueKind::Bytes);
  default:
    return memo(opcode);
  }
}

PickleMachine::Step PickleMachine::memo(unsigned char opcode) {
  switch (opcode) {
  case 0x94:
    return put(m_puts);
  case 'q':
    return has(1) ? put(take(1)) : cut();
  case 'r':
    return has(4) ? put(take(4)) : cut();
  case 0x80: {
    if (!has(1)) return cut();
    const std::uint64_t protocol = take(1);
    return protocol <= 5 ? Step::Continue : fail(fmt::format("pickle protocol {} is unknown", protocol));
  }
  case 0x95: // FRAME: only says how much to read at once
    if (!has(8)) return cut();
    m_at += 8;
    return Step::Continue;
  case '.':
    return Step::End;
  default:
    if (const char* const code = codeInstruction(opcode))
      return fail(fmt::format("contains code ({}), not opened", code), ErrorKind::Unsupported);
    return fail(fmt::format("unknown pickle instruction 0x{:02x}", opcode));
  }
}

// Nine of ten instructions of dumps and snapshots are these.
PickleMachine::Step PickleMachine::step(unsigned char opcode) {
  switch (opcode) {
  case 'h':
    return has(1) ? get(take(1)) : cut();
  case 'j':
    return references();
  case '(':
    return mark();
  case 'K':
    return has(1) ? pushSmall(static_cast<std::uint8_t>(take(1))) : cut();
  case 'M':
    return has(2) ? push(m_tree.addInteger(static_cast<std::int64_t>(take(2)))) : cut();
  case 'e':
    return closeMark(false);
  case 'u':
    return closeMark(true);
  case '}':
    return push(m_tree.addContainer(ValueKind::Dict));
  case ']':
    return push(m_tree.addContainer(ValueKind::List));
  default:
    return container(opcode);
  }
}

// Adds what stands above each mark to its container, as if it had been closed.
void PickleMachine::keepUnfinished() {
  while (!m_marks.empty()) {
    const std::size_t begin = m_marks.back();
    m_marks.pop_back();
    if (begin > 0 && begin <= m_stack.size()) {
      const ValueId to = m_stack[begin - 1];
      std::size_t count = m_stack.size() - begin;
      if (isContainer(m_tree, to)) {
        if (m_tree.kind(to) == ValueKind::Dict) count -= count % 2;
        m_tree.append(to, m_stack.data() + begin, static_cast<std::uint32_t>(count));
      }
    }
    m_stack.resize(std::min(begin, m_stack.size()));
  }
  if (m_stack.size() > 1) m_stack.resize(1);
}

Result<PickleReading> PickleMachine::run() {
  if (!beginsLikePickle(m_bytes)) return Error{ErrorKind::NotATrace, "not a pickle", {}, 0};
  if (m_bytes.size() >= UINT32_MAX)
    return Error{ErrorKind::Unsupported, "a pickle of 4 GiB or more", {}, std::nullopt};
  const int protocol = static_cast<unsigned char>(m_bytes[1]);
  Step result = Step::Continue;
  for (std::uint32_t round = 1; result == Step::Continue; ++round) {
    if (m_at >= m_bytes.size()) {
      m_truncated = true;
      break;
    }
    m_opcodeAt = m_at;
    const auto opcode = static_cast<unsigned char>(m_bytes[m_at++]);
    result = step(opcode);
    ++m_instructions;
    if ((round & 0xfffffU) == 0 && m_progress != nullptr && m_progress->cancelled())
      return Error{ErrorKind::Cancelled, "cancelled", {}, std::nullopt};
  }
  if (m_error) return *m_error;
  if (m_truncated) {
    keepUnfinished();
    if (m_stack.empty()) return Error{ErrorKind::Format, "the pickle ends too early", {}, m_bytes.size()};
  } else if (m_stack.size() != 1 || !m_marks.empty()) {
    return Error{ErrorKind::Format, "the pickle ends with other than one value", {}, m_opcodeAt};
  }
  PickleReading reading;
  reading.values = std::move(m_tree);
  reading.root = m_stack.front();
  reading.protocol = protocol;
  reading.instructions = m_instructions;
  reading.bytesAfterEnd = m_truncated ? 0 : m_bytes.size() - m_at;
  reading.truncated = m_truncated;
  return reading;
}

} // namespace

bool beginsLikePickle(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

Result<PickleReading> readPickle(std::string_view bytes, const Progress* progress) {
  return PickleMachine(bytes, progress, false).run();
}

Result<PickleReading> readPickleStart(std::string_view start) {
  return PickleMachine(start, nullptr, true).run();
}

} // namespace rankscope
