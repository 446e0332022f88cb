// SPDX-License-Identifier: GPL-3.0-or-later
// Covers the pprof format of core/report/stack_files.h: Profile of
// github.com/google/pprof/proto/profile.proto, written field by field.
#include "core/base/hash.h"
#include "core/export/gzip.h"
#include "core/report/stack_files.h"
#include "core/report/stack_lines.h"

#include <charconv>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
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

std::string_view unitText(StackWeight weight) {
  switch (unitOf(weight)) {
  case StackUnit::Nanoseconds:
    return "nanoseconds";
  case StackUnit::Bytes:
    return "bytes";
  case StackUnit::Count:
    break;
  }
  return "count";
}

// Frames of several trees as one list of texts; a stack is the numbers of its frames, places first.
using PprofStack = std::vector<std::uint32_t>;

struct PprofStackHash {
  std::size_t operator()(const PprofStack& stack) const {
    std::uint64_t hash = stack.size();
    for (const std::uint32_t frame : stack) hash = hashOf(hash, frame);
    return hash;
  }
};

struct PprofSample {
  std::size_t places = 0; // how many of the stack's frames are
  std::vector<std::uint64_t> values;
};

class ProfileWriter {
 public:
  ProfileWriter(const WeighedStacks& stacks, std::span<const WeighedStacks> more)
      : m_shown(stacks.weight), m_values(2 + more.size()) {
    static_cast<void>(textId(""));
    addType("events", "count");
    addStacks(stacks, 1);
    for (std::size_t i = 0; i < more.size(); ++i) addStacks(more[i], i + 2);
  }

  [[nodiscard]] std::string write(TimeRange recorded) {
    for (const PprofStack* const stack : m_order) addSample(*stack, m_samples.at(*stack));
    addLocations();
    const std::uint64_t shown = textId(stackWeightText(m_shown));
    for (const std::string& text : m_texts) m_profile.bytes(6, text);
    if (!recorded.empty()) {
      m_profile.number(9, static_cast<std::uint64_t>(recorded.begin));
      m_profile.number(10, static_cast<std::uint64_t>(recorded.length()));
    }
    m_profile.number(14, shown);
    return gzipped(m_profile.text());
  }

 private:
  std::uint64_t textId(std::string_view text) {
    const auto [place, isNew] = m_textIds.try_emplace(std::string(text), m_texts.size());
    if (isNew) m_texts.emplace_back(text);
    return place->second;
  }
  std::uint32_t frameId(std::string_view text) {
    const auto [place, isNew] =
        m_frameIds.try_emplace(std::string(text), static_cast<std::uint32_t>(m_frames.size()));
    if (isNew) m_frames.push_back(&place->first);
    return place->second;
  }
  void addType(std::string_view type, std::string_view unit) {
    ProtoText value;
    value.number(1, textId(type));
    value.number(2, textId(unit));
    m_profile.bytes(1, value.text());
  }
  // at: of the weight among the values. The first weight also counts its events.
  void addStacks(const WeighedStacks& stacks, std::size_t at) {
    addType(stackWeightText(stacks.weight), unitText(stacks.weight));
    const auto& frames = stacks.tree.frames();
    std::vector<std::uint32_t> ids(frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) ids[i] = frameId(frames[i].text);
    for (const StackLine& line : stackLines(stacks)) {
      if (line.weight <= 0) continue;
      PprofStack stack;
      stack.reserve(line.places.size() + line.frames.size());
      for (const std::uint32_t frame : line.places) stack.push_back(ids[frame]);
      for (const std::uint32_t frame : line.frames) stack.push_back(ids[frame]);
      const auto [place, isNew] = m_samples.try_emplace(std::move(stack));
      PprofSample& sample = place->second;
      if (isNew) {
        m_order.push_back(&place->first);
        sample.places = line.places.size();
        sample.values.assign(m_values, 0);
      }
      sample.values[at] += static_cast<std::uint64_t>(line.weight);
      if (at == 1) sample.values.front() += static_cast<std::uint64_t>(line.count);
    }
  }
  void addSample(const PprofStack& stack, const PprofSample& of) {
    ProtoText sample;
    std::vector<std::uint64_t> locations; // the leaf first
    locations.reserve(stack.size() - of.places);
    for (std::size_t i = stack.size(); i-- > of.places;) locations.push_back(stack[i] + 1);
    sample.numbers(1, locations);
    sample.numbers(2, of.values);
    for (std::size_t i = 0; i < of.places; ++i) {
      const std::string_view text = *m_frames[stack[i]];
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
    for (std::size_t i = 0; i < m_frames.size(); ++i) {
      const FramePlace source = framePlaceOf(*m_frames[i]);
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

  StackWeight m_shown;
  std::size_t m_values;
  ProtoText m_profile;
  std::vector<std::string> m_texts;
  std::unordered_map<std::string, std::uint64_t> m_textIds;
  std::unordered_map<std::string, std::uint32_t> m_frameIds; // nodes do not move
  std::vector<const std::string*> m_frames;
  std::unordered_map<PprofStack, PprofSample, PprofStackHash> m_samples;
  std::vector<const PprofStack*> m_order;
};

} // namespace

std::string pprofBytes(const WeighedStacks& stacks, std::span<const WeighedStacks> more, TimeRange recorded) {
  return ProfileWriter(stacks, more).write(recorded);
}

} // namespace rankscope
