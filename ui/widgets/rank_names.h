// SPDX-License-Identifier: GPL-3.0-or-later
// Names of ranks in charts that show some of many: number, capture and role. Any thread.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/report/rank_shares.h"

#include <QString>

namespace rankscope::ui {

// With more ranks than this, bars show representative ranks, and curves one band.
inline constexpr std::size_t kMaxBars = 32;
inline constexpr std::size_t kMaxLines = 16;
// The number of representative bars.
inline constexpr std::size_t kChosenBars = 12;

// "Rank 3", with its capture if ranks have several and these are not shown together.
[[nodiscard]] QString rankName(const Analysis& analysis, RankIndex rank, bool together = false);
// "Rank 3", "Rank 3 (2)": for an axis, like steps, which have number and capture too.
[[nodiscard]] QString shortRankName(const Analysis& analysis, RankIndex rank, bool together = false);
// "median", "90 %"; empty if it represents only itself.
[[nodiscard]] QString roleText(RankRole role);
// "Rank 3 · median"
[[nodiscard]] QString chosenRankName(const Analysis& analysis, RankIndex rank, RankRole role,
                                     bool together = false);

} // namespace rankscope::ui
