// SPDX-License-Identifier: GPL-3.0-or-later
// Covers the pprof format of core/report/stack_files.h: Profile of
// github.com/google/pprof/proto/profile.proto, written field by field.
#include "core/export/gzip.h"
#include "core/report/stack_files.h"
#include "core/report/stack_lines.h"

#include <charconv>
#include <unordered_map>
#include <vector>

namespace rankscope {

namespace {

// A message of protocol buffers.
class ProtoText {
 public:
  void number(unsigned field, std::uint64_t value) {
    if (value == 0) return;
    varint(field << 3U);
    varint(value);
  }
  void bytes(unsigned field, std::string_view value) {
    varint((field << 3U) | 2U);
    varint(value.size());
    m_bytes += value;
  }
  void numbers(unsigned field, const std::vector<std::uint64_t>& values) {
    ProtoText packed;
    for (const std::uint64_t value : values) packed.varint(value);
    bytes(field, packed.m_bytes);
  }
  [[nodiscard]] const std::string& text() const { return m_bytes; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) m_bytes += static_cast<char>(0x80U | (value & 0x7fU));
    m_bytes += static_cast<char>(value);
  }
  std::string m_bytes;
};

class ProfileWriter {
 public:
  explicit ProfileWriter(const WeighedStacks& stacks) : m_stacks(stacks) { static_cast<void>(textId("")); }

  [[nodiscard]] std::string write() {
    addType("events", "count");
    switch (unitOf(m_stacks.weight)) {
    case StackUnit::Nanoseconds:
      addType(stackWeightText(m_stacks.weight), "nanoseconds");
      break;
    case StackUnit::Bytes:
      addType(stackWeightText(m_stacks.weight), "bytes");
      break;
    case StackUnit::Count:
      addType(stackWeightText(m_stacks.weight), "count");
      break;
    }
    for (const StackLine& line : stackLines(m_stacks)) addSample(line);
    addLocations();
    const std::uint64_t shown = textId(stackWeightText(m_stacks.weight));
    for (const std::string& text : m_texts) m_profile.bytes(6, text);
    m_profile.number(14, shown);
    return gzipped(m_profile.text());
  }

 private:
  std::uint64_t textId(std::string_view text) {
    const auto [place, isNew] = m_textIds.try_emplace(std::string(text), m_texts.size());
    if (isNew) m_texts.emplace_back(text);
    return place->second;
  }
  void addType(std::string_view type, std::string_view unit) {
    ProtoText value;
    value.number(1, textId(type));
    value.number(2, textId(unit));
    m_profile.bytes(1, value.text());
  }
  void addSample(const StackLine& line) {
    ProtoText sample;
    std::vector<std::uint64_t> locations; // the leaf first
    locations.reserve(line.frames.size());
    for (std::size_t i = line.frames.size(); i-- > 0;) locations.push_back(line.frames[i] + 1);
    sample.numbers(1, locations);
    sample.numbers(2, {static_cast<std::uint64_t>(line.count), static_cast<std::uint64_t>(line.weight)});
    for (const std::uint32_t place : line.places) {
      const std::string_view text = m_stacks.tree.frames()[place].text;
      const std::size_t space = text.find(' ');
      ProtoText label;
      label.number(1, textId(text.substr(0, space)));
      label.number(2, textId(space == std::string_view::npos ? text : text.substr(space + 1)));
      sample.bytes(3, label.text());
    }
    m_profile.bytes(2, sample.text());
  }
  // A location and a function for each frame.
  void addLocations() {
    const auto& frames = m_stacks.tree.frames();
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const FramePlace source = framePlaceOf(frames[i].text);
      std::uint64_t lineNumber = 0;
      std::from_chars(source.line.data(), source.line.data() + source.line.size(), lineNumber);
      ProtoText line;
      line.number(1, i + 1);
      line.number(2, lineNumber);
      ProtoText location;
      location.number(1, i + 1);
      location.bytes(4, line.text());
      m_profile.bytes(4, location.text());
      ProtoText function;
      function.number(1, i + 1);
      function.number(2, textId(source.function));
      function.number(4, textId(source.file));
      m_profile.bytes(5, function.text());
    }
  }

  const WeighedStacks& m_stacks;
  ProtoText m_profile;
  std::vector<std::string> m_texts;
  std::unordered_map<std::string, std::uint64_t> m_textIds;
};

} // namespace

std::string pprofBytes(const WeighedStacks& stacks) {
  return ProfileWriter(stacks).write();
}

} // namespace rankscope
