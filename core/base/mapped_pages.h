// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of large mapped files. Pages of a file that were read count as memory of the program until the
// system takes them back, which it does only when memory runs short. Whoever has passed over data that may
// lie in such a file gives them back; whoever reads them again gets the same bytes, from the file or from the
// system's copy of it. Thread-safe, also beside readers.
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
