// SPDX-License-Identifier: GPL-3.0-or-later
// Manual pages and completions of rankscope-cli say what --help does: every option, command and table, and
// none that is not there. tests/ui/window/program_test.cpp does the same for the window's program.
#include "core/report/tables.h"
#include "tests/support/program_texts.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

constexpr std::array kCommands = {"summary", "report",   "table",   "findings", "compare",
                                  "stacks",  "excerpt",  "query",   "mcp",      "critical-path",
                                  "what-if", "slowdown", "network", "predict"};

std::string resource(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::filesystem::path(RANKSCOPE_TEXTS) / name).rdbuf();
  return text.str();
}

std::string helpOf(const std::string& command) {
  std::FILE* const pipe = popen(("'" RANKSCOPE_CLI "' " + command + " --help").c_str(), "r");
  std::string text;
  std::array<char, 4096> part{};
  if (pipe == nullptr) return text;
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) text += part.data();
  pclose(pipe);
  return text;
}

std::set<std::string> options() {
  std::set<std::string> all = test::longOptionsIn(helpOf(""));
  for (const char* command : kCommands) all.merge(test::longOptionsIn(helpOf(command)));
  return all;
}

// The word by itself, not as a part of another one.
bool holdsWord(const std::string& text, const std::string& word) {
  return std::regex_search(text, std::regex("(^|[^a-z_-])" + word + "($|[^a-z_-])"));
}

void expectAllWords(const std::string& name, const std::string& text) {
  ASSERT_FALSE(text.empty()) << name;
  for (const TableSpec& spec : tableSpecs())
    EXPECT_TRUE(holdsWord(text, std::string(spec.name))) << name << " without " << spec.name;
  for (const char* command : kCommands)
    EXPECT_TRUE(holdsWord(text, command)) << name << " without " << command;
  for (const char* word : {"csv", "json", "text", "info", "warning", "critical"})
    EXPECT_TRUE(holdsWord(text, word)) << name << " without " << word;
}

} // namespace

TEST(ProgramTexts, theManualPageSaysWhatHelpDoes) {
  const std::string page = test::manualText(resource("man/rankscope-cli.1"));
  EXPECT_GT(options().size(), 15U);
  EXPECT_EQ(test::longOptionsIn(page), options());
  expectAllWords("the manual page", page);
}

TEST(ProgramTexts, completionsOfferWhatHelpDoes) {
  expectAllWords("bash", resource("completions/rankscope.bash"));
  expectAllWords("zsh", resource("completions/_rankscope"));
  expectAllWords("fish", resource("completions/rankscope-cli.fish"));
  // bash and zsh have both programs in one file.
  for (const char* name : {"completions/rankscope.bash", "completions/_rankscope"}) {
    const std::set<std::string> offered = test::longOptionsIn(resource(name));
    for (const std::string& option : options())
      EXPECT_EQ(offered.count(option), 1U) << name << " without " << option;
  }
  EXPECT_EQ(test::fishOptionsIn(resource("completions/rankscope-cli.fish")), options());
}

} // namespace rankscope
