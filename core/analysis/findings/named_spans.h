// SPDX-License-Identifier: GPL-3.0-or-later
// When a rank's host was within calls of some names: zero_grad, gradient clipping, barriers, FSDP's hooks,
// random numbers made on the CPU. What rules ask of a gap or copy whose cause such a call is. One pass over
// the host's events, and only where the job has one of these names. Plain data. Private to the findings.
#pragma once

#include "core/index/interval_set.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankscope {

enum class NamedCall : std::uint8_t {
  ZeroGrad,      // of optimizers
  ClipGradients, // and of the scaler of gradients: both read a norm
  CheckFinite,   // operators that such a read follows
  Barrier,
  FsdpForward, // hooks in which FSDP gathers parameters, and waits for room
  EmptyCache,
  PinMemory,
  SyncBatchNorm,
  HostRandom,   // random numbers without a kernel
  HostConstant, // filled tensors without a kernel, and tensors of lists
  Other,
};

inline constexpr std::size_t kNamedCallCount = static_cast<std::size_t>(NamedCall::Other);

// Other: none of them.
[[nodiscard]] NamedCall namedCallOf(std::string_view name);

class NamedSpans {
 public:
  NamedSpans() = default;
  NamedSpans(const RankTrace& trace, const StringTable& names);

  [[nodiscard]] const IntervalSet& of(NamedCall call) const {
    return m_spans[static_cast<std::size_t>(call)];
  }
  // Whether one of them ended shortly before t, so that what begins at t works on what it made.
  [[nodiscard]] bool endsJustBefore(NamedCall call, TimeNs t) const;

 private:
  std::array<IntervalSet, kNamedCallCount> m_spans;
};

} // namespace rankscope
