// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of the tests: each unit has one, and a test is skipped in one way only.
#include "tests/support/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

using test::SourceFile;

std::vector<SourceFile> codeUnder(const std::vector<std::string>& folders) {
  std::vector<SourceFile> files =
      test::sourceFilesUnder(std::filesystem::path(RANKSCOPE_SOURCE_DIR), folders);
  std::erase_if(files, [](const SourceFile& file) { return !test::isCode(file); });
  return files;
}

bool isTest(const SourceFile& file) {
  return file.path.starts_with("tests/") && file.path.ends_with("_test.cpp");
}

// Where the test of a unit's own name lies.
std::string testOf(const std::string& unit) {
  const std::size_t slash = unit.find('/');
  const std::string top = unit.substr(0, slash);
  const std::string folder = top == "ui" ? "tests/ui" : top == "app" ? "tests/unit/program" : "tests/unit";
  return folder + unit.substr(slash) + "_test.cpp";
}

// The units whose header a test includes, or whose path ("core/base/column") one of its comments names.
void addUnitsNamedIn(const SourceFile& file, std::set<std::string>& named) {
  static const std::regex kPath(R"(\b(core|ui|app)/[a-z0-9_]+(/[a-z0-9_]+)*)");
  for (const std::string& include : test::includesOf(file))
    named.insert(include.substr(0, include.rfind('.')));
  for (const std::string& line : test::linesOf(file.text)) {
    const std::size_t comment = line.find("//");
    if (comment == std::string::npos) continue;
    for (std::sregex_iterator match(line.begin() + static_cast<std::ptrdiff_t>(comment), line.end(), kPath),
         end;
         match != end; ++match)
      named.insert(match->str());
  }
}

std::vector<std::string> unitsWithoutTest(const std::vector<SourceFile>& files) {
  std::vector<SourceFile> code;
  std::set<std::string> named;
  std::set<std::string> tests;
  for (const SourceFile& file : files) {
    if (isTest(file)) {
      tests.insert(file.path);
      addUnitsNamedIn(file, named);
    } else if (!file.path.starts_with("tests/")) {
      code.push_back(file);
    }
  }
  std::vector<std::string> without;
  for (const auto& [unit, includes] : test::unitsOf(code))
    if (!named.contains(unit) && !tests.contains(testOf(unit))) without.push_back(unit);
  return without;
}

// Whether a test may skip is decided in one place; ui_test.h asks there for the tests of the window.
std::vector<std::string> skipsIn(const SourceFile& file) {
  static const std::regex kSkip(R"(\b(GTEST_SKIP|QSKIP)\b|\bDISABLED_\w)");
  std::vector<std::string> found;
  if (file.path == "tests/support/shared_data.h" || file.path == "tests/ui/ui_test.h") return found;
  for (const std::string& line : test::linesOf(file.text))
    if (std::regex_search(line, kSkip)) found.push_back(file.path + ": " + line);
  return found;
}

} // namespace

TEST(TestRules, everyUnitHasATest) {
  EXPECT_EQ(unitsWithoutTest(codeUnder({"core", "ui", "app", "tests"})), std::vector<std::string>());
}

TEST(TestRules, testsAreSkippedOnlyForMissingData) {
  std::vector<std::string> found;
  for (const SourceFile& file : codeUnder({"tests"})) {
    if (file.path == "tests/unit/program/test_rules_test.cpp") continue;
    for (std::string& line : skipsIn(file)) found.push_back(std::move(line));
  }
  EXPECT_EQ(found, std::vector<std::string>());
}

TEST(TestRules, theChecksSeeWhatTheyLookFor) {
  using Units = std::vector<std::string>;
  const SourceFile unit{"core/base/new_unit.h", ""};
  const auto without = [&](const char* path, const char* text) {
    return unitsWithoutTest({unit, {"core/base/new_unit.cpp", ""}, {path, text}});
  };
  EXPECT_EQ(without("tests/unit/base/other_test.cpp", "// new_unit\n"), Units{"core/base/new_unit"});
  EXPECT_EQ(without("tests/unit/base/other_test.cpp", "call(\"core/base/new_unit\");\n"),
            Units{"core/base/new_unit"});
  EXPECT_EQ(without("tests/unit/index/new_unit_test.cpp", ""), Units{"core/base/new_unit"});
  EXPECT_EQ(without("tests/support/helper.h", "#include \"core/base/new_unit.h\"\n"),
            Units{"core/base/new_unit"});
  EXPECT_EQ(without("tests/unit/base/other_test.cpp", "// core/base/new_unit_more\n"),
            Units{"core/base/new_unit"});
  EXPECT_EQ(without("tests/unit/base/new_unit_test.cpp", ""), Units());
  EXPECT_EQ(without("tests/unit/base/other_test.cpp", "#include \"core/base/new_unit.h\"\n"), Units());
  EXPECT_EQ(without("tests/unit/base/other_test.cpp", "// Covers core/base/new_unit.\n"), Units());
  EXPECT_EQ(testOf("ui/base/theme"), "tests/ui/base/theme_test.cpp");
  EXPECT_EQ(testOf("app/display"), "tests/unit/program/display_test.cpp");

  EXPECT_EQ(skipsIn({"tests/unit/base/x_test.cpp", "  GTEST_SKIP() << why;\n"}).size(), 1U);
  EXPECT_EQ(skipsIn({"tests/ui/x_test.cpp", "  QSKIP(\"no display\");\n"}).size(), 1U);
  EXPECT_EQ(skipsIn({"tests/unit/base/x_test.cpp", "TEST(Column, DISABLED_grows) {\n"}).size(), 1U);
  EXPECT_EQ(skipsIn({"tests/ui/x_test.cpp", "  RANKSCOPE_QSKIP_UNLESS(there, \"no traces\");\n"}).size(), 0U);
}

} // namespace rankscope
