// SPDX-License-Identifier: GPL-3.0-or-later
// The process groups of Flight Recorder dumps, matched over ranks, with how far each member is. Pure.
#pragma once

#include "core/model/flight_record.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

enum class HangVerdict : std::uint8_t {
  Ok,
  Waits,
  HostNeverCame,
  DeviceStopped,
  Mismatch,
  NoDump,
  Unknown,
};

// As in the table: "host_never_came".
[[nodiscard]] std::string_view hangVerdictText(HangVerdict verdict);

// A member of a group. -1: unknown.
struct HangMember {
  int rank = 0;
  std::optional<std::size_t> dump; // index of its record
  bool counted = true;             // false: its dump does not tell which of its counts are of this group
  std::int64_t enqueued = -1;
  std::int64_t started = -1;
  std::int64_t completed = -1;
  std::optional<std::size_t> entry; // first unfinished one, in its record
  std::int64_t firstUnfinished = -1;
  HangVerdict verdict = HangVerdict::Ok;

  [[nodiscard]] bool unfinished() const { return enqueued > completed; }
};

struct HangGroup {
  std::string desc;                // "EXPERT_MODEL_PARALLEL_GROUP"
  std::string name;                // its number in the framework
  std::vector<HangMember> members; // by rank
  bool inferred = false;           // members are taken from entries, because the file does not list them
  std::optional<std::int64_t> size;
  bool pointToPoint = false;
  bool waiting = false;
  std::int64_t front = -1;           // last sequence that any member enqueued
  std::int64_t firstUnfinished = -1; // first sequence that not all completed
  std::vector<int> missing;          // members that did not enqueue `front`
  std::vector<int> behind;           // members that have not completed what others have
  std::vector<int> withoutDump;      // or with one that is cut, or that does not tell its counts
  std::vector<int> mismatched;
  std::string mismatch; // "rank 3 calls broadcast, others all_reduce"

  [[nodiscard]] std::vector<int> ranks() const;
};

// Without verdicts. REQUIRES: every record has a rank, and no two the same.
[[nodiscard]] std::vector<HangGroup> flightGroups(std::span<const FlightRecord> records);

// The number of the call in its group: collectives, and send and receive, are counted apart.
[[nodiscard]] std::int64_t callNumber(const FlightEntry& entry);

// Whether the call is finished, given the last completed sequence of its group (-1: unknown). Gloo leaves
// finished calls as scheduled, NCCL finished ones sometimes as not retired.
[[nodiscard]] bool isFinished(const FlightEntry& entry, std::int64_t completed);

// Whether the dump of a member tells all that it did: one that is cut lacks the latest.
[[nodiscard]] bool isWhole(const HangMember& member, std::span<const FlightRecord> records);

} // namespace rankscope
