// SPDX-License-Identifier: GPL-3.0-or-later
// Compares a job as traces of PyTorch's profiler with the same job as exports of Nsight Systems: every figure
// is the same but for what nsys does not record (allocations, Python, types and names of groups of
// collectives, strides of inputs, annotations on devices).
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"
#include "core/report/job_report.h"
#include "core/report/tables.h"
#include "tests/unit/io/opened_trace.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::test {

// Columns of a table that must be equal; none: all.
struct Expected {
  std::string_view table;
  std::vector<std::string_view> columns;
};

inline const std::vector<Expected>& expectedTables() {
  static const std::vector<Expected> kTables{
      {"steps", {}},
      {"operators", {}},
      {"gaps", {}},
      {"critical_path_summary", {}},
      {"slowdown", {}},
      {"attribution", {}},
      {"kernels",
       {"rank", "capture", "kernel", "kind", "calls", "total_us", "mean_us", "min_us", "max_us", "stddev_us",
        "blocks_per_sm"}},
      {"ranks",
       {"rank",
        "steps",
        "step_mean_us",
        "gpu_span_us",
        "gpu_busy_us",
        "compute_us",
        "communication_us",
        "overlap_us",
        "exposed_communication_us",
        "memory_us",
        "idle_us",
        "overlap_pct",
        "gpu_utilization_pct",
        "sm_efficiency_pct",
        "wait_us",
        "transfer_us",
        "collectives",
        "last_arrivals",
        "lateness_mean_us",
        "z_score",
        "slowdown",
        "straggler"}},
      {"collective_instances",
       {"id", "operation", "ranks", "first_begin_us", "last_begin_us", "end_us", "last_rank", "skew_us",
        "transfer_us"}},
  };
  return kTables;
}

inline std::string textOf(const ResultTable& table, const std::vector<std::string_view>& wanted) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    if (wanted.empty()) columns.push_back(c);
  }
  for (const std::string_view name : wanted) {
    const auto column = table.columnNamed(name);
    EXPECT_TRUE(column) << table.name() << " has no " << name;
    if (column) columns.push_back(*column);
  }
  std::string text;
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    for (const std::size_t column : columns) text += exactText(table, row, column) + ",";
    text += '\n';
  }
  return text;
}

// What the payloads of NCCL add. Names of groups and types are not among it, so rows are in any order.
inline const std::vector<Expected>& expectedOfPayloads() {
  static const std::vector<Expected> kTables{
      {"collective_instances",
       {"operation", "bytes", "ranks", "first_begin_us", "last_begin_us", "end_us", "last_rank",
        "transfer_us"}},
      {"collectives",
       {"rank", "group_size", "operation", "calls", "bytes", "total_us", "wait_us", "transfer_us",
        "exposed_us", "algbw_gb_s", "busbw_gb_s"}},
  };
  return kTables;
}

inline std::string sortedLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::ranges::sort(lines);
  std::string sorted;
  for (const std::string& line : lines) sorted.append(line).append("\n");
  return sorted;
}

inline void expectSameCollectives(const JobReport& recorded, const JobReport& exported) {
  for (const Expected& expected : expectedOfPayloads()) {
    const TableSpec* const spec = tableSpec(expected.table);
    ASSERT_NE(spec, nullptr) << expected.table;
    EXPECT_EQ(sortedLines(textOf(spec->make(recorded), expected.columns)),
              sortedLines(textOf(spec->make(exported), expected.columns)))
        << expected.table;
  }
  const auto membersOf = [](const JobReport& report) {
    std::multiset<std::vector<std::int32_t>> members;
    for (const JobGroup& group : report.analysis().collectives().match.groups) members.insert(group.members);
    return members;
  };
  EXPECT_EQ(membersOf(recorded), membersOf(exported));
}

// more: tables that are equal as a whole. withoutPeers: who took part in a collective is not recorded, so
// that waits are not known. withoutGpus: neither are properties of the GPUs.
struct SameTables {
  std::vector<std::string_view> more;
  bool withoutPeers = false;
  bool withoutGpus = false;
};

inline void dropGpus(Expected& expected) {
  std::erase_if(expected.columns, [](std::string_view column) {
    return column == "blocks_per_sm" || column == "sm_efficiency_pct";
  });
}

inline void dropWaits(Expected& expected) {
  if (expected.table == "gaps")
    expected.columns = {"rank", "capture", "device", "stream", "duration_us", "begin_us", "cause"};
  if (expected.table == "ranks")
    std::erase_if(expected.columns, [](std::string_view column) {
      return column == "wait_us" || column == "transfer_us" || column == "collectives" ||
             column == "last_arrivals" || column == "lateness_mean_us" || column == "slowdown" ||
             column == "straggler";
    });
}

inline void expectSameFigures(const std::filesystem::path& kineto, const std::filesystem::path& nsys,
                              bool payloads, const SameTables& tables = {}) {
  const auto left = loadJob(kineto.string());
  const auto right = loadJob(nsys.string());
  ASSERT_TRUE(left && right);
  ASSERT_EQ(left->ranks().size(), right->ranks().size());
  const JobReport recorded(std::make_shared<const Analysis>(left));
  const JobReport exported(std::make_shared<const Analysis>(right));
  std::vector<Expected> all = expectedTables();
  for (const std::string_view table : tables.more) all.push_back({table, {}});
  for (Expected& expected : all) {
    // Causes are not known without groups, either.
    const bool ofWaits = expected.table == "attribution" || expected.table == "collective_instances";
    if (ofWaits && (tables.withoutPeers || (!payloads && expected.table == "attribution"))) continue;
    if (tables.withoutPeers) dropWaits(expected);
    if (tables.withoutGpus) dropGpus(expected);
    const TableSpec* const spec = tableSpec(expected.table);
    ASSERT_NE(spec, nullptr) << expected.table;
    EXPECT_EQ(textOf(spec->make(recorded), expected.columns), textOf(spec->make(exported), expected.columns))
        << expected.table;
  }
  if (payloads) expectSameCollectives(recorded, exported);
}

} // namespace rankscope::test
