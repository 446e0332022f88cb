// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/side_results.h"

#include "core/base/parallel_for.h"

#include <utility>

namespace rankscope {

std::shared_ptr<const SideResults> sideResults(std::shared_ptr<const SideFiles> files, unsigned threadCount) {
  auto results = std::make_shared<SideResults>();
  results->files = std::move(files);
  const std::vector<MemorySnapshot>& snapshots = results->files->snapshots;
  results->snapshots.resize(snapshots.size());
  parallelFor(snapshots.size(), threadCount, [&](std::size_t i) {
    SnapshotResults& result = results->snapshots[i];
    result.snapshot = &snapshots[i];
    result.roles = stackRoles(snapshots[i].stacks);
    result.devices.reserve(snapshots[i].devices.size());
    for (const SnapshotDevice& device : snapshots[i].devices)
      result.devices.push_back(replayDevice(snapshots[i], device, result.roles));
  });
  if (!results->files->flightRecords.empty()) results->hang = analyzeHang(results->files->flightRecords);
  return results;
}

} // namespace rankscope
