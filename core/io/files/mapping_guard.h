// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps a mapped file from ending the program: where it was truncated, or the disk cannot be read, a
// read of the mapping raises SIGBUS. While a guard covers a mapping such reads give zeros instead, and
// faulted() reports it afterwards. The first guard installs the signal's handler, which passes on what lies
// in no guarded mapping. Any thread; making one costs a search for a free place among a thousand.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rankscope {

class MappingGuard {
 public:
  // REQUIRES: the mapping outlives the guard. Unguarded when a thousand are at once.
  MappingGuard(void* begin, std::size_t bytes);
  ~MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;

  // Whether something in the mapping could not be read and is zeros now.
  [[nodiscard]] bool faulted() const;

  struct Place {
    std::atomic<bool> taken{false};
    std::atomic<std::uintptr_t> begin{0}; // 0: none
    std::atomic<std::uintptr_t> end{0};   // whole pages
    std::atomic<bool> faulted{false};
  };

 private:
  Place* m_place = nullptr;
};

} // namespace rankscope
