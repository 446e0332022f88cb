// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/string_table.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <random>
#include <utility>

// Names are short: the inlined XXH3 hashes them in a few instructions.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rankscope {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 16;
constexpr std::size_t kFirstSlots = 1024;

// Random in every run, so that no file can be crafted whose names all collide.
std::uint64_t chosenSeed() {
  try {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
  } catch (const std::exception&) { // the system has no source of random numbers
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
}

} // namespace

std::uint64_t StringInterner::hashOf(std::string_view text) {
  static const std::uint64_t seed = chosenSeed();
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

StringTable::StringTable(std::span<const std::uint64_t> ends, std::string_view bytes,
                         std::shared_ptr<const void> owner) {
  m_views.reserve(ends.size());
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    m_views.push_back(bytes.substr(begin, end - begin));
    begin = end;
  }
  m_blocks.push_back(std::move(owner));
}

StringInterner::StringInterner() : m_slots(kFirstSlots, NameId::kNone) {}

NameId StringInterner::internHashed(std::string_view text, std::uint64_t hash) {
  if ((m_hashes.size() + 1) * 2 > m_slots.size()) grow();
  const std::size_t mask = m_slots.size() - 1;
  std::size_t slot = hash & mask;
  for (; m_slots[slot] != NameId::kNone; slot = (slot + 1) & mask) {
    const std::uint32_t id = m_slots[slot];
    if (m_hashes[id] == hash && m_table.m_views[id] == text) return NameId(id);
  }
  const NameId id(m_hashes.size());
  m_hashes.push_back(hash);
  try {
    m_table.m_views.push_back(store(text));
  } catch (...) {
    m_hashes.pop_back();
    throw;
  }
  m_slots[slot] = id.value;
  return id;
}

void StringInterner::grow() {
  std::vector<std::uint32_t> slots(m_slots.size() * 2, NameId::kNone);
  const std::size_t mask = slots.size() - 1;
  for (std::uint32_t id = 0; id < m_hashes.size(); ++id) {
    std::size_t slot = m_hashes[id] & mask;
    while (slots[slot] != NameId::kNone) slot = (slot + 1) & mask;
    slots[slot] = id;
  }
  m_slots = std::move(slots);
}

std::string_view StringInterner::store(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > m_freeBytes) {
    const std::size_t bytes = std::max(kBlockBytes, text.size());
    const std::shared_ptr<char[]> block(new char[bytes]);
    m_table.m_blocks.push_back(block);
    m_free = block.get();
    m_freeBytes = bytes;
  }
  std::memcpy(m_free, text.data(), text.size());
  const std::string_view stored(m_free, text.size());
  m_free += text.size();
  m_freeBytes -= text.size();
  return stored;
}

} // namespace rankscope
