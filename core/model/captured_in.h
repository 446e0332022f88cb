// SPDX-License-Identifier: GPL-3.0-or-later
// Which operator a node of a CUDA graph was captured in: device events of replays and this operator have the
// same id with this bit, as External id and as link. Only recordings of Nsight Systems say it. Profilers
// count External ids from 1 and do not reach it.
#pragma once

#include <cstdint>

namespace rankscope {

inline constexpr std::uint32_t kCapturedIn = 0x80000000u;

} // namespace rankscope
