// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console.h"

#include "core/io/files/shown_paths.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <cstdio>
#include <string>

namespace rankscope {

void printError(std::string_view line) {
  const std::string text = "rankscope-cli: " + printableText(withShownPaths(std::string(line))) + "\n";
  std::fputs(text.c_str(), stderr);
}

void printLines(const Error& error) {
  const std::string text = error.text();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    printError(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
}

ExitCode print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kSuccess;
  printError("standard output: cannot write");
  return kWrongUsage;
}

} // namespace rankscope
