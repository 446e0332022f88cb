// SPDX-License-Identifier: GPL-3.0-or-later
// Stores event records between reading and sorting. Values are packed into a few large chunks shared by all
// readers. A chunk is freed as soon as no StoredSpan refers to it. Thread-safe.
#pragma once

#include "core/base/raw_array.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

namespace rankscope {

// Values within a chunk. Keeps the chunk alive.
template <class T> struct StoredSpan {
  std::span<const T> values;
  std::shared_ptr<const RawArray<T>> chunk;
};

template <class T> class ChunkStore {
 public:
  // Copies the values into a chunk. Throws std::bad_alloc.
  [[nodiscard]] StoredSpan<T> store(std::span<const T> values) {
    if (values.empty()) return {};
    std::shared_ptr<const RawArray<T>> chunk;
    std::size_t at = 0;
    {
      const std::lock_guard lock(m_mutex);
      if (!m_chunk || m_chunk->size() - m_used < values.size()) {
        m_nextSize = std::clamp(m_nextSize * 2, kFirstBytes / sizeof(T), kMaxBytes / sizeof(T));
        m_chunk = std::make_shared<const RawArray<T>>(std::max(m_nextSize, values.size()));
        m_used = 0;
      }
      chunk = m_chunk;
      at = m_used;
      m_used += values.size();
    }
    const std::span<T> space = chunk->span().subspan(at, values.size());
    std::ranges::copy(values, space.begin());
    return {space, std::move(chunk)};
  }

 private:
  // Chunk sizes start small and double, so that small files do not allocate large chunks.
  static constexpr std::size_t kFirstBytes = std::size_t{128} << 10;
  static constexpr std::size_t kMaxBytes = std::size_t{8} << 20;

  std::mutex m_mutex;
  std::shared_ptr<const RawArray<T>> m_chunk;
  std::size_t m_used = 0; // values used in m_chunk
  std::size_t m_nextSize = 0;
};

} // namespace rankscope
