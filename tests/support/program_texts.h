// SPDX-License-Identifier: GPL-3.0-or-later
// Descriptions of a program's options in --help, manual page and completions, for comparison.
#pragma once

#include <set>
#include <string>

namespace rankscope::test {

// All long options in the text: "--threads", "--no-cache", ...
[[nodiscard]] std::set<std::string> longOptionsIn(const std::string& text);
// Source of a manual page with escapes for hyphens and fonts removed.
[[nodiscard]] std::string manualText(std::string source);
// The same options from fish completions: "-l threads".
[[nodiscard]] std::set<std::string> fishOptionsIn(const std::string& text);

} // namespace rankscope::test
