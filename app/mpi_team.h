// SPDX-License-Identifier: GPL-3.0-or-later
// Processes started by mpirun or srun. In programs that were built without MPI there are none.
#pragma once

#include "app/digest_team.h"

#include <memory>

namespace rankscope {

// Whether the program was built with MPI.
[[nodiscard]] bool hasMpi();

// Ends MPI when it is destroyed; null without MPI. At most one at a time. For the main thread.
[[nodiscard]] std::unique_ptr<DigestTeam> mpiTeam(int& argc, char**& argv);

} // namespace rankscope
