// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/object_collectives.h"

#include <algorithm>
#include <string_view>

namespace rankscope {

namespace {

// One size for each rank of a large job at most.
constexpr std::int64_t kMostSizes = 65'536;

bool isFormat(const StringTable& names, NameId dtype, std::string_view wanted) {
  return dtype.valid() && names[dtype] == wanted;
}

bool isOfOneGroup(const CollectiveCall& a, const CollectiveCall& b) {
  return a.groupName == b.groupName && a.groupRanks == b.groupRanks && a.operation == b.operation;
}

} // namespace

std::vector<TimeNs> objectLaunches(const Analysis& analysis, RankIndex rank) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const StringTable& names = analysis.trace().names();
  const std::vector<CollectiveCall>& calls = analysis.collectiveCalls(rank);
  std::vector<TimeNs> launches;
  const auto add = [&](const CollectiveCall& call) {
    if (!call.event.valid() || !trace.isDeviceEvent(call.event)) return;
    const EventIndex launch = trace.deviceDetail(call.event).launch;
    if (launch.valid()) launches.push_back(trace.events.begin[launch]);
  };
  for (std::size_t i = 0; i + 1 < calls.size(); ++i) {
    const CollectiveCall& sizes = calls[i];
    const CollectiveCall& bytes = calls[i + 1];
    if (!isFormat(names, sizes.dtype, "Long") || !isFormat(names, bytes.dtype, "Byte") ||
        sizes.inElements > kMostSizes || !isOfOneGroup(sizes, bytes))
      continue;
    add(sizes);
    add(bytes);
  }
  std::ranges::sort(launches);
  return launches;
}

} // namespace rankscope
