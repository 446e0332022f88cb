// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/raw_array.h"

#include <sys/mman.h>

#include <cstdint>

namespace rankscope {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
// Smaller sizes are allocated on the heap.
constexpr std::size_t kMinBytes = std::size_t{256} << 10;

std::size_t roundedUp(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

} // namespace

PageMemory::PageMemory(std::size_t bytes) : m_bytes(bytes) {
  if (bytes < kMinBytes) {
    m_data = static_cast<std::byte*>(::operator new(bytes));
    return;
  }
  // Huge pages need an aligned start. The part before it is never touched.
  m_mapped = roundedUp(bytes, kPage) + kHugePage;
  void* const mapping = mmap(nullptr, m_mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) { // the number of mappings per process is limited; the heap may still have space
    m_mapped = 0;
    m_data = static_cast<std::byte*>(::operator new(bytes));
    return;
  }
  const auto start = reinterpret_cast<std::uintptr_t>(mapping);
  const std::size_t before = roundedUp(start, kHugePage) - start;
  m_data = static_cast<std::byte*>(mapping) + before;
  // Do not extend the end: a huge page that would reach beyond it is not used.
  if (before > 0) munmap(mapping, before);
  const std::size_t used = roundedUp(bytes, kPage);
  if (m_mapped - before > used) munmap(m_data + used, m_mapped - before - used);
  m_mapped = used;
#ifdef MADV_HUGEPAGE
  madvise(m_data, m_mapped, MADV_HUGEPAGE);
#endif
}

PageMemory::~PageMemory() {
  if (m_mapped > 0) {
    munmap(m_data, m_mapped);
  } else {
    ::operator delete(m_data);
  }
}

void PageMemory::giveBack(std::size_t first, std::size_t last) {
  if (m_mapped == 0) return;
  const std::size_t begin = roundedUp(first, kPage);
  const std::size_t end = last == m_bytes ? m_mapped : last / kPage * kPage;
  if (begin < end) madvise(m_data + begin, end - begin, MADV_DONTNEED);
}

} // namespace rankscope
