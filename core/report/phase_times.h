// SPDX-License-Identifier: GPL-3.0-or-later
// Device time of each step of a rank by phase: from its events, or from its digest. Pure functions.
#pragma once

#include "core/analysis/job/analysis.h"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace rankscope {

inline constexpr std::array kTrainingPhases{Phase::DataLoader, Phase::Forward, Phase::Loss, Phase::Backward,
                                            Phase::Optimizer};

// By kTrainingPhases, then what is not annotated.
using PhaseTimesOfStep = std::array<TimeNs, kTrainingPhases.size() + 1>;

// By position in wholeStepWindows; zeros of a rank without a device.
[[nodiscard]] std::vector<PhaseTimesOfStep> devicePhaseTimes(const Analysis& analysis, RankIndex rank);

// In this range of the recording. REQUIRES: the events of the rank are at hand.
[[nodiscard]] PhaseTimesOfStep devicePhaseTimes(const Analysis& analysis, RankIndex rank, TimeRange range);

// DigestSection::Phases. REQUIRES: the events of the rank are at hand.
[[nodiscard]] std::string packedPhaseTimes(const Analysis& analysis, RankIndex rank);

} // namespace rankscope
