// SPDX-License-Identifier: GPL-3.0-or-later
// Writes pickles as Python's pickler (protocol 4) does, for tests: plain values, and memory snapshots of any
// size in the form of real ones, with few stacks that thousands of entries share.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rankscope::test {

// Appends instructions to a text. Numbers remembered values as Python does: each MEMOIZE takes the next.
class PickleWriter {
 public:
  PickleWriter() : m_bytes("\x80\x04") {}

  void none() { m_bytes += 'N'; }
  void boolean(bool value) { m_bytes += value ? '\x88' : '\x89'; }
  void integer(std::int64_t value);
  void real(double value);
  // Written once, then by reference.
  void text(std::string_view text);
  void listOf(const std::function<void()>& items);
  void dictOf(const std::function<void()>& members);
  // Returns the number under which the value on top is remembered.
  std::uint32_t remember();
  void again(std::uint32_t number);
  void raw(std::string_view instructions) { m_bytes += instructions; }

  void key(std::string_view name, std::int64_t value) {
    text(name);
    integer(value);
  }
  void key(std::string_view name, std::string_view value) {
    text(name);
    text(value);
  }

  [[nodiscard]] std::string take() { return std::move(m_bytes) + "."; }
  [[nodiscard]] std::string& bytes() { return m_bytes; }

 private:
  void little(std::uint64_t value, int count);

  std::string m_bytes;
  std::uint32_t m_remembered = 0;
  std::unordered_map<std::string, std::uint32_t> m_texts;
};

struct SnapshotShape {
  std::uint32_t entries = 1000; // pairs of allocation and free, in turn
  std::uint32_t stacks = 100;   // different ones
  std::uint32_t frames = 40;    // per stack
};

// A snapshot whose blocks are all freed but the last `kept`. Calls write() with pieces of the file.
void writeSnapshot(const SnapshotShape& shape, const std::function<void(std::string_view)>& write);

} // namespace rankscope::test
