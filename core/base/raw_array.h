// SPDX-License-Identifier: GPL-3.0-or-later
// A large, uninitialized array of plain values that the writer fills. It is not cleared, uses huge pages
// where available (page faults are about half of the cost of filling it), and can return parts of its memory
// to the system early. Several threads may write to parts that do not overlap. Move-only.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace rankscope {

// Memory that is mapped for large sizes and allocated on the heap for small ones.
class PageMemory {
 public:
  PageMemory() = default;
  // Throws std::bad_alloc.
  explicit PageMemory(std::size_t bytes);
  ~PageMemory();
  PageMemory(PageMemory&& other) noexcept
      : m_data(std::exchange(other.m_data, nullptr)), m_bytes(std::exchange(other.m_bytes, 0)),
        m_mapped(std::exchange(other.m_mapped, 0)) {}
  PageMemory& operator=(PageMemory&& other) noexcept {
    std::swap(m_data, other.m_data);
    std::swap(m_bytes, other.m_bytes);
    std::swap(m_mapped, other.m_mapped);
    return *this;
  }

  [[nodiscard]] std::byte* data() const { return m_data; }
  // Returns the whole pages inside bytes [first, last) to the system. Their contents are lost.
  void giveBack(std::size_t first, std::size_t last);

 private:
  std::byte* m_data = nullptr;
  std::size_t m_bytes = 0;
  std::size_t m_mapped = 0; // bytes from the start of the mapping to its end; 0 if on the heap
};

template <class T> class RawArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  RawArray() = default;
  explicit RawArray(std::size_t size) : m_memory(size * sizeof(T)), m_size(size) {}

  [[nodiscard]] std::size_t size() const { return m_size; }
  [[nodiscard]] std::span<T> span() const { return {reinterpret_cast<T*>(m_memory.data()), m_size}; }
  [[nodiscard]] T& operator[](std::size_t i) const { return reinterpret_cast<T*>(m_memory.data())[i]; }
  // Returns the memory of values [first, last), which are no longer needed.
  void giveBack(std::size_t first, std::size_t last) {
    m_memory.giveBack(first * sizeof(T), last * sizeof(T));
  }

 private:
  PageMemory m_memory;
  std::size_t m_size = 0;
};

} // namespace rankscope
