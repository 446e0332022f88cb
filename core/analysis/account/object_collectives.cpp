// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/object_collectives.h"

#include <algorithm>
#include <string_view>

namespace rankscope {

namespace {

// One size for each rank of a large job at most.
constexpr std::int64_t kMostSizes = 65'536;
// Collectives of gradients may run beside them.
constexpr std::size_t kCallsBetween = 8;

bool isFormat(const StringTable& names, NameId dtype, std::string_view wanted) {
  return dtype.valid() && names[dtype] == wanted;
}

bool isOfOneGroup(const CollectiveCall& a, const CollectiveCall& b) {
  return a.parties->groupName == b.parties->groupName && a.parties->groupRanks == b.parties->groupRanks &&
         a.operation == b.operation;
}

// The next call of the same operation in the same group; null if there is none soon.
const CollectiveCall* nextLike(const std::vector<CollectiveCall>& calls, std::size_t at) {
  for (std::size_t i = at + 1; i < std::min(calls.size(), at + 1 + kCallsBetween); ++i)
    if (isOfOneGroup(calls[at], calls[i])) return &calls[i];
  return nullptr;
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
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const CollectiveCall& sizes = calls[i];
    if (!isFormat(names, sizes.dtype, "Long") || sizes.inElements > kMostSizes) continue;
    const CollectiveCall* const bytes = nextLike(calls, i);
    if (bytes == nullptr || !isFormat(names, bytes->dtype, "Byte")) continue;
    add(sizes);
    add(*bytes);
  }
  std::ranges::sort(launches);
  return launches;
}

} // namespace rankscope
