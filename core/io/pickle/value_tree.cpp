// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/value_tree.h"

#include <cmath>

namespace rankscope {

namespace {

// Those of one file of common size.
class KeptBlocks {
 public:
  KeptBlocks() { m_blocks.reserve(kMost); }

  [[nodiscard]] PageMemory take() {
    if (m_blocks.empty()) return PageMemory(TreeBlock::kBytes);
    PageMemory block = std::move(m_blocks.back());
    m_blocks.pop_back();
    return block;
  }
  void keep(PageMemory&& block) {
    if (m_blocks.size() < kMost) m_blocks.push_back(std::move(block));
  }

 private:
  static constexpr std::size_t kMost = 6;

  std::vector<PageMemory> m_blocks;
};

thread_local KeptBlocks theKeptBlocks;

} // namespace

TreeBlock::TreeBlock(std::size_t bytes)
    : m_memory(bytes < kBytes ? PageMemory(bytes) : theKeptBlocks.take()), m_whole(bytes >= kBytes) {}

TreeBlock::~TreeBlock() {
  if (m_whole) theKeptBlocks.keep(std::move(m_memory));
}

std::optional<std::int64_t> ValueTree::integer(ValueId id) const {
  if (id == kNoValue) return std::nullopt;
  const Node& node = m_nodes[id];
  switch (node.kind) {
  case ValueKind::Bool:
  case ValueKind::Integer:
  case ValueKind::Big:
    return static_cast<std::int64_t>(node.payload);
  case ValueKind::Real: {
    const auto value = std::bit_cast<double>(node.payload);
    constexpr double kExact = 9007199254740992.0; // 2^53
    if (!(std::abs(value) <= kExact) || value != std::floor(value)) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  default:
    return std::nullopt;
  }
}

std::optional<double> ValueTree::real(ValueId id) const {
  if (id != kNoValue && m_nodes[id].kind == ValueKind::Real)
    return std::bit_cast<double>(m_nodes[id].payload);
  const auto whole = integer(id);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::string_view ValueTree::text(ValueId id) const {
  if (id == kNoValue) return {};
  const Node& node = m_nodes[id];
  if (node.kind != ValueKind::Text && node.kind != ValueKind::Bytes) return {};
  return {std::bit_cast<const char*>(node.payload), node.size};
}

bool ValueTree::truth(ValueId id) const {
  return integer(id).value_or(0) != 0;
}

ValueId ValueTree::member(ValueId dict, std::string_view key) const {
  ValueId found = kNoValue;
  eachMember(dict, [&](ValueId name, ValueId value) {
    if (text(name) == key) found = value;
  });
  return found;
}

ValueId ValueTree::item(ValueId list, std::uint32_t i) const {
  if (!isList(list) || i >= size(list)) return kNoValue;
  for (std::uint32_t chunk = firstChunk(list); chunk != kNoChunk; chunk = m_chunks[chunk].next) {
    if (i < m_chunks[chunk].count) return m_children[m_chunks[chunk].begin + i];
    i -= m_chunks[chunk].count;
  }
  return kNoValue;
}

void ValueTree::append(ValueId to, const ValueId* items, std::uint32_t count) {
  if (count == 0) return;
  const auto begin = static_cast<std::uint32_t>(m_children.size());
  m_children.push(std::span(items, count));
  Node& node = m_nodes[to];
  node.size += count;
  const auto last = static_cast<std::uint32_t>(node.payload >> 32);
  if (last != kNoChunk && m_chunks[last].begin + m_chunks[last].count == begin) {
    m_chunks[last].count += count;
    return;
  }
  const auto added = static_cast<std::uint32_t>(m_chunks.size());
  m_chunks.push({begin, count, kNoChunk});
  if (last == kNoChunk) {
    node.payload = (std::uint64_t{added} << 32) | added;
  } else {
    m_chunks[last].next = added;
    node.payload = (std::uint64_t{added} << 32) | static_cast<std::uint32_t>(node.payload);
  }
}

} // namespace rankscope
