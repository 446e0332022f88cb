// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a job has one rank, so that nothing is divided or communicated. Pure; O(recordings), and O(events)
// where no collective was recorded on the device.
#pragma once

#include "core/analysis/job/analysis.h"

#include <string_view>

namespace rankscope {

// Whether a rank without device activity called collectives of NCCL, which ran on a device that was not
// recorded.
[[nodiscard]] bool callsUnrecordedCollectives(const Analysis& analysis);
// What is shown of them in place of figures.
inline constexpr std::string_view kUnrecordedCollectivesText =
    "Collectives of NCCL were called on the host, but what they did on the device was not recorded. Record "
    "with ProfilerActivity.CUDA.";
// Why a figure of communication is unknown in a job without recorded collectives: "no collective was
// recorded".
[[nodiscard]] std::string_view noCollectivesNote(bool calls);

// As recorded; where the number of ranks was not: files of one rank, without a collective.
[[nodiscard]] bool hasOneRank(const Analysis& analysis);

} // namespace rankscope
