// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of one rank in time order, with their arguments: from the kernel, else from the
// record_param_comms or annotation that encloses its launch, else from its name. On a rank with device
// activity these are its communication kernels; otherwise (gloo) the annotations of the backend, which last
// as long as the transfer. nccl: annotations end when the kernel is queued and are never calls themselves.
// O(collectives · log events).
#pragma once

#include "core/analysis/collectives/collective_operation.h"
#include "core/analysis/steps/step_list.h"
#include "core/model/clock_times.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace rankscope {

// Who takes part in a call, as recorded.
struct CallParties {
  bool hasGroup = false; // whether the following names were recorded
  NameId groupName;
  NameId groupDescription;
  NameId groupRanks; // as text
  std::int64_t groupSize = -1;
  std::int64_t rankStart = -1;
  std::int64_t rankStride = -1;
  std::uint64_t commsId = 0;
  TransferPeer peer;

  [[nodiscard]] bool operator==(const CallParties&) const = default;
};

// Nothing recorded.
[[nodiscard]] const std::shared_ptr<const CallParties>& unknownParties();

// Calls of a rank with the same parties share them.
class PartyPool {
 public:
  [[nodiscard]] std::shared_ptr<const CallParties> shared(const CallParties& parties);

 private:
  std::unordered_multimap<std::uint64_t, std::shared_ptr<const CallParties>> m_known; // by hash
};

// Small, because a job has as many as all of its ranks together.
struct CollectiveCall {
  EventIndex event;
  NameId dtype; // invalid if not recorded
  RankRange range;
  std::int64_t inElements = -1;
  std::int64_t outElements = -1;
  std::int64_t sequence = -1;
  std::int64_t step = kNoStep; // number of the step that launched it, by StepAnchor
  std::shared_ptr<const CallParties> parties = unknownParties(); // not null
  CollectiveOperation operation = CollectiveOperation::Unknown;

  static constexpr std::int64_t kNoStep = INT64_MIN;
};

// Sorted by begin.
[[nodiscard]] std::vector<CollectiveCall> collectiveCalls(const RankTrace& trace, const StringTable& names,
                                                          std::span<const Step> steps);

} // namespace rankscope
