// SPDX-License-Identifier: GPL-3.0-or-later
// Which tracks a rank has and in which order: one per thread or stream and kind of what it shows, unified
// over the readers of a file. The order is a function of the tracks' keys alone. Of each kind the first
// kMaxTracks are kept distinct; more of them are damage, and share one track.
#pragma once

#include "core/model/file_events.h"

#include <cstdint>
#include <vector>

namespace rankscope {

inline constexpr std::size_t kMaxTracks = 16'384; // of a kind

struct OrderedTracks {
  std::vector<Track> tracks;                    // with names from metadata, without rows and events
  std::vector<std::vector<std::uint32_t>> maps; // by table and local track: position among them
  std::vector<TrackIndex> common;               // that hold what is not kept distinct
};

[[nodiscard]] OrderedTracks orderTracks(const FileEvents& file);

// Marks the tracks of the thread that ran the training loop: the one with the ProfilerStep annotations, else
// the one with the most operators, else the one with the most events.
void nameMainThread(RankTrace& trace, const StringTable& names);

} // namespace rankscope
