// SPDX-License-Identifier: GPL-3.0-or-later
// Where an event came from, so that what the columns do not hold can be read again. Opaque: its bits are the
// reader's that made it (an offset into a text, a row of a table), and code that needs more than the columns
// holds asks the recording's DetailSource. All that others may rely on: within a recording no two events
// share one, and they ascend in the order of the file, which breaks ties between events and between names.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace rankscope {

class SourceRef {
 public:
  static constexpr unsigned kBits = 56; // a RawEvent has no space for more

  constexpr SourceRef() = default;
  constexpr explicit SourceRef(std::uint64_t readerBits) : m_readerBits(readerBits) {}

  // For the reader that made it only.
  [[nodiscard]] constexpr std::uint64_t readerBits() const { return m_readerBits; }
  constexpr auto operator<=>(const SourceRef&) const = default;

 private:
  std::uint64_t m_readerBits = 0;
};

} // namespace rankscope

template <> struct std::hash<rankscope::SourceRef> {
  std::size_t operator()(rankscope::SourceRef ref) const noexcept { return ref.readerBits(); }
};
