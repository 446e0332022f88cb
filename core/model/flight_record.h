// SPDX-License-Identifier: GPL-3.0-or-later
// A dump of PyTorch's Flight Recorder: the last collectives that a rank enqueued, and the state of its
// process groups. Times in nanoseconds since 1970. Immutable once read.
#pragma once

#include "core/model/stack_pool.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

enum class FlightState : std::uint8_t { Scheduled, Started, Completed };

struct FlightEntry {
  std::int64_t recordId = 0;
  std::int64_t groupId = 0;    // numbers groups within this process only
  std::uint32_t groupName = 0; // text
  std::uint32_t groupDesc = 0; // text
  std::int64_t sequence = 0;   // of collectives of the group
  std::int64_t p2pSequence = 0;
  std::uint32_t operation = 0;  // text without backend: "all_reduce"
  std::uint32_t backend = 0;    // text: "nccl"
  std::uint32_t inputSizes = 0; // text "[[4096, 1, 5120]]"
  std::uint32_t outputSizes = 0;
  std::uint32_t inputTypes = 0; // text "BFloat16"
  std::uint32_t outputTypes = 0;
  std::int64_t inputElements = 0;
  std::int64_t outputElements = 0;
  std::optional<std::int64_t> created; // enqueued
  std::optional<std::int64_t> started; // when the watchdog saw it
  std::optional<std::int64_t> completed;
  std::optional<std::int64_t> timeoutMs;
  std::uint32_t stack = 0;
  FlightState state = FlightState::Scheduled;
  bool retired = false;
  bool p2p = false;
};

// A group of pg_config.
struct FlightGroup {
  std::string name;
  std::string desc;
  std::vector<int> ranks; // sorted
};

// A row of pg_status; -1: unknown.
struct FlightStatus {
  std::int64_t groupId = 0;
  std::int64_t enqueued = -1;
  std::int64_t started = -1;
  std::int64_t completed = -1;
};

struct FlightRecord {
  std::string path;
  std::optional<int> rank;
  std::uint64_t bytes = 0;
  std::optional<std::int64_t> written; // when the file was last changed; a copy may be newer than the dump
  std::string version;                 // of the format
  std::string libraryVersion;          // of NCCL
  bool json = false;
  bool partial = false; // the file is truncated
  StackPool stacks;
  std::vector<FlightGroup> groups;
  std::vector<FlightStatus> status;
  std::vector<FlightEntry> entries; // in the order of the file
};

} // namespace rankscope
