// SPDX-License-Identifier: GPL-3.0-or-later
// A file without a place on any disk, for code that opens files by name: one a program, filled again for
// every input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace rankscope::test {

class MemoryFile {
 public:
  MemoryFile() : m_file(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (m_file < 0) std::abort();
  }
  ~MemoryFile() { close(m_file); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void fill(std::span<const std::uint8_t> bytes) const {
    const bool fine = ftruncate(m_file, 0) == 0 &&
                      pwrite(m_file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
    if (!fine) std::abort();
  }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(m_file); }

 private:
  int m_file;
};

// For what must hold whatever the input is.
inline void require(bool holds) {
  if (!holds) std::abort();
}

} // namespace rankscope::test
