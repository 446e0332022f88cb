// SPDX-License-Identifier: GPL-3.0-or-later
// Position of an event in its file, used to read again what is not stored in columns. Opaque: only the reader
// that created it interprets the bits (an offset in a text, a row of a table); other code uses the
// recording's DetailSource. Guarantees: unique within a recording, and ascending in file order, which breaks
// ties between events and between names.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace rankscope {

class SourceRef {
 public:
  static constexpr unsigned kBits = 56; // limited by the size of RawEvent

  constexpr SourceRef() = default;
  constexpr explicit SourceRef(std::uint64_t readerBits) : m_readerBits(readerBits) {}

  // Only for the reader that created it.
  [[nodiscard]] constexpr std::uint64_t readerBits() const { return m_readerBits; }
  constexpr auto operator<=>(const SourceRef&) const = default;

 private:
  std::uint64_t m_readerBits = 0;
};

} // namespace rankscope

template <> struct std::hash<rankscope::SourceRef> {
  std::size_t operator()(rankscope::SourceRef ref) const noexcept { return ref.readerBits(); }
};
