// SPDX-License-Identifier: GPL-3.0-or-later
// Which tracks a rank has and in which order: one per thread or stream and kind of what it shows, unified
// over the readers of a file. The order is a function of the tracks' keys alone.
#pragma once

#include "core/model/file_events.h"

#include <utility>
#include <vector>

namespace rankscope {

// The tracks in order, with names from metadata, without rows and events; and for every table and local track
// its position among them.
[[nodiscard]] std::pair<std::vector<Track>, std::vector<std::vector<std::uint32_t>>>
orderTracks(const FileEvents& file);

// Marks the tracks of the thread that ran the training loop: the one with the ProfilerStep annotations, else
// the one with the most operators, else the one with the most events.
void nameMainThread(RankTrace& trace, const StringTable& names);

} // namespace rankscope
