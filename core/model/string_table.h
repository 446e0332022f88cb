// SPDX-License-Identifier: GPL-3.0-or-later
// Names as small integers. StringInterner assigns NameIds in order of first appearance and stores texts in
// blocks that never move. StringTable is an immutable snapshot that shares these blocks; ids stay valid in
// all later snapshots. An interner is used by one thread at a time; snapshots are thread-safe.
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
  // Text i is bytes[ends[i - 1], ends[i]), the first one starts at 0. `owner` keeps the bytes alive.
  // REQUIRES: ends ascend and are within bytes.
  StringTable(std::span<const std::uint64_t> ends, std::string_view bytes, std::shared_ptr<const void> owner);

  [[nodiscard]] std::size_t size() const { return m_views.size(); }
  // An invalid id gives an empty text. REQUIRES: id is from this table's interner.
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

  // Returns the id of a text. Copies new texts. Amortized cost: one hash and one comparison. If it throws,
  // nothing has changed.
  NameId intern(std::string_view text) { return internHashed(text, hashOf(text)); }
  // The same with a hash that was computed by hashOf.
  NameId internHashed(std::string_view text, std::uint64_t hash);

  [[nodiscard]] std::size_t size() const { return m_table.m_views.size(); }
  [[nodiscard]] std::string_view operator[](NameId id) const { return m_table[id]; }
  [[nodiscard]] std::uint64_t hashAt(NameId id) const { return m_hashes[id.value]; }
  [[nodiscard]] StringTable snapshot() const { return m_table; }

  // XXH3 with a seed that differs in each run. Do not store values that depend on it.
  [[nodiscard]] static std::uint64_t hashOf(std::string_view text);

 private:
  void grow();
  std::string_view store(std::string_view text);

  StringTable m_table;
  std::vector<std::uint64_t> m_hashes; // by id
  std::vector<std::uint32_t> m_slots;  // hash table with open addressing: id or StrongIndex::kNone
  char* m_free = nullptr;
  std::size_t m_freeBytes = 0;
};

} // namespace rankscope
