// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the overview's cards and bars: formatted values, or the reason why a value is unknown and what
// to record. Pure; any thread.
#pragma once

#include "core/report/key_figures.h"
#include "core/report/overview_figures.h"
#include "ui/tabs/overview/phase_bars.h"
#include "ui/widgets/figure_card.h"

#include <QString>

#include <array>
#include <vector>

namespace rankscope::ui {

using OverviewCard = KeyFigure;

inline constexpr std::size_t kOverviewCardCount = kKeyFigureCount;

[[nodiscard]] QString overviewCardTitle(OverviewCard card);
// Definition of the metric.
[[nodiscard]] QString overviewCardDefinition(OverviewCard card);

// By OverviewCard.
[[nodiscard]] std::array<Figure, kOverviewCardCount> overviewCards(const OverviewFigures& figures,
                                                                   const TraceSet& trace);
// "8 ranks"; "2 ranks, 4 captures" if there are several profiling cycles.
[[nodiscard]] QString ranksText(const RankCounts& counts);
[[nodiscard]] std::vector<PhaseBar> overviewPhases(const OverviewFigures& figures);

} // namespace rankscope::ui
