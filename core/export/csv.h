// SPDX-License-Identifier: GPL-3.0-or-later
// A table as comma-separated values: RFC 4180 (CRLF, quotes doubled), UTF-8, one header row. A text that a
// spreadsheet would run as a formula gets an apostrophe before it, because names in a trace are untrusted
// input; numbers never do. Linear in the table.
#pragma once

#include "core/export/result_table.h"

#include <string>
#include <string_view>

namespace rankscope {

[[nodiscard]] std::string toCsv(const ResultTable& table);

// One field of it: made valid UTF-8, harmless, and quoted where needed.
[[nodiscard]] std::string csvTextField(std::string_view text);

} // namespace rankscope
