// SPDX-License-Identifier: GPL-3.0-or-later
// The key figures of a job as texts, for the cards of the window and of a report: formatted values, or the
// reason why a value is unknown and what to record. Pure.
#pragma once

#include "core/report/overview_figures.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

enum class KeyFigure : std::uint8_t { StepTime, Utilization, SmEfficiency, Occupancy, Exposed, Idle };

inline constexpr std::size_t kKeyFigureCount = static_cast<std::size_t>(KeyFigure::Idle) + 1;

[[nodiscard]] std::string_view keyFigureTitle(KeyFigure figure);
[[nodiscard]] std::string_view keyFigureDefinition(KeyFigure figure);
// What steps that the profiler did not mark were taken from: "a repeating annotation"; empty for others.
[[nodiscard]] std::string_view detectedFromText(StepSource source);

struct KeyFigureText {
  std::string value;                     // empty: unknown
  std::string note;                      // basis of the value, or why it is unknown
  std::optional<Severity> severity = {}; // nothing: fine
  std::string more = {};                 // what the definition adds for this job
};

// By KeyFigure.
[[nodiscard]] std::array<KeyFigureText, kKeyFigureCount> keyFigureTexts(const OverviewFigures& figures,
                                                                        const TraceSet& trace);
// "8 ranks"; "2 ranks, 4 recordings" if there are several profiling cycles.
[[nodiscard]] std::string rankCountText(const RankCounts& counts);

} // namespace rankscope
