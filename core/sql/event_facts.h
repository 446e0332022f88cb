// SPDX-License-Identifier: GPL-3.0-or-later
// What SQL tables tell of single events beyond their columns: self time, phase, module, line of Python,
// device time of operators. For one recording; each part is computed when first asked for. Thread-safe.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/analysis/stacks/call_groups.h"
#include "core/analysis/stacks/call_nesting.h"
#include "core/analysis/steps/phase_spans.h"
#include "core/base/lazy.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

class EventFacts {
 public:
  // analysis must outlive this.
  EventFacts(const Analysis& analysis, RankIndex rank);

  // Duration without the events nested in it; of an operator, without the operators called by it.
  [[nodiscard]] TimeNs selfTime(EventIndex event) const;
  [[nodiscard]] TimeNs operatorSelfTime(EventIndex op) const;
  // Sum of the durations of the device events that an operator launched itself, and with those it called.
  [[nodiscard]] TimeNs deviceSelfTime(EventIndex op) const;
  [[nodiscard]] TimeNs deviceTotalTime(EventIndex op) const;

  // Number of the step that contains the begin of the event.
  [[nodiscard]] std::optional<std::int64_t> stepOf(EventIndex event) const;
  // "forward", "backward", ...; of a device event, the phase that launched it. Empty if not annotated.
  [[nodiscard]] std::string_view phaseOf(EventIndex event) const;
  // Path of the module that called or launched the event, and the layer that it lies in, as in all tables;
  // backward functions count to the module of their forward operator. Empty without Python frames.
  [[nodiscard]] std::string_view moduleOf(EventIndex event) const;
  [[nodiscard]] std::string_view layerOf(EventIndex event) const;
  // The innermost Python frame of the user's own code, else the innermost one of no module; empty if there is
  // none.
  [[nodiscard]] std::string_view sourceOf(EventIndex event) const;

 private:
  struct OperatorTimes {
    std::vector<TimeNs> self;        // by event
    std::vector<TimeNs> deviceSelf;  // by event
    std::vector<TimeNs> deviceTotal; // by event
  };
  struct ThreadPhase {
    std::size_t firstTrack = 0;
    std::size_t endTrack = 0;
    std::vector<PhaseSpan> parts;
  };
  [[nodiscard]] const OperatorTimes& operatorTimes() const;
  [[nodiscard]] std::string_view partOf(EventIndex event, const Lazy<CallGroups>& groups,
                                        CallGrouping grouping) const;
  [[nodiscard]] Phase phaseOnThread(EventIndex hostEvent) const;
  [[nodiscard]] EventIndex hostEventOf(EventIndex event) const;

  const Analysis& m_analysis;
  RankIndex m_rank;
  const RankTrace& m_trace;
  const StringTable& m_names;
  Lazy<std::vector<TimeNs>> m_self;
  Lazy<OperatorTimes> m_operators;
  Lazy<std::vector<ThreadPhase>> m_phases;
  Lazy<CallNesting> m_nesting;
  Lazy<CallGroups> m_modules;
  Lazy<CallGroups> m_layers;
};

} // namespace rankscope
