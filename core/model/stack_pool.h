// SPDX-License-Identifier: GPL-3.0-or-later
// Texts, frames and stacks of a memory snapshot or a Flight Recorder dump, each stored once: a snapshot has
// thousands of stacks, of which few hundred differ. Filled by one thread, then immutable.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rankscope {

struct StackFrame {
  std::uint32_t file = 0;     // texts
  std::uint32_t function = 0; // texts
  std::int32_t line = 0;
  auto operator<=>(const StackFrame&) const = default;
};

class StackPool {
 public:
  StackPool();
  // A copy looks its texts up among its own.
  StackPool(const StackPool& other);
  StackPool(StackPool&& other) noexcept = default;
  StackPool& operator=(const StackPool& other);
  StackPool& operator=(StackPool&& other) noexcept = default;
  ~StackPool() = default;

  // Text 0 is empty; stack 0 has no frames.
  [[nodiscard]] std::uint32_t addText(std::string_view text);
  [[nodiscard]] std::uint32_t addFrame(const StackFrame& frame);
  // Frames innermost first.
  [[nodiscard]] std::uint32_t addStack(std::span<const std::uint32_t> frames);

  [[nodiscard]] std::size_t textCount() const { return m_texts.size(); }
  [[nodiscard]] std::string_view text(std::uint32_t id) const { return m_texts[id]; }
  [[nodiscard]] const StackFrame& frame(std::uint32_t id) const { return m_frames[id]; }
  [[nodiscard]] std::size_t frameCount() const { return m_frames.size(); }
  [[nodiscard]] std::size_t stackCount() const { return m_stackEnds.size(); }
  [[nodiscard]] std::span<const std::uint32_t> stack(std::uint32_t id) const {
    const std::size_t begin = id == 0 ? 0 : m_stackEnds[id - 1];
    return std::span(m_stackFrames).subspan(begin, m_stackEnds[id] - begin);
  }
  // "file.py:12:function"
  [[nodiscard]] std::string frameText(std::uint32_t frame) const;

 private:
  std::deque<std::string> m_texts; // stable: m_textIds refers to them
  std::unordered_map<std::string_view, std::uint32_t> m_textIds;
  std::vector<StackFrame> m_frames;
  std::map<StackFrame, std::uint32_t> m_frameIds;
  std::vector<std::uint32_t> m_stackFrames;
  std::vector<std::size_t> m_stackEnds;                             // in m_stackFrames
  std::unordered_multimap<std::uint64_t, std::uint32_t> m_stackIds; // by hash
};

} // namespace rankscope
