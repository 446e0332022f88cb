// SPDX-License-Identifier: GPL-3.0-or-later
// Every recording beside the repository opens, and holds what a plain JSON parser counted in it.
#include "core/analysis/steps/step_list.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/shared_data.h"

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace rankscope {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

using FieldsByName = std::map<std::string, std::string>;

// The rows of the first table of a Markdown file, by column title.
std::vector<FieldsByName> tableOf(const std::filesystem::path& markdown) {
  std::vector<FieldsByName> rows;
  std::vector<std::string> titles;
  std::ifstream stream(markdown);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with('|')) {
      if (!titles.empty()) break;
      continue;
    }
    if (line.starts_with("|--")) continue;
    std::vector<std::string> cells;
    std::istringstream rest(line.substr(1));
    for (std::string cell; std::getline(rest, cell, '|');) cells.push_back(trimmed(cell));
    if (titles.empty()) {
      titles = cells;
      continue;
    }
    FieldsByName& row = rows.emplace_back();
    for (std::size_t i = 0; i < std::min(cells.size(), titles.size()); ++i) row[titles[i]] = cells[i];
  }
  return rows;
}

std::uint64_t kernelCount(const RankTrace& trace) {
  const auto kinds = trace.events.kind.span();
  return static_cast<std::uint64_t>(std::count_if(kinds.begin(), kinds.end(), [](EventKind kind) {
    return kind == EventKind::Kernel || kind == EventKind::Collective;
  }));
}

class SharedTraces : public testing::TestWithParam<std::string> {};

void compare(const FieldsByName& row, const TraceSet& set) {
  ASSERT_EQ(set.ranks().size(), 1U);
  const RankEntry& entry = set.ranks().front();
  const RankTrace& trace = *entry.trace;
  const auto steps = stepsOf(trace, set.names());
  EXPECT_EQ(std::to_string(trace.fileEvents), row.at("events"));
  EXPECT_EQ(std::to_string(set.file(entry.file).textBytes), row.at("JSON bytes"));
  EXPECT_EQ(std::to_string(set.file(entry.file).bytes), row.at("file bytes"));
  EXPECT_EQ(std::to_string(kernelCount(trace)), row.at("kernels"));
  EXPECT_EQ(std::to_string(distinctStepCount(trace, steps)), row.at("steps"));
  const auto& worldSize = trace.metadata.worldSize;
  EXPECT_EQ(worldSize ? std::to_string(*worldSize) : "", row.at("world"));
  if (!row.at("rank").empty()) {
    EXPECT_EQ(std::to_string(entry.rank), row.at("rank"));
  }
  if (!row.at("device").empty()) {
    EXPECT_EQ(entry.gpu, row.at("device"));
  }
}

} // namespace

TEST_P(SharedTraces, openWithWhatAPlainParserCounted) {
  RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
  int compared = 0;
  for (const FieldsByName& row : tableOf(test::sharedFolder() / "traces" / "README.md")) {
    if (row.at("set") != GetParam()) continue;
    const auto path = test::sharedFolder() / "traces" / GetParam() / row.at("file");
    SCOPED_TRACE(path.filename().string());
    Progress progress;
    const auto loaded = loadTraces({path.string()}, {}, progress);
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    compare(row, **loaded);
    ++compared;
  }
  EXPECT_GT(compared, 0) << "the list of recordings names none of this set";
}

INSTANTIATE_TEST_SUITE_P(All, SharedTraces, testing::ValuesIn(test::sharedTraceSets()),
                         [](const auto& set) { return test::testNameOf(set.param); });

} // namespace rankscope
