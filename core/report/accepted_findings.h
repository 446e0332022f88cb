// SPDX-License-Identifier: GPL-3.0-or-later
// Findings accepted by a team, with a note: they are marked and do not cause a failing exit code. File
// format: a JSON array of objects with the members rule ("R60"), leaf, ranks (numbers; empty: all) and note;
// a missing member matches everything. Plain data.
#pragma once

#include "core/base/result.h"
#include "core/report/job_report.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

struct AcceptedFinding {
  std::string rule;
  std::optional<std::string> leaf;
  std::optional<std::vector<int>> ranks; // ascending; empty: all ranks
  std::string note;

  bool operator==(const AcceptedFinding&) const = default;
};

// An acceptance that matches this finding, also in later recordings of the same job.
[[nodiscard]] AcceptedFinding acceptanceOf(const JobReport& report, const Finding& finding, std::string note);

// The first match; null if the finding is not accepted.
[[nodiscard]] const AcceptedFinding* acceptedAs(const JobReport& report, const Finding& finding,
                                                std::span<const AcceptedFinding> accepted);
// In tables: the note, or "yes" without one; empty if the finding is not accepted.
[[nodiscard]] std::string acceptanceText(const JobReport& report, const Finding& finding,
                                         std::span<const AcceptedFinding> accepted);
// A line for each entry that matches no finding of the report: "entry 2 (rule R60, ranks 1, 3) matches no
// finding".
[[nodiscard]] std::vector<std::string> uselessAcceptances(const JobReport& report,
                                                          std::span<const AcceptedFinding> accepted);

[[nodiscard]] std::string acceptedFindingsText(std::span<const AcceptedFinding> accepted);
[[nodiscard]] Result<std::vector<AcceptedFinding>> readAcceptedFindings(const std::string& path);

} // namespace rankscope
