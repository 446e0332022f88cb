// SPDX-License-Identifier: GPL-3.0-or-later
// The facts of one or two jobs, or parts of jobs, for Compare: their accounts and findings, and which ranks
// of both stand for each other. Any thread. Costs the account of each side where it is not there yet.
#pragma once

#include "core/analysis/compare/side_collect.h"
#include "core/report/job_report.h"

#include <string>

namespace rankscope {

struct ComparedSides {
  SideFacts a;
  SideFacts b;
};

[[nodiscard]] SideFacts sideOf(const Analysis& analysis, const SideOptions& options);

// Of two runs of one size the ranks that both have are compared; the others are listed. Where ranks were
// chosen, or have no number in common, or the jobs differ in size, all ranks of each side are compared.
[[nodiscard]] ComparedSides comparedSides(const Analysis& a, const Analysis& b, bool chosenRanks,
                                          const SideOptions& options);

// The same of two whole jobs, whose accounts are used where they are there.
[[nodiscard]] ComparedSides comparedSides(const JobReport& a, const JobReport& b, const SideOptions& options);

// "5..9": from the first to the last step whose number both have; empty if there is none.
[[nodiscard]] std::string commonSteps(const Analysis& a, const Analysis& b);

} // namespace rankscope
