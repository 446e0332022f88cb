// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/stack_reader.h"

#include <algorithm>

namespace rankscope {

std::uint32_t StackReader::text(ValueId id) {
  if (id == kNoValue) return 0;
  if (const auto known = m_texts.find(id); known != m_texts.end()) return known->second;
  const std::uint32_t added = m_pool.addText(m_values.text(id));
  m_texts.emplace(id, added);
  return added;
}

std::uint32_t StackReader::frame(ValueId id) {
  constexpr std::uint32_t kSpread = 2654435761U; // neighbors in the file go to different places
  KnownFrame& recent = m_recent[(id * kSpread) % kRecent];
  if (recent.id != id) recent = {id, readFrame(id)};
  return recent.frame;
}

std::uint32_t StackReader::readFrame(ValueId id) {
  if (const auto known = m_frames.find(id); known != m_frames.end()) return known->second;
  StackFrame made;
  m_values.eachMember(id, [&](ValueId key, ValueId value) {
    const std::string_view name = m_values.text(key);
    if (name == "filename") made.file = text(value);
    if (name == "name") made.function = text(value);
    if (name == "line")
      made.line = static_cast<std::int32_t>(
          std::clamp<std::int64_t>(m_values.integer(value).value_or(0), 0, INT32_MAX));
  });
  const std::uint32_t added = m_pool.addFrame(made);
  m_frames.emplace(id, added);
  return added;
}

std::uint32_t StackReader::stack(ValueId id) {
  if (!m_values.isList(id) || m_values.size(id) == 0) return 0;
  if (const auto known = m_stacks.find(id); known != m_stacks.end()) return known->second;
  m_found.clear();
  m_values.eachItem(id, [&](ValueId item) {
    if (m_values.isDict(item)) m_found.push_back(frame(item));
  });
  const std::uint32_t added = m_pool.addStack(m_found);
  m_stacks.emplace(id, added);
  return added;
}

} // namespace rankscope
