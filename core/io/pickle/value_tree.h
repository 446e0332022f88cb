// SPDX-License-Identifier: GPL-3.0-or-later
// Plain data of a pickle or a JSON text: numbers, texts, lists, dictionaries. Nodes refer to each other by
// number, so that what is shared in the file is stored once. A hostile pickle may share a list 2^40 times or
// put it into itself: code that walks the tree must have a fixed depth and must not copy through references.
// Texts are views into the bytes that were read, or into texts of the tree. Built by one thread, then
// immutable. Cost: 16 bytes per node and 4 per reference.
#pragma once

#include "core/base/raw_array.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rankscope {

enum class ValueKind : std::uint8_t {
  None,
  Bool,
  Integer,
  Big, // an integer beyond 64 bits, saturated
  Real,
  Text,
  Bytes,
  List,
  Tuple,
  Set,
  Dict,
};

using ValueId = std::uint32_t;
inline constexpr ValueId kNoValue = UINT32_MAX;

// Memory of a tree. Whole blocks of trees that are gone are kept by their thread for the next one, a few of
// them: of hundreds of files each would have the system map and clear new pages.
class TreeBlock {
 public:
  static constexpr std::size_t kBytes = std::size_t{2} << 20; // a huge page

  // Whole, or smaller for a beginning. Throws std::bad_alloc.
  explicit TreeBlock(std::size_t bytes);
  ~TreeBlock();
  TreeBlock(TreeBlock&& other) noexcept
      : m_memory(std::move(other.m_memory)), m_whole(std::exchange(other.m_whole, false)) {}
  TreeBlock& operator=(TreeBlock&& other) noexcept {
    std::swap(m_memory, other.m_memory);
    std::swap(m_whole, other.m_whole);
    return *this;
  }

  [[nodiscard]] std::byte* data() const { return m_memory.data(); }

 private:
  PageMemory m_memory;
  bool m_whole;
};

// Growing storage that, beyond its first block, never moves what it holds, so that growing takes no second
// copy.
template <class T> class BlockVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  [[nodiscard]] std::size_t size() const { return m_size; }
  [[nodiscard]] T& operator[](std::size_t i) { return m_starts[i >> kBits][i & kMask]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return m_starts[i >> kBits][i & kMask]; }
  void push(T value) {
    if (m_size == m_capacity) grow();
    m_starts.back()[m_size & kMask] = value;
    ++m_size;
  }
  void push(std::span<const T> values) {
    while (!values.empty()) {
      if (m_size == m_capacity) grow();
      const std::size_t count = std::min(values.size(), m_capacity - m_size);
      std::memcpy(m_starts.back() + (m_size & kMask), values.data(), count * sizeof(T));
      m_size += count;
      values = values.subspan(count);
    }
  }
  void push(std::size_t count, T value) {
    while (count > 0) {
      if (m_size == m_capacity) grow();
      const std::size_t part = std::min(count, m_capacity - m_size);
      std::fill_n(m_starts.back() + (m_size & kMask), part, value);
      m_size += part;
      count -= part;
    }
  }
  // As many of `count` values from the i-th on as lie side by side, at least one.
  // REQUIRES: i + count <= size(), count > 0.
  [[nodiscard]] std::span<const T> piece(std::size_t i, std::size_t count) const {
    return {m_starts[i >> kBits] + (i & kMask), std::min(count, kMask + 1 - (i & kMask))};
  }

 private:
  static constexpr int kBits = std::bit_width(TreeBlock::kBytes / sizeof(T)) - 1;
  static constexpr std::size_t kMask = (std::size_t{1} << kBits) - 1;
  static constexpr std::size_t kFirst = 64;
  static constexpr std::size_t kMostGrown = (std::size_t{64} << 10) / sizeof(T);

  // The first block grows, so that small files take little; soon to a whole one, so that little is copied.
  void grow() {
    const bool first = m_capacity <= kMask;
    const std::size_t count = m_capacity < kMostGrown ? std::max(kFirst, 4 * m_capacity) : kMask + 1;
    TreeBlock block(count == kMask + 1 ? TreeBlock::kBytes : count * sizeof(T));
    T* const start = reinterpret_cast<T*>(block.data());
    if (first && m_size > 0) std::memcpy(start, m_starts.front(), m_size * sizeof(T));
    if (first) {
      m_memory.clear();
      m_starts.clear();
      m_capacity = 0;
    }
    m_memory.push_back(std::move(block));
    m_starts.push_back(start);
    m_capacity += count;
  }

  std::vector<TreeBlock> m_memory;
  std::vector<T*> m_starts;
  std::size_t m_size = 0;
  std::size_t m_capacity = 0;
};

