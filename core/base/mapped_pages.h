// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of large mapped files. Pages of a file that were read count as memory of the program until the
// system takes them back, which it does only when memory runs short. A pass over data that may lie in such a
// file gives them back at its end. Reading them again gives the same bytes, from the file or from the
// system's page cache. Thread-safe, also beside readers.
#pragma once

#include <cstddef>
#include <span>

namespace rankscope {

// Pages that may be given back as long as this exists.
class MappedPages {
 public:
  // REQUIRES: the bytes are a mapping of a file to which the program writes nothing.
  explicit MappedPages(std::span<const std::byte> bytes);
  ~MappedPages();
  MappedPages(const MappedPages&) = delete;
  MappedPages& operator=(const MappedPages&) = delete;

 private:
  std::span<const std::byte> m_bytes;
};

// Of the bytes, the pages that lie within them and within one of MappedPages; nothing otherwise.
void giveBackPages(std::span<const std::byte> bytes);

} // namespace rankscope
