// SPDX-License-Identifier: GPL-3.0-or-later
// The overview's figures as its cards and bars say them: values through the unit texts, and for what is not
// known the reason and what to record. Pure; any thread.
#pragma once

#include "core/report/overview_figures.h"
#include "ui/tabs/overview/phase_bars.h"
#include "ui/widgets/figure_card.h"

#include <QString>

#include <array>
#include <vector>

namespace rankscope::ui {

enum class OverviewCard : std::uint8_t { StepTime, Utilization, SmEfficiency, Occupancy, Exposed, Idle };

inline constexpr std::size_t kOverviewCardCount = static_cast<std::size_t>(OverviewCard::Idle) + 1;

[[nodiscard]] QString overviewCardTitle(OverviewCard card);
// What the figure means, in plain words.
[[nodiscard]] QString overviewCardDefinition(OverviewCard card);

// By OverviewCard.
[[nodiscard]] std::array<Figure, kOverviewCardCount> overviewCards(const OverviewFigures& figures,
                                                                   const TraceSet& trace);
// "8 ranks"; "2 ranks, 4 captures" where some were recorded in several profiling cycles.
[[nodiscard]] QString ranksText(const RankCounts& counts);
[[nodiscard]] std::vector<PhaseBar> overviewPhases(const OverviewFigures& figures);

} // namespace rankscope::ui
