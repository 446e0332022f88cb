// SPDX-License-Identifier: GPL-3.0-or-later
// What findings say against tables written down beforehand: the first finding of recordings, and the gains of
// generated jobs, whose truth is the same job without the fault. By both sources of gains.
#include "core/report/findings_table.h"
#include "core/report/job_report.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/io/opened_trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using Cells = std::vector<std::string>;

// Of a line, with quotes around those that have commas.
Cells cellsOf(std::string_view line) {
  Cells cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back().push_back(c);
  }
  return cells;
}

// Without the head.
std::vector<Cells> rowsOf(const fs::path& path) {
  std::vector<Cells> rows;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) rows.push_back(cellsOf(line));
  return rows;
}

std::unique_ptr<JobReport> reportOf(const fs::path& folder, GainMethod method) {
  return std::make_unique<JobReport>(std::make_shared<const Analysis>(test::loadJob(folder.string())),
                                     EfficiencySettings(), method);
}

// "6ms"
std::int64_t timeOf(std::string_view text) {
  std::int64_t milliseconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), milliseconds);
  return milliseconds * 1'000'000;
}

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream words(text);
  for (std::string part; std::getline(words, part, ':');) found.push_back(part);
  return found;
}

test::StragglerKind stragglerKindOf(std::string_view text) {
  if (text == "compute") return test::StragglerKind::Compute;
  return text == "host" ? test::StragglerKind::Host : test::StragglerKind::DataLoader;
}

test::GapCause gapCauseOf(std::string_view text) {
  if (text == "sync") return test::GapCause::Sync;
  if (text == "cudaMalloc") return test::GapCause::CudaMalloc;
  if (text == "python") return test::GapCause::Python;
  return text == "launch-bound" ? test::GapCause::LaunchBound : test::GapCause::DataLoader;
}

// "--ranks 4 --straggler 2:6ms:compute:4", as the generator's command line.
test::JobOptions optionsOf(const std::string& text) {
  test::JobOptions options;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "--no-sync") {
      options.syncEachStep = false;
      continue;
    }
    if (word == "--pageable") {
      options.pinnedCopies = false;
      continue;
    }
    std::string value;
    words >> value;
    const std::vector<std::string> of = parts(value);
    if (word == "--ranks")
      options.ranks = std::stoi(value);
    else if (word == "--steps")
      options.steps = std::stoi(value);
    else if (word == "--seed")
      options.seed = std::stoull(value);
    else if (word == "--overlap")
      options.overlapPermille = std::stoi(value);
    else if (word == "--communication")
      options.communicationPermille = std::stoi(value);
    else if (word == "--loader")
      options.loaderNs = timeOf(value);
    else if (word == "--straggler")
      options.straggler = {std::stoi(of.at(0)), timeOf(of.at(1)), of.size() > 3 ? std::stoi(of[3]) : 0,
                           stragglerKindOf(of.at(2))};
    else if (word == "--gap")
      options.gaps.push_back({std::stoi(of.at(2)), -1, timeOf(of.at(1)), gapCauseOf(of.at(0))});
    else
      throw std::runtime_error("unknown option of a generated job: " + word);
  }
  return options;
}

// The finding of a leaf that promises most.
const Finding* findingOf(const JobReport& report, std::string_view leaf) {
  const Finding* found = nullptr;
  for (const Finding& finding : report.findings()) {
    if (!finding.gain || !std::string_view(finding.leaf).starts_with(leaf)) continue;
    if (found == nullptr || finding.gain->high > found->gain->high) found = &finding;
  }
  return found;
}

bool holds(std::string_view leaf, const Gain& gain, double truth) {
  const auto low = static_cast<double>(gain.low);
  const auto high = static_cast<double>(gain.high);
  if (leaf == "wait.rank") return std::abs(low - truth) <= 0.03 * truth;
  if (leaf == "host.dispatch") return std::abs(high - truth) <= 0.15 * truth;
  if (leaf == "comm.transfer") return low <= 1.05 * truth && truth <= 1.05 * high;
  return std::abs(low - truth) <= std::max(0.05 * truth, 150'000.0);
}

// A leaf of the same branch is the same answer: host.dispatch and host.dispatch.forward.
bool sameBranch(std::string_view a, std::string_view b) {
  const auto within = [](std::string_view inner, std::string_view outer) {
    return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '.');
  };
  return within(a, b) || within(b, a);
}

