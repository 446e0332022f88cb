// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/time_pieces.h"

#include <array>

namespace rankscope {

LeafTimes TimePieces::within(TimeRange window) const {
  std::array<std::array<TimeNs, kLeafCount>, kTimeClassCount> sums{};
  forEachWithin(window, [&](TimeRange range, const Piece& piece) {
    sums[static_cast<std::size_t>(piece.timeClass)][static_cast<std::size_t>(piece.leaf)] += range.length();
  });
  LeafTimes times;
  for (std::size_t c = 0; c < kTimeClassCount; ++c) {
    for (std::size_t leaf = 0; leaf < kLeafCount; ++leaf) {
      if (sums[c][leaf] > 0)
        times.push_back({static_cast<TimeClass>(c), static_cast<Leaf>(leaf), sums[c][leaf]});
    }
  }
  return times;
}

} // namespace rankscope
