// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/stack_reader.h"

#include <algorithm>

namespace rankscope {

std::uint32_t StackReader::text(ValueId id) {
  if (id == kNoValue) return 0;
  if (m_values.kind(id) != ValueKind::Text && m_values.kind(id) != ValueKind::Bytes) return 0;
  if (m_made[id] == kNotMade) m_made[id] = m_pool.addText(m_values.text(id));
  return m_made[id];
}

std::uint32_t StackReader::readFrame(ValueId id) {
  if (m_made[id] != kNotMade) return m_made[id];
  StackFrame made;
  m_values.eachMember(id, [&](ValueId key, ValueId value) {
    const std::string_view name = m_values.text(key);
    if (name == "filename") made.file = text(value);
    if (name == "name") made.function = text(value);
    if (name == "line")
      made.line = static_cast<std::int32_t>(
          std::clamp<std::int64_t>(m_values.integer(value).value_or(0), 0, INT32_MAX));
  });
  m_made[id] = m_pool.addFrame(made);
  return m_made[id];
}

std::uint32_t StackReader::stack(ValueId id) {
  if (!m_values.isList(id) || m_values.size(id) == 0) return 0;
  if (m_made[id] != kNotMade) return m_made[id];
  m_found.clear();
  m_values.eachItem(id, [&](ValueId item) {
    constexpr std::uint32_t kSpread = 2654435761U; // neighbors in the file go to different places
    KnownFrame& recent = m_recent[(item * kSpread) % kRecent];
    if (recent.id != item) {
      if (!m_values.isDict(item)) return;
      recent = {item, readFrame(item)};
    }
    m_found.push_back(recent.frame);
  });
  m_made[id] = m_pool.addStack(m_found);
  return m_made[id];
}

} // namespace rankscope