// ranks: "all", a number, or empty where it does not matter.
bool sameRanks(const JobReport& report, const Finding& finding, const std::string& ranks) {
  const TraceSet& job = report.analysis().trace();
  if (ranks.empty()) return true;
  if (ranks == "all") return finding.ranks.empty() || finding.ranks.size() == job.ranks().size();
  if (finding.ranks.empty()) return job.ranks().size() == 1 || job.ranks().front().rank == std::stoi(ranks);
  return std::ranges::any_of(finding.ranks,
                             [&](RankIndex rank) { return job.rank(rank).rank == std::stoi(ranks); });
}

class FindingOracle : public testing::TestWithParam<GainMethod> {};

} // namespace

TEST_P(FindingOracle, firstFindingsOfRecordings) {
  const fs::path shared = test::sharedFolder();
  const std::vector<Cells> rows = rowsOf(shared / "oracles" / "expected_findings.csv");
  RANKSCOPE_SKIP_UNLESS(!rows.empty(), test::kNoRecordings);
  int named = 0, agree = 0, silent = 0;
  std::string others;
  for (const Cells& row : rows) {
    ASSERT_GE(row.size(), 4U);
    const std::string &set = row[0], &leaf = row[2];
    if (row[1] != "1") continue;
    if (!fs::exists(shared / set)) continue;
    const auto report = reportOf(shared / set, GetParam());
    const std::vector<Finding>& findings = report->findings();
    const double step = report->keptAccount().stepTime;
    for (const Finding& finding : findings) {
      if (!finding.gain || step <= 0) continue;
      EXPECT_LE(static_cast<double>(finding.gain->high), step + 1) << set << ": " << finding.title;
    }
    if (leaf == "none") {
      ++silent;
      for (const Finding& finding : findings)
        EXPECT_EQ(finding.severity, Severity::Info) << set << ": " << finding.title;
      continue;
    }
    ++named;
    const auto isOfLeaf = [&](const Finding& finding) {
      // Memory findings and start-up have no leaf of the account.
      if (leaf == "memory.leak") return finding.kind == FindingKind::MemoryGrowth;
      if (leaf == "capture.init")
        return finding.kind == FindingKind::StartupRecorded || finding.kind == FindingKind::Benchmark;
      return finding.gain && sameBranch(finding.leaf, leaf);
    };
    const bool first =
        !findings.empty() && isOfLeaf(findings.front()) && sameRanks(*report, findings.front(), row[3]);
    if (first) {
      ++agree;
    } else {
      others +=
          fmt::format("{}: {} expected, {}\n", set, leaf,
                      findings.empty() ? "nothing" : findings.front().leaf + " " + findings.front().title);
    }
  }
  EXPECT_GE(agree, named - 2) << others;
  EXPECT_GT(named, 0);
  EXPECT_GT(silent, 0);
  if (!others.empty()) RecordProperty("other", others);
}

TEST_P(FindingOracle, gainsOfGeneratedJobs) {
  const std::vector<Cells> rows = rowsOf(test::sharedFolder() / "oracles" / "cost_truth.csv");
  RANKSCOPE_SKIP_UNLESS(!rows.empty(), test::kNoRecordings);
  for (const Cells& row : rows) {
    ASSERT_GE(row.size(), 4U);
    SCOPED_TRACE(row[0]);
    const test::TemporaryFolder folder;
    generateJob(optionsOf(row[1]), folder.path());
    const auto report = reportOf(folder.path(), GetParam());
    const double truth = 1000 * std::stod(row[3]);
    if (row[2] == "none") {
      for (const Finding& finding : report->findings())
        EXPECT_EQ(finding.severity, Severity::Info) << finding.title;
      continue;
    }
    double sum = 0;
    std::istringstream leaves(row[2]);
    const bool several = row[2].find('+') != std::string::npos;
    for (std::string leaf; std::getline(leaves, leaf, '+');) {
      const Finding* const found = findingOf(*report, leaf);
      ASSERT_NE(found, nullptr) << findingsText(*report);
      sum += static_cast<double>(found->gain->low);
      if (several) continue;
      EXPECT_TRUE(holds(leaf, *found->gain, truth))
          << found->title << ": " << found->gain->low << " to " << found->gain->high << ", true " << truth;
    }
    if (!several) continue;
    EXPECT_NEAR(sum, truth, 0.05 * truth);
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, FindingOracle, testing::Values(GainMethod::Replay, GainMethod::Formula),
                         [](const testing::TestParamInfo<GainMethod>& of) {
                           return std::string(of.param == GainMethod::Replay ? "byReplay" : "byFormula");
                         });

} // namespace rankscope
