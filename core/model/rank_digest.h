// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept of a rank whose events lie elsewhere: the results of its recording, as bytes that only the
// modules which computed them interpret. Beside it stands a recording with the few events that these results
// name (core/model/reduced_trace.h). Immutable.
#pragma once

#include "core/base/strong_index.h"
#include "core/model/clock_alignment.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Who interprets a part of a digest.
enum class DigestSection : std::uint8_t {
  Results,    // of the recording alone: core/analysis/digest
  Shortened,  // tables of which only the largest rows are kept: core/analysis/digest
  Paces,      // of kernels that all ranks run: core/analysis/account
  Rows,       // of tables about one rank: core/report
  Phases,     // device time of its steps by phase: core/report
  JudgedRows, // of tables that follow from its account: core/report
  Account,    // what its steps were spent on: core/analysis/account
};

inline constexpr std::size_t kDigestSections = static_cast<std::size_t>(DigestSection::Account) + 1;

// What was answered to one question about the events of a rank (core/analysis/digest/rank_answers.h).
struct RankAnswer {
  std::string_view question;
  std::vector<NameId> names; // in the job's table, by the number that its bytes use
  std::string_view packed;   // its bytes, compressed like the sections of a digest
};

struct RankDigest {
  std::vector<NameId> names; // in the job's table, by the number that the sections use
  std::array<std::string_view, kDigestSections> sections; // compressed (core/base/deflated.h)
  std::vector<RankAnswer> answers;                        // by question
  std::shared_ptr<const void> owner;                      // of the bytes
  ClockCorrection drawn; // what converts times of the results to those of the recording beside it

  // Its bytes; empty if it was not written. They are not kept: who reads them keeps what they say. Linear.
  [[nodiscard]] std::string section(DigestSection which) const;
};

class TraceSet;

// Null for a rank whose events were read.
[[nodiscard]] const RankDigest* digestOf(const TraceSet& trace, RankIndex rank);
// Whether the events of some ranks lie elsewhere.
[[nodiscard]] bool hasDigests(const TraceSet& trace);
// The same of these ranks.
[[nodiscard]] bool hasDigests(const TraceSet& trace, const std::vector<RankIndex>& ranks);
// Whether the job was opened as a digest, whatever was read of its events since.
[[nodiscard]] bool isDigest(const TraceSet& trace);
// Whether all of these ranks whose events lie elsewhere were asked what results of the job ask about single
// events (core/report/rank_questions.h).
[[nodiscard]] bool hasAnswers(const TraceSet& trace, const std::vector<RankIndex>& ranks);
// Those of the ranks whose events were read.
[[nodiscard]] std::vector<RankIndex> withEvents(const TraceSet& trace, std::vector<RankIndex> ranks);

} // namespace rankscope
