// SPDX-License-Identifier: GPL-3.0-or-later
// How a job is divided: the number of ranks along each axis and the place of each rank, also of ranks that
// were not recorded. A rank's place along an axis is its index within its group of that axis; where its
// groups are not known, it follows from the strides of the others. A layout given by the user replaces what
// was recognized: ranks are then numbered from inner to outer as tp, cp, fsdp, dp, pp. O(ranks · axes).
#pragma once

#include "core/analysis/parallel/group_dimensions.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

struct RankPlace {
  int rank = 0;
  std::array<std::optional<std::int64_t>, kLayoutAxisCount> at; // empty: not divided along it, or unknown
  std::string host;
  bool recorded = false;

  [[nodiscard]] std::optional<std::int64_t> along(LayoutAxis axis) const {
    return at[static_cast<std::size_t>(axis)];
  }
};

struct JobLayout {
  LayoutDegrees degrees;
  std::array<std::string, kLayoutAxisCount> evidence; // by axis; empty where degree is 1
  std::vector<RankPlace> ranks;                       // by rank, of the whole world
  std::int64_t world = 0;
  bool complete = true;     // the degrees multiply to the world
  bool given = false;       // by the user
  std::vector<int> missing; // ranks of the world that were not recorded

  [[nodiscard]] bool divided() const;
};

// Changes the dimensions of `dimensions` where a layout is given.
[[nodiscard]] JobLayout jobLayout(const Analysis& analysis, const JobPipelines& pipelines,
                                  GroupDimensions& dimensions, const LayoutSettings& settings);

// Places of a rank when ranks are numbered from inner to outer as tp, cp, fsdp, dp, pp; experts divide the
// ranks that have the same parameters.
[[nodiscard]] std::array<std::optional<std::int64_t>, kLayoutAxisCount>
placeInGrid(const LayoutDegrees& degrees, std::int64_t rank);

} // namespace rankscope
