// SPDX-License-Identifier: GPL-3.0-or-later
// A recording as another tool's reader sees it: the entries of the file's event array in their order. Times,
// durations, names, processes and threads are our model's; what the model does not keep (the category as
// written, arguments of host events) is read again from the text at where the RankTrace says it begins, which
// is thereby checked against the file. Times are microseconds in doubles, as Python's reader makes them.
// Views point into the file's text or the set's names.
#pragma once

#include "core/model/trace_set.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rankscope::peers {

struct PeerEvent {
  std::size_t position = 0; // in the event array
  EventIndex event;         // in the recording
  EventKind kind = EventKind::Other;
  double ts = 0;
  double dur = 0;
  TimeNs exactTs = 0; // since the recording's first event
  TimeNs exactDur = 0;
  bool fromHalves = false; // written as a begin and an end
  NameId nameId;
  std::string_view name;
  std::string_view category; // as written
  std::string_view process;
  std::string_view thread;
  // Arguments as tokens of the text; empty when not there or null.
  std::string_view stream;
  std::string_view correlation;
  std::string_view externalId;
  std::string_view device;
  std::string_view blocksPerSm;
  std::string_view occupancy;
  std::string_view inputDims;
  std::string_view inputType;
  std::string_view moduleId;

  [[nodiscard]] double end() const { return ts + dur; }
};

// One end of a forward-backward arrow.
struct PeerArrow {
  bool start = false;
  std::string_view id;
  double ts = 0;
  TimeNs exactTs = 0;
};

struct PeerMemory {
  double ts = 0;
  TimeNs exactTs = 0;
  std::string_view process;
  std::string_view thread;
  MemoryEvent record;
};

struct PeerFile {
  RankIndex rank;
  const RankTrace* trace = nullptr;
  const TraceSet* job = nullptr;
  std::string path;
  std::string text;              // the file's JSON
  std::vector<PeerEvent> events; // with a duration, in the file's order
  std::vector<PeerArrow> arrows;
  std::vector<PeerMemory> memory;  // in the file's order
  TimeNs origin = 0;               // of exact times, wall time
  std::vector<std::string> faults; // where the recording says something else than its text
};

// In doubles.
[[nodiscard]] double microsecondsOf(TimeNs nanoseconds);
[[nodiscard]] std::optional<double> numberOf(std::string_view token);
[[nodiscard]] std::optional<std::int64_t> integerOf(std::string_view token);

// REQUIRES: the set outlives what is returned. Throws std::runtime_error when the file cannot be read.
[[nodiscard]] PeerFile readPeerFile(const TraceSet& job, RankIndex rank);

} // namespace rankscope::peers
