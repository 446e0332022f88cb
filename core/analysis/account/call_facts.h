// SPDX-License-Identifier: GPL-3.0-or-later
// What the job says about a call of a rank: from the match of all ranks, or as it was told where the other
// ranks lie elsewhere (SideFiles::jobFacts). Constant; O(log calls).
#pragma once

#include "core/analysis/account/transfer_excess.h"
#include "core/analysis/job/analysis.h"
#include "core/model/rank_facts.h"

#include <cstdint>
#include <optional>
#include <span>

namespace rankscope {

// Empty for events that are no calls. first, transfers: CommunicationFacts of the whole job; not asked where
// the job has told.
[[nodiscard]] std::optional<CallFacts> callFacts(const Analysis& analysis, RankIndex rank,
                                                 std::span<const std::uint8_t> first,
                                                 std::span<const TransferExcess> transfers, EventIndex event);

// Null where the whole job is at hand.
[[nodiscard]] const RankFacts* toldFacts(const Analysis& analysis, RankIndex rank);

} // namespace rankscope
