// SPDX-License-Identifier: GPL-3.0-or-later
// Protects reads of a mapped file. If the file was truncated or the disk cannot be read, a read raises
// SIGBUS. While a guard covers the mapping, such reads return zeros and faulted() reports it. The first guard
// installs the signal handler, which forwards faults outside of guarded mappings. Thread-safe. Creating a
// guard searches a table of a thousand entries.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rankscope {

class MappingGuard {
 public:
  // REQUIRES: the mapping outlives the guard. Beyond a thousand guards at once, a mapping stays unguarded.
  MappingGuard(void* begin, std::size_t bytes);
  ~MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;

  // Whether part of the mapping could not be read and reads as zeros.
  [[nodiscard]] bool faulted() const;

  struct Place {
    std::atomic<bool> taken{false};
    std::atomic<std::uintptr_t> begin{0}; // 0 if unused
    std::atomic<std::uintptr_t> end{0};   // rounded to whole pages
    std::atomic<bool> faulted{false};
  };

 private:
  Place* m_place = nullptr;
};

} // namespace rankscope
