// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/gap_leaf.h"

namespace rankscope {

std::optional<LeafTime> largestIdleLeaf(const TimePieces& pieces, TimeRange range) {
  std::optional<LeafTime> largest;
  for (const LeafTime& part : pieces.within(range)) {
    if (part.timeClass == TimeClass::Idle && (!largest || part.time > largest->time)) largest = part;
  }
  return largest;
}

bool agrees(Leaf leaf, GapCause cause) {
  switch (cause) {
  case GapCause::DataLoader:
    return leaf == Leaf::HostInput;
  case GapCause::Synchronization:
    return leaf == Leaf::HostSync || leaf == Leaf::HostComm;
  case GapCause::MemoryAllocation:
    return leaf == Leaf::HostAlloc;
  case GapCause::Python:
    return leaf == Leaf::HostPython || leaf == Leaf::HostGc || leaf == Leaf::HostCheckpoint;
  case GapCause::HostOperators:
    return isUnder(leaf, "host.dispatch") || leaf == Leaf::HostCompile;
  case GapCause::Untraced:
    return leaf == Leaf::HostPython || leaf == Leaf::HostDescheduled;
  case GapCause::Dependency:
    return leaf == Leaf::QueueDependency;
  case GapCause::CollectiveWait:
    return isUnder(leaf, "wait");
  case GapCause::LaunchLatency:
    return leaf == Leaf::QueueLatency;
  case GapCause::NotRecorded:
    break;
  }
  return leaf == Leaf::QueueUnexplained;
}

} // namespace rankscope
