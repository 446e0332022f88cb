// SPDX-License-Identifier: GPL-3.0-or-later
// Flight Recorder dumps for tests: made ones, and where recorded ones are.
#pragma once

#include "core/io/load/side_loader.h"
#include "core/model/flight_record.h"
#include "core/report/side_results.h"
#include "tests/support/shared_data.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::test {

inline std::filesystem::path dumpFolder(const std::string& name) {
  return sharedFolder() / "memory" / "flight_recorder" / name;
}

inline std::vector<std::string> dumpsIn(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path().string());
  return files;
}

inline std::shared_ptr<const SideResults> resultsOfDumps(const std::vector<std::string>& files) {
  const Progress progress;
  return sideResults(readSideFiles(files, 2, progress).files, 2);
}

inline FlightEntry flightCall(FlightRecord& record, std::int64_t sequence, const char* operation,
                              const char* sizes) {
  FlightEntry entry;
  entry.recordId = sequence;
  entry.groupName = record.stacks.addText("0");
  entry.groupDesc = record.stacks.addText("default_pg");
  entry.sequence = sequence;
  entry.operation = record.stacks.addText(operation);
  entry.inputSizes = entry.outputSizes = record.stacks.addText(sizes);
  entry.created = 1'000'000'000 * sequence;
  return entry;
}

// A rank of a group of `size` that enqueued and completed so much; what is open calls the operation.
inline FlightRecord flightRank(int rank, int size, std::int64_t enqueued, std::int64_t completed,
                               const char* operation = "all_reduce", const char* sizes = "[[8]]") {
  FlightRecord record;
  record.rank = rank;
  FlightGroup group{"0", "default_pg", {}};
  for (int i = 0; i < size; ++i) group.ranks.push_back(i);
  record.groups.push_back(group);
  record.status.push_back({0, enqueued, -1, completed});
  for (std::int64_t sequence = completed + 1; sequence <= enqueued; ++sequence)
    record.entries.push_back(flightCall(record, sequence, operation, sizes));
  return record;
}

} // namespace rankscope::test
