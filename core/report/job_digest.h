// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the digest of a rank: the results on which everything about the job is based
// (core/analysis/digest), its account, and the events that these name. Does not depend on how many ranks the
// process has or in which order they were read. A pass over the events of the rank.
#pragma once

#include "core/analysis/account/attribution.h"
#include "core/analysis/digest/digest_bounds.h"
#include "core/io/digest/rank_image.h"

#include <string>

namespace rankscope {

// A rank without the account of its steps, which needs the whole job. REQUIRES: the analysis is of whole
// recordings, and has the events of the rank.
[[nodiscard]] RankImage digestedRank(const Analysis& analysis, RankIndex rank,
                                     const DigestBounds& bounds = {});

// The section of that account. facts: of the whole job; not asked where the job has told (SideFiles).
[[nodiscard]] std::string digestedAccount(const Analysis& analysis, RankIndex rank, const AccountFacts& facts,
                                          const DigestBounds& bounds = {});

} // namespace rankscope
