// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/pickle_writer.h"

#include <bit>

namespace rankscope::test {

void PickleWriter::little(std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) m_bytes += static_cast<char>((value >> (8 * i)) & 0xffU);
}

void PickleWriter::integer(std::int64_t value) {
  if (value >= 0 && value < 256) {
    m_bytes += 'K';
    little(static_cast<std::uint64_t>(value), 1);
  } else if (value >= INT32_MIN && value <= INT32_MAX) {
    m_bytes += 'J';
    little(static_cast<std::uint64_t>(value), 4);
  } else {
    m_bytes += "\x8a\x08";
    little(static_cast<std::uint64_t>(value), 8);
  }
}

void PickleWriter::real(double value) {
  m_bytes += 'G';
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int i = 7; i >= 0; --i) m_bytes += static_cast<char>((bits >> (8 * i)) & 0xffU);
}

void PickleWriter::text(std::string_view text) {
  const auto known = m_texts.find(std::string(text));
  if (known != m_texts.end()) return again(known->second);
  m_bytes += '\x8c';
  little(text.size(), 1);
  m_bytes += text;
  m_texts.emplace(text, remember());
}

std::uint32_t PickleWriter::remember() {
  m_bytes += '\x94';
  return m_remembered++;
}

void PickleWriter::again(std::uint32_t number) {
  m_bytes += number < 256 ? 'h' : 'j';
  little(number, number < 256 ? 1 : 4);
}

void PickleWriter::listOf(const std::function<void()>& items) {
  m_bytes += ']';
  static_cast<void>(remember());
  m_bytes += '(';
  items();
  m_bytes += 'e';
}

void PickleWriter::dictOf(const std::function<void()>& members) {
  m_bytes += '}';
  static_cast<void>(remember());
  m_bytes += '(';
  members();
  m_bytes += 'u';
}

namespace {

constexpr std::int64_t kBlock = 4096;
constexpr std::int64_t kAddress = std::int64_t{1} << 45;
constexpr std::uint32_t kBatch = 1000; // values per instruction, as Python's pickler writes them

// The stack of an entry: its frames by reference.
void writeFrames(PickleWriter& to, const std::vector<std::uint32_t>& frames, std::uint32_t stack,
                 std::uint32_t length) {
  to.text("frames");
  to.listOf([&] {
    for (std::uint32_t i = 0; i < length; ++i) to.again(frames[(stack * 7 + i) % frames.size()]);
  });
}

} // namespace

void writeSnapshot(const SnapshotShape& shape, const std::function<void(std::string_view)>& write) {
  PickleWriter to;
  const auto flush = [&] {
    write(to.bytes());
    to.bytes().clear();
  };
  std::vector<std::uint32_t> frames;
  to.raw("}");
  static_cast<void>(to.remember());
  to.raw("(");
  // A list of all frames under a key of its own comes first, so that entries refer to them.
  to.text("frame_table");
  to.listOf([&] {
    for (std::uint32_t i = 0; i < shape.stacks; ++i) {
      to.raw("}");
      frames.push_back(to.remember());
      to.raw("(");
      to.key("filename", "train" + std::to_string(i % 16) + ".py");
      to.key("name", "function_" + std::to_string(i));
      to.key("line", i + 1);
      to.raw("u");
    }
  });
  to.text("segments");
  to.listOf([&] {
    to.dictOf([&] {
      to.key("device", 0);
      to.key("address", kAddress);
      to.key("total_size", kBlock);
      to.key("stream", 0);
      to.key("segment_type", "large");
      to.text("blocks");
      to.listOf([&] {
        to.dictOf([&] {
          to.key("address", kAddress);
          to.key("size", kBlock);
          to.key("requested_size", 0);
          to.key("state", "inactive");
        });
      });
    });
  });
  to.text("device_traces");
  to.raw("](");
  to.raw("]");
  for (std::uint32_t i = 0; i < shape.entries; ++i) {
    if (i % kBatch == 0) to.raw(i == 0 ? "(" : "e(");
    const bool allocates = i % 2 == 0;
    to.dictOf([&] {
      to.key("action", allocates ? "alloc" : "free_completed");
      to.key("addr", kAddress);
      to.key("size", 100 + i / 2 % 900);
      to.key("stream", 0);
      to.key("time_us", std::int64_t{1'700'000'000'000'000} + i);
      writeFrames(to, frames, i / 2 % shape.stacks, shape.frames);
    });
    if (to.bytes().size() > (std::size_t{1} << 20)) flush();
  }
  to.raw(shape.entries > 0 ? "ee" : "e");
  to.raw("u.");
  flush();
}

} // namespace rankscope::test
