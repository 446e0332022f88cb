// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/rank_digest.h"

#include "core/base/deflated.h"
#include "core/model/side_files.h"
#include "core/model/trace_set.h"

#include <algorithm>

namespace rankscope {

std::string RankDigest::section(DigestSection which) const {
  const std::string_view packed = sections[static_cast<std::size_t>(which)];
  return packed.empty() ? std::string() : inflated(packed).value_or(std::string());
}

const RankDigest* digestOf(const TraceSet& trace, RankIndex rank) {
  const auto& digests = trace.side().digests;
  return rank.value < digests.size() ? digests[rank.value].get() : nullptr;
}

bool hasDigests(const TraceSet& trace) {
  return std::ranges::any_of(trace.side().digests, [](const auto& digest) { return digest != nullptr; });
}

bool hasDigests(const TraceSet& trace, const std::vector<RankIndex>& ranks) {
  return std::ranges::any_of(ranks, [&](RankIndex rank) { return digestOf(trace, rank) != nullptr; });
}

bool isDigest(const TraceSet& trace) {
  return !trace.side().digests.empty() || !trace.side().digestedRows.empty();
}

bool hasAnswers(const TraceSet& trace, const std::vector<RankIndex>& ranks) {
  return std::ranges::all_of(ranks, [&](RankIndex rank) {
    const RankDigest* const digest = digestOf(trace, rank);
    return digest == nullptr || !digest->answers.empty();
  });
}

std::vector<RankIndex> withEvents(const TraceSet& trace, std::vector<RankIndex> ranks) {
  std::erase_if(ranks, [&](RankIndex rank) { return digestOf(trace, rank) != nullptr; });
  return ranks;
}

} // namespace rankscope
