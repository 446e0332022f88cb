// SPDX-License-Identifier: GPL-3.0-or-later
// Digests a job by the processes of a team. Each reads its files and reduces their ranks; the first one
// places them in the job; each matches the collectives of the groups that it owns; the first one solves the
// clocks; each then accounts for the steps of its ranks; the first one writes. The result does not depend on
// the number of processes.
#pragma once

#include "app/digest_options.h"
#include "app/digest_team.h"

namespace rankscope {

// The exit code of this process.
[[nodiscard]] int runDigest(const DigestOptions& options, DigestTeam& team);

} // namespace rankscope
