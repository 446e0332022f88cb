// SPDX-License-Identifier: GPL-3.0-or-later
// Where the iterations of a recording without training steps are on the host: labels of serving engines and
// ranges of NVTX, else calls of the model's outermost module (Hugging Face), else calls of generate(), else
// launches of CUDA graphs. Pure; a pass over annotations and frames.
#pragma once

#include "core/analysis/efficiency/iteration_labels.h"
#include "core/analysis/job/analysis.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace rankscope {

struct HostIteration {
  EventIndex event; // its annotation, the frame of its module, or the launch of its graph
  IterationLabel label;
  TimeRange host;
  bool labeled = false;   // by an engine; else the phase is judged by what ran
  bool generates = false; // of a model that makes token by token
};

// Labels of engines alone; the outermost of each nest, by begin.
[[nodiscard]] std::vector<HostIteration> labeledIterations(const RankTrace& trace, const StringTable& names);

// The first kind that the recording has, by begin; they do not overlap. Only labels where it has a backward
// pass, or steps that are the iterations.
[[nodiscard]] std::vector<HostIteration> hostIterations(const Analysis& analysis, RankIndex rank);

// The one whose host part holds a time; null for none. REQUIRES: by begin, without overlap.
template <class Iterations> [[nodiscard]] auto* iterationAt(Iterations& iterations, TimeNs time) {
  const auto after =
      std::ranges::upper_bound(iterations, time, {}, [](const auto& of) -> TimeNs { return of.host.begin; });
  const bool found = after != iterations.begin() &&
                     (std::prev(after)->host.contains(time) || std::prev(after)->host.begin == time);
  return found ? &*std::prev(after) : nullptr;
}

} // namespace rankscope
