// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/program_texts.h"

#include <regex>

namespace rankscope::test {

namespace {

std::set<std::string> allOf(const std::string& text, const char* expression) {
  const std::regex pattern(expression);
  std::set<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    all.insert("--" + (*at)[1].str());
  return all;
}

} // namespace

std::set<std::string> longOptionsIn(const std::string& text) {
  return allOf(text, "--([a-z][a-z-]*[a-z])");
}

std::set<std::string> fishOptionsIn(const std::string& text) {
  return allOf(text, " -l ([a-z][a-z-]*[a-z])");
}

std::string manualText(std::string source) {
  source = std::regex_replace(source, std::regex("\\\\f[A-Z]"), "");
  return std::regex_replace(source, std::regex("\\\\-"), "-");
}

} // namespace rankscope::test
