// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of a job, matched by the processes of a team: each owns some groups and gets their calls.
// The first process finds the groups, solves the clocks from what was matched, and tells all.
#pragma once

#include "app/digest_work.h"

namespace rankscope {

// For all processes. job: of all ranks, at the first process; null at the others. Null for a single process,
// which matches when it is asked.
[[nodiscard]] std::shared_ptr<const ToldCollectives> matchedByOwners(const DigestWork& work,
                                                                     const Analysis* job);

} // namespace rankscope
