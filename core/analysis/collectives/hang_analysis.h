// SPDX-License-Identifier: GPL-3.0-or-later
// Which ranks made a job hang, from Flight Recorder dumps of its ranks. Two rules: the device of a rank
// stopped if peers completed what the rank has only enqueued; a rank did not call a collective if it is
// missing in a collective and does not wait in one, or in send or receive, itself. Groups are matched by
// their members, because pg_id numbers them differently on each rank. Groups with send and receive count per
// rank: of these only the two ends of a call are compared. No rank is accused by a group of which a member
// left no dump, or one that is cut, but of calls that do not match. Dumps are not taken at one instant: where
// what ranks wait in is young, the job may still run. Pure; cost: entries plus groups × members.
#pragma once

#include "core/analysis/collectives/hang_verdicts.h"
#include "core/model/flight_record.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

// Ranks whose oldest unfinished call has the same stack, rarest first; without one: the last call.
struct HangStand {
  std::vector<int> ranks;
  std::size_t record = 0; // of the first of them
  std::optional<std::size_t> entry;
  bool unfinished = false;
};

enum class HangState : std::uint8_t { Healthy, Culprit, CannotSay };

struct HangAnalysis : HangVerdicts {
  HangState state = HangState::Healthy;
  std::vector<HangGroup> groups; // by desc, then members
  std::vector<int> withoutDump;  // also those whose dump is cut or tells not all
  std::vector<HangStand> stands;
  std::optional<std::int64_t> latest; // last time in any dump
};

// REQUIRES: every record has a rank, and no two the same.
[[nodiscard]] HangAnalysis analyzeHang(std::span<const FlightRecord> records);

} // namespace rankscope
