// SPDX-License-Identifier: GPL-3.0-or-later
// Which ranks made a job hang, from Flight Recorder dumps of its ranks. Two rules: the device of a rank
// stopped if peers completed what the rank has only enqueued; a rank did not call a collective if it is
// missing in a collective and does not wait in one, or in send or receive, itself. Groups are matched by
// their members, because pg_id numbers them differently on each rank. Groups with send and receive count per
// rank and are not compared. No rank is accused by a group of which a member left no dump, or one that is
// cut. Dumps are not taken at one instant: where what ranks wait in is young, the job may still run. Pure;
// cost: entries plus groups × members.
#pragma once

#include "core/analysis/collectives/flight_groups.h"
#include "core/model/flight_record.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
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

// Ranks whose oldest unfinished call has the same stack, rarest first; without one: the last call.
struct HangStand {
  std::vector<int> ranks;
  std::size_t record = 0; // of the first of them
  std::optional<std::size_t> entry;
  bool unfinished = false;
};

enum class HangState : std::uint8_t { Healthy, Culprit, CannotSay };

struct HangAnalysis {
  HangState state = HangState::Healthy;
  std::vector<HangGroup> groups;     // by desc, then members
  std::vector<HangWait> waits;       // by rank
  std::vector<HangCulprit> culprits; // earliest first
  std::vector<int> withoutDump;      // also those whose dump is cut or tells not all
  std::vector<HangStand> stands;
  std::optional<std::int64_t> latest; // last time in any dump
  // The age of the oldest unfinished call when its dump was written; set if it is so young that the job may
  // still run.
  std::optional<std::int64_t> mayRun;
  std::vector<HangCulprit> suspects; // then: whom the rules name if it does not run

  [[nodiscard]] std::vector<int> culpritsWith(HangVerdict verdict) const;
};

// REQUIRES: every record has a rank, and no two the same.
[[nodiscard]] HangAnalysis analyzeHang(std::span<const FlightRecord> records);

} // namespace rankscope
