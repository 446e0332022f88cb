// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a memory snapshot and a recording of the same rank have one clock: annotations of the same names
// must begin together in both. Only then may the snapshot be shown on the timeline. Pure; O(events).
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/model/memory_snapshot.h"

#include <cstdint>
#include <optional>

namespace rankscope {

struct SnapshotClock {
  static constexpr TimeNs kMostApart = 10'000'000;

  RankIndex rank;
  std::size_t pairs = 0;  // annotations that were found in both
  TimeNs medianApart = 0; // between their begins
  [[nodiscard]] bool isSame() const { return pairs > 0 && medianApart <= kMostApart; }
};

// Of the recording with the rank of the snapshot; if that is unknown, of the only one. Empty without a
// recording, or if no annotation is in both.
[[nodiscard]] std::optional<SnapshotClock>
snapshotClock(const Analysis& analysis, const MemorySnapshot& snapshot, const SnapshotDevice& device);

} // namespace rankscope
