// SPDX-License-Identifier: GPL-3.0-or-later
// The guide explains every finding and every column, and nothing that is not there.
#include "core/analysis/findings/findings.h"
#include "core/report/tables.h"
#include "tests/unit/hand_made_job.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

std::string page(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(RANKSCOPE_SOURCE_DIR) / "resources/help" / name;
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// From a heading to the next one of its level or above; empty without it.
std::string sectionOf(const std::string& text, const std::string& heading) {
  const std::size_t begin = text.find("\n" + heading + "\n");
  if (begin == std::string::npos) return {};
  const std::string_view marks = std::string_view(heading).substr(0, heading.find(' '));
  std::size_t end = text.size();
  for (std::size_t level = 1; level <= marks.size(); ++level)
    end = std::min(end, text.find("\n" + std::string(level, '#') + " ", begin + heading.size()));
  return text.substr(begin, end == std::string::npos ? end : end - begin);
}

std::vector<std::string> allOf(const std::string& text, const std::string& expression) {
  const std::regex pattern(expression);
  std::vector<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    all.push_back((*at)[1]);
  return all;
}

std::string unitText(const TableColumn& column) {
  switch (column.unit) {
  case Unit::Text:
    return "text";
  case Unit::Nanoseconds:
    return "µs";
  case Unit::Bytes:
    return "bytes";
  case Unit::Percent:
    return "%";
  case Unit::GigabytesPerSecond:
    return "GB/s";
  case Unit::Ratio:
    return "ratio";
  case Unit::Identity:
  case Unit::Count:
    return "number";
  }
  return {};
}

} // namespace

TEST(Guide, everyFindingHasItsSection) {
  const std::string text = page("findings.md");
  std::set<std::string> kinds;
  for (int i = 0; i < kFindingKindCount; ++i) {
    const auto kind = static_cast<FindingKind>(i);
    std::string title(findingKindTitle(kind));
    title.front() = static_cast<char>(std::toupper(title.front()));
    const std::string word(findingKindText(kind));
    kinds.insert(word);
    std::string heading = "### " + title;
    heading += " (`" + word + "`)";
    const std::string section = sectionOf(text, heading);
    ASSERT_FALSE(section.empty()) << heading;
    for (const char* part : {"**Found when**", "**Gain**", "ix**"})
      EXPECT_NE(section.find(part), std::string::npos) << heading << " without " << part;
  }
  const std::vector<std::string> reported = allOf(text, "\n### [^\n]*\\(`([a-z_0-9]+)`\\)");
  EXPECT_EQ(std::set<std::string>(reported.begin(), reported.end()), kinds);
}

TEST(Guide, everyColumnOfEveryTableIsDefinedWithItsUnitInItsOrder) {
  HandMadeJob job;
  job.add(0, HandMadeRank());
  const JobReport report(std::make_shared<const Analysis>(job.build()));
  const std::string text = page("columns.md");
  std::vector<std::string> tables;
  for (const TableSpec& spec : tableSpecs()) {
    tables.emplace_back(spec.name);
    const std::string section = sectionOf(text, "## `" + std::string(spec.name) + "`");
    std::vector<std::string> columns;
    const ResultTable table = spec.make(report);
    for (const TableColumn& column : table.columns()) {
      columns.push_back(column.name);
      std::string row = "| `" + column.name;
      row += "` | " + unitText(column);
      std::string flag = "| `" + column.name;
      flag += "` | 0 or 1 |";
      EXPECT_TRUE(section.find(row + " |") != std::string::npos || section.find(flag) != std::string::npos)
          << spec.name << ": " << row;
    }
    EXPECT_EQ(allOf(section, "\n\\| `(\\w+)` \\| [^|]+ \\| [^|\n]{3,} \\|"), columns) << spec.name;
  }
  EXPECT_EQ(allOf(text, "\n## `(\\w+)`"), tables);
}

} // namespace rankscope
