// SPDX-License-Identifier: GPL-3.0-or-later
// Names as small numbers. StringInterner assigns NameIds in order of first appearance and stores the bytes
// in blocks that never move; StringTable is a constant snapshot of it that shares those blocks, so ids of an
// earlier snapshot mean the same in every later one. One interner belongs to one thread at a time; snapshots
// may be read by all.
#pragma once

#include "core/base/strong_index.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope {

class StringTable {
 public:
  StringTable() = default;
  // Text i is bytes[ends[i - 1], ends[i]), the first one from 0 on; owner keeps the bytes. REQUIRES: ends
  // ascend and stay within bytes.
  StringTable(std::span<const std::uint64_t> ends, std::string_view bytes, std::shared_ptr<const void> owner);

  [[nodiscard]] std::size_t size() const { return m_views.size(); }
  // REQUIRES: id came from this table's interner. An invalid id is the empty text.
  [[nodiscard]] std::string_view operator[](NameId id) const {
    return id.valid() ? m_views[id.value] : std::string_view();
  }

 private:
  friend class StringInterner;
  using Block = std::shared_ptr<const void>;

  std::vector<std::string_view> m_views;
  std::vector<Block> m_blocks;
};

class StringInterner {
 public:
  StringInterner();

  // The id of this text; new texts are copied. Amortized one hash and one comparison. When it throws, nothing
  // has changed.
  NameId intern(std::string_view text) { return internHashed(text, hashOf(text)); }
  // The same for a hash computed earlier by hashOf.
  NameId internHashed(std::string_view text, std::uint64_t hash);

  [[nodiscard]] std::size_t size() const { return m_table.m_views.size(); }
  [[nodiscard]] std::string_view operator[](NameId id) const { return m_table[id]; }
  [[nodiscard]] std::uint64_t hashAt(NameId id) const { return m_hashes[id.value]; }
  [[nodiscard]] StringTable snapshot() const { return m_table; }

  // XXH3 with a seed of this run: nothing may be kept that depends on it.
  [[nodiscard]] static std::uint64_t hashOf(std::string_view text);

 private:
  void grow();
  std::string_view store(std::string_view text);

  StringTable m_table;
  std::vector<std::uint64_t> m_hashes; // by id
  std::vector<std::uint32_t> m_slots;  // open addressing, id or StrongIndex::kNone
  char* m_free = nullptr;
  std::size_t m_freeBytes = 0;
};

} // namespace rankscope
