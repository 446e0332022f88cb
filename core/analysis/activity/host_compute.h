// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank without device events computes on its host: operators of the threads that train, except
// wrappers that may wait and what loads data. Nothing is compute on the host of a rank that has device
// events. One pass over host events; pure.
#pragma once

#include "core/analysis/activity/owned_time.h"
#include "core/analysis/classify/name_traits.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

class HostCompute {
 public:
  HostCompute(const RankTrace& trace, const StringTable& names);

  // Whether events of this track may compute: it is of the thread with the steps, or one that ran autograd.
  [[nodiscard]] bool isOn(const Track& track) const;
  // Whether the event of such a track computes.
  [[nodiscard]] bool contains(EventIndex event);

 private:
  const RankTrace& m_trace;
  NameMemory<std::uint8_t (*)(std::string_view)> m_computes;
  std::set<std::pair<std::string_view, std::string_view>> m_threads; // process and thread
};

// Each instant of it to one operator: the innermost of its thread, and of several threads the one whose part
// began first. So the times of operators add up to the time that the host computed.
[[nodiscard]] std::vector<OwnedTime> ownedHostTimes(const RankTrace& trace, const StringTable& names);

} // namespace rankscope
