// SPDX-License-Identifier: GPL-3.0-or-later
// A typed 32-bit index: a row index cannot be passed where an event index is expected. No cost at run time.
// kNone, the largest value, means "none".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility> // and with it <compare>

namespace rankscope {

template <class Tag> struct StrongIndex {
  static constexpr std::uint32_t kNone = 0xffffffffu;

  std::uint32_t value = kNone;

  constexpr StrongIndex() = default;
  constexpr explicit StrongIndex(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}

  [[nodiscard]] constexpr bool valid() const { return value != kNone; }
  constexpr auto operator<=>(const StrongIndex&) const = default;
};

using EventIndex = StrongIndex<struct EventTag>; // within one RankTrace
using TrackIndex = StrongIndex<struct TrackTag>; // within one RankTrace
using RowIndex = StrongIndex<struct RowTag>;     // within one RankTrace
using RankIndex = StrongIndex<struct RankTag>;   // within one TraceSet
using FileIndex = StrongIndex<struct FileTag>;   // within one TraceSet
using NameId = StrongIndex<struct NameTag>;      // within one StringTable

} // namespace rankscope

template <class Tag> struct std::hash<rankscope::StrongIndex<Tag>> {
  std::size_t operator()(rankscope::StrongIndex<Tag> index) const noexcept { return index.value; }
};
