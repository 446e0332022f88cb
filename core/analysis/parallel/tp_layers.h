// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives of tensor parallelism by layer. A layer is one period of their sequence: operation, elements
// and how much the rank computed between them. Layers are numbered from 0 in forward order; backward goes
// through them from the last to the first. Collectives outside the period (of the loss) have no layer.
#pragma once

#include "core/analysis/collectives/group_names.h"
#include "core/analysis/parallel/call_uses.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

struct TpLayerCall {
  std::size_t step = 0; // in wholeStepWindows
  std::optional<std::int64_t> layer;
  bool backward = false;
  CollectiveOperation operation = CollectiveOperation::Unknown;
  std::int64_t calls = 0;
  std::optional<std::int64_t> bytes;
  TimeNs duration = 0; // sums over the calls of the layer
  TimeNs exposed = 0;
  std::optional<TimeNs> wait;         // of the calls whose other ranks were recorded
  TimeNs computeBefore = 0;           // since the call before
  std::optional<double> busGigabytes; // per second
};

// By step, direction, layer. Of steps that begin in the window of the analysis.
[[nodiscard]] std::vector<TpLayerCall> tpLayers(const Analysis& analysis, RankIndex rank,
                                                const std::vector<CallUse>& uses,
                                                const std::vector<RankDimension>& dimensions);

// The smallest period that at least four of five of the signatures have, and where it begins; 0 without one.
struct LayerPeriod {
  std::size_t begin = 0;
  std::size_t length = 0;
  std::size_t end = 0; // of whole periods

  [[nodiscard]] std::size_t count() const { return length == 0 ? 0 : (end - begin) / length; }
};
[[nodiscard]] LayerPeriod layerPeriodOf(std::span<const std::uint64_t> signatures);

} // namespace rankscope
