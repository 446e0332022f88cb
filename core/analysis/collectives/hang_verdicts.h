// SPDX-License-Identifier: GPL-3.0-or-later
// Who waits for whom in the groups of Flight Recorder dumps, and which ranks made them wait: the rules of
// hang_analysis.h. Pure; cost: entries plus groups × members.
#pragma once

#include "core/analysis/collectives/flight_groups.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

struct HangCulprit {
  int rank = 0;
  HangVerdict verdict = HangVerdict::Unknown;
  std::size_t group = 0;             // in which it shows first; where times are unknown, the largest
  std::vector<int> waiting;          // ranks that wait for it
  std::optional<std::int64_t> since; // first unfinished call of those
};

struct HangWait {
  int rank = 0;
  std::size_t group = 0;
  std::vector<int> waitsFor;
};

struct HangVerdicts {
  std::vector<HangWait> waits;       // by rank
  std::vector<HangCulprit> culprits; // earliest first
  // The age of the oldest unfinished call when its dump was written; set if it is so young that the job may
  // still run.
  std::optional<std::int64_t> mayRun;
  std::vector<HangCulprit> suspects; // then: whom the rules name if it does not run

  [[nodiscard]] std::vector<int> culpritsWith(HangVerdict verdict) const;
};

// Sets the verdicts of members. REQUIRES: groups with their members compared. latest: the last time in any
// dump.
[[nodiscard]] HangVerdicts hangVerdicts(std::vector<HangGroup>& groups, std::span<const FlightRecord> records,
                                        std::optional<std::int64_t> latest);

} // namespace rankscope
