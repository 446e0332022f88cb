// SPDX-License-Identifier: GPL-3.0-or-later
// Determines the tracks of a rank and their order: one per thread or stream and kind of track, merged over
// all readers of a file. The order depends only on the keys of the tracks. More than kMaxTracks of a kind are
// damage; the ones beyond share one track.
#pragma once

#include "core/model/file_events.h"

#include <cstdint>
#include <vector>

namespace rankscope {

inline constexpr std::size_t kMaxTracks = 16'384; // per kind

struct OrderedTracks {
  std::vector<Track> tracks;                    // sorted, with names from metadata, without rows and events
  std::vector<std::vector<std::uint32_t>> maps; // by table and local track: index in tracks
  std::vector<TrackIndex> common;               // tracks shared by what exceeds kMaxTracks
};

[[nodiscard]] OrderedTracks orderTracks(const FileEvents& file);

// Marks the tracks of the thread that runs the training loop: the thread with ProfilerStep annotations, else
// the first one of its process (its number is that of the process) if it has a fair part of the operators,
// else the one with Python frames, the most operators, the most events. Never one that is named as autograd's
// if there is another.
void nameMainThread(RankTrace& trace, const StringTable& names);

} // namespace rankscope
