// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/event_chunks.h"

#include <algorithm>

namespace rankscope {

namespace {

// Small files shall not pay for large chunks.
constexpr std::size_t kFirstChunk = std::size_t{1} << 12;
constexpr std::size_t kLargestChunk = std::size_t{1} << 18;

} // namespace

KeptEvents EventChunks::keep(std::span<const RawEvent> events) {
  if (events.empty()) return {};
  std::shared_ptr<const RawArray<RawEvent>> chunk;
  std::size_t at = 0;
  {
    const std::lock_guard lock(m_mutex);
    if (!m_chunk || m_chunk->size() - m_used < events.size()) {
      m_nextSize = std::clamp(m_nextSize * 2, kFirstChunk, kLargestChunk);
      m_chunk = std::make_shared<const RawArray<RawEvent>>(std::max(m_nextSize, events.size()));
      m_used = 0;
    }
    chunk = m_chunk;
    at = m_used;
    m_used += events.size();
  }
  const std::span<RawEvent> room = chunk->span().subspan(at, events.size());
  std::ranges::copy(events, room.begin());
  return {room, std::move(chunk)};
}

} // namespace rankscope
