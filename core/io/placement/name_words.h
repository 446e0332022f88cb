// SPDX-License-Identifier: GPL-3.0-or-later
// Recognizes parts of the names of trace files and folders: "rank3of8", "tp_rank_1", "step_12", "node-3",
// date and time formats. Each take... function finds its words, takes their tokens and returns their meaning.
// Cost: linear in the name.
#pragma once

#include "core/io/placement/name_facts.h"
#include "core/io/placement/name_tokens.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// A longer number after "rank" is a time stamp or a process id.
inline constexpr std::size_t kRankDigits = 7;

// Nanoseconds since 1970, interpreting the time as UTC; empty for invalid dates.
[[nodiscard]] std::optional<std::int64_t> momentOf(std::int64_t year, std::int64_t month, std::int64_t day,
                                                   std::int64_t hour, std::int64_t minute,
                                                   std::int64_t second);
// yyyymmddHHMMSS or yyyymmddHHMMSSmmm.
[[nodiscard]] std::optional<std::int64_t> compactMoment(std::string_view digits);
// compactMoment, or seconds, ms, us or ns since 1970, distinguished by the number of digits.
[[nodiscard]] std::optional<std::int64_t> epochMoment(std::string_view digits);
// The first time stamp in a name: 20260301_120000, 2026-03-01_12-00-00, 1795207676982.
[[nodiscard]] std::optional<std::int64_t> takeMoment(NameTokens& tokens);

// Short name of an axis of the parallel layout: "dp" for "dp" and "data".
[[nodiscard]] std::optional<std::string> axisOf(const std::string& word);

struct RankWords {
  std::optional<int> rank, localRank, worldSize;
  std::string node;                    // "node3" for "node_rank_3"
  std::vector<Coordinate> coordinates; // from "tp_rank_1"
};
[[nodiscard]] RankWords takeRanks(NameTokens& tokens);

// step_12, iteration_100, global_step_7, iter16_18 (first of a range).
[[nodiscard]] std::optional<std::int64_t> takeStep(NameTokens& tokens);

// node3, job-worker-3, ip-10-0-0-7, 10.0.0.7; empty if none.
[[nodiscard]] std::string takeNode(NameTokens& tokens);

} // namespace rankscope
