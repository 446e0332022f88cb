// SPDX-License-Identifier: GPL-3.0-or-later
// Tiny traces in, whole tables out, byte for byte. See tests/golden/README.md for the cases and how to update
// them. Covers core/report/memory_tables.
#include "core/analysis/job/analysis.h"
#include "core/export/csv.h"
#include "core/io/load/trace_loader.h"
#include "core/report/tables.h"
#include "tests/support/shared_data.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

fs::path goldenFolder() {
  return fs::path(RANKSCOPE_SOURCE_DIR) / "tests" / "golden";
}

std::vector<std::string> goldenCases() {
  std::vector<std::string> cases;
  for (const auto& entry : fs::directory_iterator(goldenFolder())) {
    if (entry.is_directory()) cases.push_back(entry.path().filename().string());
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

std::string contentOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Where the tree lies is no part of what is expected.
std::string withoutFolder(std::string text, const std::string& folder) {
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at))
    text.erase(at, folder.size());
  return text;
}

class Golden : public testing::TestWithParam<std::string> {};

} // namespace

TEST_P(Golden, tablesAreAsExpected) {
  const fs::path folder = goldenFolder() / GetParam();
  const fs::path input = folder / "input";
  const bool update = std::getenv("RANKSCOPE_UPDATE_GOLDEN") != nullptr;
  for (const unsigned threads : {1U, 4U}) {
    LoadOptions options;
    options.threadCount = threads;
    Progress progress;
    const auto loaded = loadTraces({input.string()}, options, progress);
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    const JobReport report(std::make_shared<const Analysis>(*loaded));
    for (const TableSpec& spec : tableSpecs()) {
      if (spec.nccl) continue; // no logs
      const fs::path expected = folder / "expected" / (std::string(spec.name) + ".csv");
      const std::string csv = withoutFolder(toCsv(spec.make(report)), input.string() + "/");
      if (update) {
        fs::create_directories(expected.parent_path());
        std::ofstream(expected, std::ios::binary) << csv;
      }
      EXPECT_EQ(csv, contentOf(expected)) << expected;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Golden, testing::ValuesIn(goldenCases()),
                         [](const auto& golden) { return test::testNameOf(golden.param); });

} // namespace rankscope
