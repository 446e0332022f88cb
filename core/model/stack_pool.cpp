// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/stack_pool.h"

#include <algorithm>
#include <fmt/format.h>

namespace rankscope {

StackPool::StackPool() {
  static_cast<void>(addText({}));
  static_cast<void>(addStack({}));
}

StackPool::StackPool(const StackPool& other)
    : m_texts(other.m_texts), m_frames(other.m_frames), m_frameIds(other.m_frameIds),
      m_stackFrames(other.m_stackFrames), m_stackEnds(other.m_stackEnds), m_stackIds(other.m_stackIds) {
  m_textIds.reserve(m_texts.size());
  for (std::size_t i = 0; i < m_texts.size(); ++i)
    m_textIds.emplace(m_texts[i], static_cast<std::uint32_t>(i));
}

StackPool& StackPool::operator=(const StackPool& other) {
  if (this != &other) *this = StackPool(other);
  return *this;
}

std::uint32_t StackPool::addText(std::string_view text) {
  if (const auto known = m_textIds.find(text); known != m_textIds.end()) return known->second;
  const auto id = static_cast<std::uint32_t>(m_texts.size());
  m_textIds.emplace(m_texts.emplace_back(text), id);
  return id;
}

std::uint32_t StackPool::addFrame(const StackFrame& frame) {
  const auto [known, isNew] = m_frameIds.try_emplace(frame, static_cast<std::uint32_t>(m_frames.size()));
  if (isNew) m_frames.push_back(frame);
  return known->second;
}

std::uint32_t StackPool::addStack(std::span<const std::uint32_t> frames) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::uint32_t frame : frames) hash = (hash ^ frame) * 0x100000001b3U;
  const auto [first, last] = m_stackIds.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (std::ranges::equal(stack(known->second), frames)) return known->second;
  }
  const auto id = static_cast<std::uint32_t>(m_stackEnds.size());
  m_stackFrames.insert(m_stackFrames.end(), frames.begin(), frames.end());
  m_stackEnds.push_back(m_stackFrames.size());
  m_stackIds.emplace(hash, id);
  return id;
}

std::string StackPool::frameText(std::uint32_t id) const {
  const StackFrame& of = m_frames[id];
  return fmt::format("{}:{}:{}", m_texts[of.file], of.line, m_texts[of.function]);
}

} // namespace rankscope
