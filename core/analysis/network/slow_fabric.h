// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of a job whose large collectives reach far less than their links give: the second half of rule R24,
// for jobs that have no other group to compare with. Pure; O(series).
#pragma once

#include "core/analysis/network/bandwidth.h"
#include "core/analysis/network/net_problems.h"

#include <vector>

namespace rankscope {

// Of one operation of one group: at least five collectives of 16 MB or more, of which half reach less than
// 33 % of the expected bus bandwidth, or 60 % from 128 MB on. For information, since the links are known by
// the name of the GPU only. Slowest first.
[[nodiscard]] std::vector<NetProblem> slowFabrics(const JobBandwidth& bandwidth);

} // namespace rankscope
