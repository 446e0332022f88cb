// SPDX-License-Identifier: GPL-3.0-or-later
// The account of a rank in its digest: its steps, and pieces that are joined between the times at which
// somebody asks. Without the events of pieces and what single kernels take too long. To make an account takes
// facts about the whole job; they can be sent to who has the events. Pure functions.
#pragma once

#include "core/analysis/account/attribution.h"
#include "core/analysis/digest/digested_results.h"
#include "core/model/rank_digest.h"
#include "core/model/rank_facts.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Times of any range between begins and ends of the steps and gaps of the results are as in the account.
[[nodiscard]] RankAccount condensedAccount(const RankAccount& account, const DigestedResults& results);

[[nodiscard]] std::string packedAccount(const RankAccount& condensed);
// Empty if the bytes are no account.
[[nodiscard]] std::optional<RankAccount> unpackedAccount(const RankDigest& digest);

// jobAccount, or the accounts of the digests where the job has some.
[[nodiscard]] JobAccount accountWithDigests(const Analysis& analysis, unsigned threadCount);

// What the job says about one rank.
[[nodiscard]] std::string packedFacts(const Analysis& analysis, RankIndex rank, const AccountFacts& facts);
// For the same calls where the events of the rank are; null if the bytes are something else.
[[nodiscard]] std::shared_ptr<const RankFacts> unpackedFacts(std::string_view bytes,
                                                             const std::vector<CollectiveCall>& calls);

} // namespace rankscope
