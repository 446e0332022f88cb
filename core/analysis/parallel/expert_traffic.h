// SPDX-License-Identifier: GPL-3.0-or-later
// Who sends how much to which expert ranks, from the split sizes of all-to-alls (record_shapes), and how long
// the experts of each rank computed and waited. Equal splits where none were recorded as lists; nothing where
// they were not recorded at all. Counts of tokens that are exchanged first (integers) are left out. Split
// sizes are read again from the file.
#pragma once

#include "core/analysis/parallel/group_dimensions.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

enum class ExpertDirection : std::uint8_t { Dispatch, Combine, CombineBackward, DispatchBackward };
[[nodiscard]] constexpr bool isValid(ExpertDirection value) {
  return value <= ExpertDirection::DispatchBackward;
}

// "dispatch", "combine", "combine_backward", "dispatch_backward".
[[nodiscard]] std::string_view expertDirectionText(ExpertDirection direction);

struct ExpertCall {
  std::size_t step = 0; // in wholeStepWindows
  std::size_t call = 0; // of Analysis::collectiveCalls
  std::int64_t layer = 0;
  ExpertDirection direction = ExpertDirection::Dispatch;
  std::vector<std::int64_t> sent;     // elements, by place in the group; empty if not recorded
  std::vector<std::int64_t> received; // the same
};

struct ExpertStep {
  std::size_t step = 0;
  std::optional<std::int64_t> received; // elements of dispatches
  std::optional<std::int64_t> sent;
  TimeNs experts = 0;         // between the end of a dispatch and the begin of its combine
  std::optional<TimeNs> wait; // in combines whose other ranks were recorded
};

struct RankExperts {
  std::vector<ExpertCall> calls; // by step and begin
  std::vector<ExpertStep> steps;
  std::vector<std::int32_t> members; // ranks of the group; empty if unknown
};

// Of all steps.
[[nodiscard]] RankExperts rankExperts(const Analysis& analysis, RankIndex rank,
                                      const std::vector<CallUse>& uses, const GroupDimensions& dimensions);

// The load of a rank in a step against the mean of all ranks of its group.
struct ExpertRankStep {
  RankIndex rank;
  ExpertStep of;
  std::optional<double> imbalance; // received elements over their mean; without them time of the experts
};

// By rank, of steps that begin in the window of the analysis. uses: by RankIndex.
[[nodiscard]] std::vector<ExpertRankStep> expertRankSteps(const Analysis& analysis,
                                                          const std::vector<std::vector<CallUse>>& uses,
                                                          const GroupDimensions& dimensions);

} // namespace rankscope
