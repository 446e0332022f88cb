// SPDX-License-Identifier: GPL-3.0-or-later
// Members of the records of a job, for archives (core/base/byte_pack.h). Structured bindings list all of
// them, so a new member that is not described is a compile error.
#pragma once

#include "core/base/byte_pack.h"
#include "core/model/file_events.h"
#include "core/model/trace_set.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace rankscope {

template <class Archive> void describe(Archive& archive, const SourceRef& source) {
  archive(source.readerBits());
}
template <class Archive> void describe(Archive& archive, SourceRef& source) {
  std::uint64_t readerBits = 0;
  archive(readerBits);
  source = SourceRef(readerBits);
}

template <class Archive, Described<Diagnostic> T> void describe(Archive& archive, T& diagnostic) {
  auto& [kind, at, text, where] = diagnostic;
  archive(kind, at, text, where);
}

template <class Archive> void describe(Archive& archive, const Diagnostics& diagnostics) {
  for (const std::uint64_t count : diagnostics.counts()) archive(count);
  archive(diagnostics.items());
}
template <class Archive> void describe(Archive& archive, Diagnostics& diagnostics) {
  Diagnostics::Counts counts{};
  std::vector<Diagnostic> items;
  for (std::uint64_t& count : counts) archive(count);
  archive(items);
  // The kind is used as an index, so it must be valid.
  std::erase_if(items, [](const Diagnostic& item) { return item.kind > DiagnosticKind::Suspicious; });
  diagnostics = Diagnostics(counts, std::move(items));
}

template <class Archive, Described<FileRecord> T> void describe(Archive& archive, T& file) {
  auto& [path, format, recording, bytes, textBytes, status, rank, capture, rankFrom, host, events, extent,
         repaired, skipped, note, diagnostics] = file;
  archive(path, format, recording, bytes, textBytes, status, rank, capture, rankFrom, host, events, extent,
          repaired, skipped, note, diagnostics);
}

template <class Archive, Described<RecordingOrigin> T> void describe(Archive& archive, T& origin) {
  auto& [recordedBy, rankFrom, nodeRank, systemClock, session] = origin;
  archive(recordedBy, rankFrom, nodeRank, systemClock, session);
}

template <class Archive, Described<DeviceProperties> T> void describe(Archive& archive, T& device) {
  auto& [id, name, totalMemoryBytes, computeMajor, computeMinor, multiprocessors] = device;
  archive(id, name, totalMemoryBytes, computeMajor, computeMinor, multiprocessors);
}

template <class Archive> void describe(Archive& archive, const RankList& list) {
  archive(runsOf(list));
}
// Runs that no list has are read as none.
template <class Archive> void describe(Archive& archive, RankList& list) {
  std::vector<std::int32_t> runs;
  archive(runs);
  list = listOfRuns(runs);
}

template <class Archive, Described<ProcessGroup> T> void describe(Archive& archive, T& group) {
  auto& [name, description, backend, size, ranks] = group;
  archive(name, description, backend, size, ranks);
}

template <class Archive, Described<TraceMetadata> T> void describe(Archive& archive, T& metadata) {
  auto& [rank, worldSize, backend, processGroups, devices, hostName, traceName, jobName, runtimeVersion,
         driverVersion, ncclVersion, baseTime] = metadata;
  archive(rank, worldSize, backend, processGroups, devices, hostName, traceName, jobName, runtimeVersion,
          driverVersion, ncclVersion, baseTime);
}

template <class Archive, Described<Track> T> void describe(Archive& archive, T& track) {
  auto& [kind, role, process, thread, processName, threadName, device, mainThread, firstRow, rowCount,
         firstEvent, endEvent] = track;
  archive(kind, role, process, thread, processName, threadName, device, mainThread, firstRow, rowCount,
          firstEvent, endEvent);
}

template <class Archive, Described<Row> T> void describe(Archive& archive, T& row) {
  auto& [track, firstEvent, endEvent] = row;
  archive(track, firstEvent, endEvent);
}

template <class Archive, Described<CounterSeries> T> void describe(Archive& archive, T& series) {
  auto& [name, process, times, values] = series;
  archive(name, process, times, values);
}

// All members that eachColumn does not visit.
template <class Archive, Described<RankTrace> T> void describe(Archive& archive, T& trace) {
  [[maybe_unused]] auto& [metadata, events, tracks, rows, pyramid, deviceBegin, deviceEnd, deviceDetails,
                          byLaunch, forwardBackward, waits, collectives, memory, counters, diagnostics,
                          fileEvents, leftOut, extent, devices] = trace;
  archive(metadata, tracks, rows, deviceBegin, deviceEnd, counters, diagnostics, fileEvents, leftOut, extent,
          devices);
}

} // namespace rankscope
