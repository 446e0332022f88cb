// SPDX-License-Identifier: GPL-3.0-or-later
// Small jobs whose findings are known, one of their findings, and what holds for the findings of any job.
#pragma once

#include "core/analysis/findings/findings.h"
#include "core/report/job_report.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/report_of.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string_view>

namespace rankscope {

inline std::unique_ptr<JobReport> reportOfJob(const test::JobOptions& options) {
  const test::TemporaryFolder folder;
  generateJob(options, folder.path());
  return reportOf(folder.path());
}

inline test::JobOptions fourRanks() {
  test::JobOptions options;
  options.ranks = 4;
  options.steps = 5;
  return options;
}

// The mean over ranks and steps of the extended windows.
inline double stepTimeOf(const test::JobOptions& options) {
  return reportOfJob(options)->keptAccount().stepTime;
}

// What is wrong in no finding: gains above the step or their leaf, leaves that add up to more than the step.
inline void expectGainsWithinTheStep(const JobReport& report) {
  const double step = report.keptAccount().stepTime;
  double leaves = 0;
  for (const double time : report.keptAccount().leafTimes) leaves += time;
  EXPECT_NEAR(leaves, step, 1e-9 * step + 1);
  for (const Finding& finding : report.findings()) {
    if (!finding.gain) continue;
    EXPECT_LE(0, finding.gain->low) << finding.title;
    EXPECT_LE(finding.gain->low, finding.gain->high) << finding.title;
    EXPECT_LE(static_cast<double>(finding.gain->high), step + 1) << finding.title;
    ASSERT_TRUE(finding.time) << finding.title;
    EXPECT_LE(finding.gain->high, *finding.time + 1) << finding.title;
    EXPECT_EQ(finding.cost, finding.gain->low * finding.steps) << finding.title;
    EXPECT_FALSE(finding.leaf.empty()) << finding.title;
    const bool isParent = finding.leaf == "host" || finding.leaf == "host.dispatch" ||
                          finding.leaf == "comm" || finding.leaf == "compute";
    EXPECT_TRUE(isParent || leafNamed(finding.leaf)) << finding.title << ": " << finding.leaf;
    if (finding.confidence == Confidence::Hint) {
      EXPECT_EQ(finding.gain->low, 0) << finding.title;
    }
  }
}

// The first of a kind, or of a leaf of the account; null without one.
inline const Finding* findingIn(const JobReport& report, FindingKind kind) {
  const auto found = std::ranges::find(report.findings(), kind, &Finding::kind);
  return found == report.findings().end() ? nullptr : &*found;
}

inline const Finding* findingOn(const JobReport& report, std::string_view leaf) {
  const auto found = std::ranges::find(report.findings(), leaf, &Finding::leaf);
  return found != report.findings().end() ? &*found : nullptr;
}

} // namespace rankscope
