// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a pickle, a snapshot, a Flight Recorder dump or a timeline: data or a refusal, and never more
// nodes than bytes. What was read is replayed, too.
#include "core/analysis/collectives/hang_analysis.h"
#include "core/analysis/memory/snapshot_replay.h"
#include "core/io/flight_recorder/flight_reader.h"
#include "core/io/pickle/pickle_reader.h"
#include "core/io/snapshots/snapshot_reader.h"
#include "core/io/snapshots/timeline_reader.h"
#include "tests/fuzz/memory_file.h"

#include <string_view>

using namespace rankscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::MemoryFile file;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto read = readPickle(bytes);
  if (read) {
    test::require(read->values.nodeCount() <= size);
  } else {
    test::require(!read.error().message.empty());
  }
  file.fill({data, size});
  if (const auto snapshot = readSnapshot(file.path())) {
    const StackRoles roles = stackRoles(snapshot->stacks);
    for (const SnapshotDevice& device : snapshot->devices) {
      const DeviceReplay replay = replayDevice(*snapshot, device, roles);
      test::require(replay.active.size() == device.entries.size());
      static_cast<void>(segmentsAt(replay, kBeforeFirst));
    }
  }
  if (auto record = readFlightRecord(file.path())) {
    record->rank = 0;
    test::require(analyzeHang({&*record, 1}).culprits.size() <=
                  record->entries.size() + 3 * record->status.size());
  }
  static_cast<void>(readMemoryTimeline(file.path()));
  return 0;
}
