// SPDX-License-Identifier: GPL-3.0-or-later
// What rankscope-cli writes to its user: output, messages, exit codes. Any thread.
#pragma once

#include "core/base/result.h"

#include <string_view>

namespace rankscope {

enum ExitCode : int { kSuccess = 0, kWrongUsage = 1, kNothingRead = 2, kFound = 3, kNoAnswer = 4 };

// A message on standard error. Characters that a terminal would interpret are escaped.
void printError(std::string_view line);

// Prints each line of an error as a separate message.
void printLines(const Error& error);

// Text on standard output. Reports incomplete output, so that a truncated table is not taken for a complete
// one.
[[nodiscard]] ExitCode print(std::string_view text);

} // namespace rankscope
