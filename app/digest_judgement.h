// SPDX-License-Identifier: GPL-3.0-or-later
// What the whole job says about the ranks of each process of a digest, and what their steps were spent on
// then.
#pragma once

#include "app/digest_work.h"

namespace rankscope {

// The processes match collectives together, see matchedByOwners; each then accounts for the steps of its
// ranks. False if a digest is damaged.
[[nodiscard]] bool judgeRanks(DigestWork& work);

} // namespace rankscope
