// SPDX-License-Identifier: GPL-3.0-or-later
// How ranks are called where charts show some of many: by number, capture and what they stand for. Any
// thread.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/report/rank_shares.h"

#include <QString>

namespace rankscope::ui {

// More ranks than this share rows of bars, or one band of curves.
inline constexpr std::size_t kMaxBars = 32;
inline constexpr std::size_t kMaxLines = 16;
// Bars that stand for all of them then.
inline constexpr std::size_t kChosenBars = 12;

// "Rank 3"; with its capture where a rank has several.
[[nodiscard]] QString rankName(const Analysis& analysis, RankIndex rank);
// "Rank 3", "Rank 3 (2)": under an axis, where steps are called by number and capture too.
[[nodiscard]] QString shortRankName(const Analysis& analysis, RankIndex rank);
// "median", "90 %"; empty for one that stands for itself.
[[nodiscard]] QString roleText(RankRole role);
// "Rank 3 · median"
[[nodiscard]] QString chosenRankName(const Analysis& analysis, RankIndex rank, RankRole role);

} // namespace rankscope::ui
