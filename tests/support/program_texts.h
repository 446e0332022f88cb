// SPDX-License-Identifier: GPL-3.0-or-later
// What is written about a program in several places: --help, manual page, completions. For comparing them.
#pragma once

#include <set>
#include <string>

namespace rankscope::test {

// "--threads", "--no-cache", ...: every long option that the text names.
[[nodiscard]] std::set<std::string> longOptionsIn(const std::string& text);
// A manual page's source with its marks for hyphens and fonts taken out.
[[nodiscard]] std::string manualText(std::string source);
// The same options as fish's completions name them: "-l threads".
[[nodiscard]] std::set<std::string> fishOptionsIn(const std::string& text);

} // namespace rankscope::test
