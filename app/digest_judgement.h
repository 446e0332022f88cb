// SPDX-License-Identifier: GPL-3.0-or-later
// What the whole job says about the ranks of each process of a digest, and what their steps were spent on
// then.
#pragma once

#include "app/digest_work.h"

namespace rankscope {

// The first process matches collectives and solves clocks from the digests of all ranks; each process then
// accounts for the steps of its own. False if a digest is damaged.
[[nodiscard]] bool judgeRanks(DigestWork& work);

} // namespace rankscope
