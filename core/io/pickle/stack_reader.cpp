// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/stack_reader.h"

#include <algorithm>
#include <utility>

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
  std::uint64_t hash = 0;
  m_values.eachItem(id, [&](ValueId item) {
    constexpr std::uint32_t kSpread = 2654435761U; // neighbors in the file go to different places
    const std::uint32_t spread = item * kSpread;
    KnownFrame& recent = m_recent[spread % kRecent];
    if (recent.id != item) {
      if (!m_values.isDict(item)) return;
      recent = {item, readFrame(item)};
    }
    m_found.push_back(recent.frame);
    hash = (hash ^ recent.frame) * 0x9e3779b97f4a7c15U;
  });
  m_made[id] = m_found.empty() ? 0 : foundStack(hash ^ (hash >> 32));
  return m_made[id];
}

std::uint32_t StackReader::foundStack(std::uint64_t hash) {
  const std::size_t mask = m_slots.size() - 1;
  std::size_t at = hash & mask;
  for (; m_slots[at].stack != 0; at = (at + 1) & mask) {
    const Slot& known = m_slots[at];
    if (known.hash == hash && std::ranges::equal(m_pool.stack(known.stack), m_found)) return known.stack;
  }
  const std::uint32_t added = m_pool.addStack(m_found);
  m_slots[at] = {hash, added};
  if (++m_slotsUsed * 2 > m_slots.size()) growSlots();
  return added;
}

void StackReader::growSlots() {
  std::vector<Slot> larger(m_slots.size() * 2);
  const std::size_t mask = larger.size() - 1;
  for (const Slot& slot : m_slots) {
    if (slot.stack == 0) continue;
    std::size_t at = slot.hash & mask;
    while (larger[at].stack != 0) at = (at + 1) & mask;
    larger[at] = slot;
  }
  m_slots = std::move(larger);
}

} // namespace rankscope
