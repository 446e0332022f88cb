// SPDX-License-Identifier: GPL-3.0-or-later
// The table `modules`: what each module of a rank's model took, forward and backward. Its last row of a rank
// is what belongs to no module, so that device times add up to all device time.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

inline constexpr std::string_view kNoModule = "[no module]";

// Ranks without modules have no rows.
[[nodiscard]] ResultTable modulesTable(const Analysis& analysis);

// The same modules as a tree, summed over ranks: outer ones before what they call, the heaviest first. Names
// are indented by their depth.
[[nodiscard]] ResultTable moduleTreeTable(const Analysis& analysis);

// What each layer of the model took on the device, summed over ranks; where no module launched device work,
// its calls on the host, as forward.
struct LayerTimes {
  std::int64_t layer = 0;
  std::int64_t forward = 0;
  std::int64_t recompute = 0;
  std::int64_t backward = 0;
};
struct Layers {
  std::string name;              // class of the layers
  std::vector<LayerTimes> times; // by layer; empty when the model has none
  bool onHost = false;           // the times are of the host
};
// Of several stacks of layers (an encoder's and a decoder's) the one that takes the most.
[[nodiscard]] Layers layerTimes(const Analysis& analysis);

} // namespace rankscope
