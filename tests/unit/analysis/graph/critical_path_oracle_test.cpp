// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path of recorded ranks against that of Holistic Trace Analysis: what takes most of it is the
// same. Lengths differ by rule: there, time between operators, Python and hand-offs between threads weigh
// nothing, so they are left out here too; and only what was launched in a step counts. Covers
// core/analysis/graph/critical_path, too.
#include "core/analysis/graph/critical_path.h"

#include "core/analysis/graph/what_if.h"
#include "core/io/load/trace_loader.h"
#include "core/report/job_report.h"
#include "tests/support/shared_data.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

enum class Bound : std::uint8_t { Host, Compute, Communication, Overhead, Count };
using Bounds = std::array<double, static_cast<std::size_t>(Bound::Count)>;

std::optional<Bound> boundOf(PathCategory category) {
  switch (category) {
  case PathCategory::Compute:
  case PathCategory::Copy:
    return Bound::Compute;
  case PathCategory::Transfer:
  case PathCategory::CommunicationUnmatched:
    return Bound::Communication;
  case PathCategory::Launch:
  case PathCategory::KernelGap:
  case PathCategory::Unexplained:
    return Bound::Overhead;
  case PathCategory::Untraced:
  case PathCategory::Python:
  case PathCategory::HandOff:
  case PathCategory::Clock:
    return std::nullopt;
  default:
    return Bound::Host;
  }
}

std::size_t largest(const Bounds& bounds) {
  return static_cast<std::size_t>(std::ranges::max_element(bounds) - bounds.begin());
}

std::vector<std::string> cellsOf(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream row(line);
  for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
  return cells;
}

// By step; empty of a set of several ranks: there, paths are of one rank each.
std::map<std::int64_t, Bounds> expectedOf(const fs::path& file) {
  std::ifstream text(file);
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> names = cellsOf(line);
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  std::map<std::int64_t, Bounds> expected;
  std::string rank;
  while (std::getline(text, line)) {
    const std::vector<std::string> cells = cellsOf(line);
    if (!rank.empty() && cells[0] != rank) return {};
    rank = cells[0];
    constexpr std::string_view kStep = "ProfilerStep#";
    const std::string& step = cells[column("annotation")];
    if (!step.starts_with(kStep) || cells.size() <= column("path_us") || cells[column("path_us")].empty())
      continue;
    const auto value = [&](std::string_view name) { return std::stod(cells[column(name)]); };
    expected[std::stoll(step.substr(kStep.size()))] = {
        value("cpu_bound_us") + value("data_loading_us"), value("gpu_compute_bound_us"),
        value("gpu_communication_bound_us"),
        value("gpu_kernel_kernel_overhead_us") + value("gpu_kernel_launch_overhead_us")};
  }
  return expected;
}

} // namespace

TEST(CriticalPathOracle, whatTakesMostOfItIsTheSame) {
  const fs::path folder = test::sharedFolder() / "oracles" / "hta_critical_path";
  RANKSCOPE_SKIP_UNLESS(fs::exists(folder), test::kNoRecordings);
  int compared = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path set = test::sharedFolder() / "traces" / entry.path().stem();
    if (entry.path().extension() != ".csv" || !fs::exists(set)) continue;
    const std::map<std::int64_t, Bounds> expected = expectedOf(entry.path());
    if (expected.empty()) continue;
    Progress progress;
    const auto loaded = loadTraces({set.string()}, {}, progress);
    ASSERT_TRUE(loaded.ok()) << set;
    const JobReport report(std::make_shared<const Analysis>(*loaded));
    const WhatIf& whatIf = report.whatIf(2);
    for (const WindowPath& path : whatIf.path().windows) {
      const auto step = stepNumberOf(whatIf.analysis(), whatIf.graph().windows[path.window]);
      if (!step || !expected.contains(*step)) continue;
      Bounds bounds{};
      for (const PathSegment& segment : path.segments)
        if (const auto bound = boundOf(segment.category))
          bounds[static_cast<std::size_t>(*bound)] += static_cast<double>(segment.duration());
      EXPECT_EQ(largest(bounds), largest(expected.at(*step))) << set << " step " << *step;
      ++compared;
    }
  }
  EXPECT_GE(compared, 10);
}

} // namespace rankscope
