// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives that one rank took part in, in order of time, each with what is known of it: from the
// arguments on its kernel, else from the record_param_comms or annotation around its launch, else from its
// name. On a rank with device activity they are its communication kernels; on one without (gloo) the back
// end's annotations, which last as long as the transfer. nccl: annotations end when the kernel is queued and
// are never calls themselves. O(collectives · log events).
#pragma once

#include "core/analysis/collectives/collective_operation.h"
#include "core/analysis/steps/step_list.h"
#include "core/model/clock_times.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

struct CollectiveCall {
  EventIndex event;
  RankRange range;
  CollectiveOperation operation = CollectiveOperation::Unknown;
  bool hasGroup = false; // the names below were recorded
  NameId dtype;          // invalid when not recorded
  NameId groupName;
  NameId groupDescription;
  NameId groupRanks; // text
  std::int64_t inElements = -1;
  std::int64_t outElements = -1;
  std::int64_t groupSize = -1;
  std::int64_t rankStart = -1;
  std::int64_t rankStride = -1;
  std::int64_t sequence = -1;
  std::int64_t peer = -1;
  std::uint64_t commsId = 0;
  std::int64_t step = kNoStep; // number of the step that launched it, as by StepAnchor

  static constexpr std::int64_t kNoStep = INT64_MIN;
};

// By begin.
[[nodiscard]] std::vector<CollectiveCall> collectiveCalls(const RankTrace& trace, const StringTable& names,
                                                          std::span<const Step> steps);

} // namespace rankscope
