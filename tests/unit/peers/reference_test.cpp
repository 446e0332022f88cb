// SPDX-License-Identifier: GPL-3.0-or-later
// Our figures against a slow and plain program that reads the same definitions, to the nanosecond.
#include "core/analysis/job/analysis.h"
#include "core/base/utf8.h"
#include "core/io/load/trace_loader.h"
#include "core/report/tables.h"
#include "tests/support/shared_data.h"

#include <cstdio>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

using FieldsByName = std::map<std::string, std::string>;

std::string quoted(const std::string& argument) {
  std::string result = "'";
  for (const char c : argument) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

// What a command wrote to its standard output; nothing when it failed.
std::optional<std::string> outputOf(const std::string& command) {
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string output;
  std::vector<char> part(1 << 16);
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe))
    output.append(part.data(), size);
  if (pclose(pipe) != 0) return std::nullopt;
  return output;
}

std::vector<std::vector<std::string>> csvRecords(const std::string& csv) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record(1);
  bool inQuotes = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (c == '"' && inQuotes && i + 1 < csv.size() && csv[i + 1] == '"')
      record.back() += csv[++i];
    else if (c == '"')
      inQuotes = !inQuotes;
    else if (inQuotes)
      record.back() += c;
    else if (c == ',')
      record.emplace_back();
    else if (c == '\n')
      records.push_back(std::exchange(record, std::vector<std::string>(1)));
    else
      record.back() += c;
  }
  return records;
}

std::vector<FieldsByName> rowsOf(const std::string& csv) {
  std::vector<FieldsByName> rows;
  const auto records = csvRecords(csv);
  for (std::size_t i = 1; i < records.size(); ++i) {
    FieldsByName& row = rows.emplace_back();
    for (std::size_t c = 0; c < records[0].size(); ++c) row[records[0][c]] = records[i].at(c);
  }
  return rows;
}

std::vector<std::filesystem::path> recordingsOf(const std::string& set) {
  return test::recordingsBelow(test::sharedFolder() / "traces" / set);
}

class Reference : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
    RANKSCOPE_SKIP_UNLESS(outputOf("python3 --version 2>&1"),
                          "there is no python3 to run the reference with");
  }

  static std::vector<FieldsByName> reference(const char* what, const std::filesystem::path& file) {
    const auto output =
        outputOf("python3 " + quoted((test::sharedFolder() / "oracles" / "reference.py").string()) + " " +
                 what + " " + quoted(file.string()));
    EXPECT_TRUE(output) << "the reference failed";
    return rowsOf(output.value_or(""));
  }

  static std::unique_ptr<const Analysis> analysisOf(const std::filesystem::path& file) {
    Progress progress;
    auto loaded = loadTraces({file.string()}, {}, progress);
    if (!loaded.ok()) {
      ADD_FAILURE() << loaded.error().text();
      return nullptr;
    }
    EXPECT_EQ((*loaded)->ranks().size(), 1U);
    return std::make_unique<const Analysis>(*loaded);
  }
};

} // namespace

TEST_P(Reference, agreesOnTheFiguresOfRanks) {
  for (const auto& file : recordingsOf(GetParam())) {
    SCOPED_TRACE(file.filename().string());
    const auto analysis = analysisOf(file);
    ASSERT_NE(analysis, nullptr);
    const auto rows = reference("ranks", file);
    ASSERT_EQ(rows.size(), 1U);
    const ResultTable table = ranksTable(*analysis);
    ASSERT_EQ(table.rowCount(), 1U);
    for (const auto& [name, value] : rows[0]) {
      const auto column = table.columnNamed(name);
      if (!column) continue; // file and device_events are the reference's own
      const Cell cell = table.at(0, *column);
      if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        const bool isTime = table.columns()[*column].unit == Unit::Nanoseconds;
        EXPECT_EQ(isTime ? fmt::format("{}.{:03}", *whole / 1000, *whole % 1000) : std::to_string(*whole),
                  value)
            << name;
      } else if (const auto* share = std::get_if<double>(&cell)) {
        EXPECT_EQ(fmt::format("{:.3f}", *share), value) << name;
      } else {
        EXPECT_EQ("", value) << name;
      }
    }
  }
}

TEST_P(Reference, agreesOnTheSumsOfKernels) {
  for (const auto& file : recordingsOf(GetParam())) {
    SCOPED_TRACE(file.filename().string());
    const auto analysis = analysisOf(file);
    ASSERT_NE(analysis, nullptr);
    using Key = std::pair<std::string, std::string>;
    using Sums = std::map<Key, std::pair<std::string, std::string>>;
    Sums expected;
    for (const FieldsByName& row : reference("kernels", file))
      expected[{row.at("kernel"), row.at("kind")}] = {row.at("calls"), row.at("total_us")};
    Sums ours;
    for (const KernelStatistics& kernel : analysis->kernels(RankIndex(0))) {
      ours[{validUtf8(analysis->trace().names()[kernel.name]),
            std::string(deviceClassText(kernel.deviceClass))}] = {
          std::to_string(kernel.calls), fmt::format("{}.{:03}", kernel.total / 1000, kernel.total % 1000)};
    }
    EXPECT_EQ(ours, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Reference, testing::ValuesIn(test::sharedTraceSets()),
                         [](const auto& set) { return test::testNameOf(set.param); });

} // namespace rankscope