class ValueTree {
 public:
  [[nodiscard]] ValueKind kind(ValueId id) const { return m_nodes[id].kind; }
  [[nodiscard]] bool isList(ValueId id) const {
    return id != kNoValue && (kind(id) == ValueKind::List || kind(id) == ValueKind::Tuple);
  }
  [[nodiscard]] bool isDict(ValueId id) const { return id != kNoValue && kind(id) == ValueKind::Dict; }
  // Of a list, tuple or set its elements; of a dictionary its keys and values together.
  [[nodiscard]] std::uint32_t size(ValueId id) const { return m_nodes[id].size; }
  [[nodiscard]] std::size_t nodeCount() const { return m_nodes.size(); }

  // An integer or bool, or a number without a fraction. kNoValue and other kinds: empty.
  [[nodiscard]] std::optional<std::int64_t> integer(ValueId id) const;
  [[nodiscard]] std::optional<double> real(ValueId id) const;
  // Empty view for other kinds and kNoValue.
  [[nodiscard]] std::string_view text(ValueId id) const;
  [[nodiscard]] bool truth(ValueId id) const;

  // Calls visit(element) in order.
  template <class Visit> void eachItem(ValueId id, Visit&& visit) const {
    if (id == kNoValue || kind(id) < ValueKind::List) return;
    std::uint32_t left = m_nodes[id].size;
    for (std::uint32_t chunk = firstChunk(id); chunk != kNoChunk && left > 0; chunk = m_chunks[chunk].next) {
      const Chunk part = m_chunks[chunk];
      for (std::uint32_t done = 0; done < part.count;) {
        const std::span<const ValueId> piece = m_children.piece(part.begin + done, part.count - done);
        for (const ValueId item : piece) visit(item);
        done += static_cast<std::uint32_t>(piece.size());
      }
      left -= part.count;
    }
  }
  // Calls visit(key, value) in the order of the file; a key may come twice.
  template <class Visit> void eachMember(ValueId id, Visit&& visit) const {
    if (!isDict(id)) return;
    ValueId key = kNoValue;
    eachItem(id, [&](ValueId item) {
      if (key == kNoValue) {
        key = item;
        return;
      }
      visit(key, item);
      key = kNoValue;
    });
  }
  // The last value of the key; kNoValue if there is none.
  [[nodiscard]] ValueId member(ValueId dict, std::string_view key) const;
  // Element i of a list or tuple; kNoValue if it is shorter.
  [[nodiscard]] ValueId item(ValueId list, std::uint32_t i) const;

  // Building.
  ValueId addNone() { return add(ValueKind::None, 0, 0); }
  ValueId addBool(bool value) { return add(ValueKind::Bool, value ? 1 : 0, 0); }
  ValueId addInteger(std::int64_t value) {
    return add(ValueKind::Integer, static_cast<std::uint64_t>(value), 0);
  }
  ValueId addBig(bool negative) {
    return add(ValueKind::Big, static_cast<std::uint64_t>(negative ? INT64_MIN : INT64_MAX), 0);
  }
  ValueId addReal(double value) { return add(ValueKind::Real, std::bit_cast<std::uint64_t>(value), 0); }
  // REQUIRES: the text outlives the tree and is shorter than 4 GiB.
  ValueId addText(std::string_view text, ValueKind kind = ValueKind::Text) {
    return add(kind, std::bit_cast<std::uint64_t>(text.data()), static_cast<std::uint32_t>(text.size()));
  }
  // Keeps a copy.
  ValueId addOwnText(std::string text) { return addText(m_texts.emplace_back(std::move(text))); }
  ValueId addContainer(ValueKind kind) { return add(kind, (std::uint64_t{kNoChunk} << 32) | kNoChunk, 0); }
  // REQUIRES: `to` is a container.
  void append(ValueId to, const ValueId* items, std::uint32_t count);

 private:
  struct Node {
    std::uint64_t payload;
    std::uint32_t size;
    ValueKind kind;
  };
  struct Chunk {
    std::uint32_t begin;
    std::uint32_t count;
    std::uint32_t next;
  };
  static constexpr std::uint32_t kNoChunk = UINT32_MAX;

  ValueId add(ValueKind kind, std::uint64_t payload, std::uint32_t size) {
    m_nodes.push({payload, size, kind});
    return static_cast<ValueId>(m_nodes.size() - 1);
  }
  [[nodiscard]] std::uint32_t firstChunk(ValueId id) const {
    return static_cast<std::uint32_t>(m_nodes[id].payload);
  }

  BlockVector<Node> m_nodes;
  BlockVector<Chunk> m_chunks;
  BlockVector<ValueId> m_children;
  std::deque<std::string> m_texts;
};

} // namespace rankscope
