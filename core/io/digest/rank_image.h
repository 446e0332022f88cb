// SPDX-License-Identifier: GPL-3.0-or-later
// A rank of a digest as compressed bytes: names, the reduced recording, and the sections of its results. It
// refers to nothing outside, so that it can be sent between processes. Pure functions, thread-safe.
#pragma once

#include "core/model/answer_log.h"
#include "core/model/rank_digest.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct RankImage {
  std::vector<std::string> names;
  RankTrace trace; // names by their number in `names`
  std::array<std::string, kDigestSections> sections;
};

[[nodiscard]] std::string packedRank(const RankImage& rank);

// What is known of a rank once the whole job is: DigestSection::Account and JudgedRows.
[[nodiscard]] std::string packedJudgement(const std::string& account, const std::string& rows);

// What was asked about a rank, and the answers.
[[nodiscard]] std::string packedAnswers(const std::vector<LoggedAnswer>& answers);

struct OpenedRank {
  std::shared_ptr<const RankTrace> trace;
  std::shared_ptr<const RankDigest> digest;
};

// Empty if the bytes are not a rank: every index of the recording is checked. account: the section that is
// known last, so it stands beside the image; empty if it is not known. answers: packedAnswers, or empty.
// owner: keeps them alive. names: of the job.
[[nodiscard]] std::optional<OpenedRank> openedRank(std::string_view image, std::string_view account,
                                                   std::string_view answers,
                                                   std::shared_ptr<const void> owner, StringInterner& names);

} // namespace rankscope
