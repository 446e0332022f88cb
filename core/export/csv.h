// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a table as CSV: RFC 4180 (CRLF, doubled quotes), UTF-8, one header row. Texts that a spreadsheet
// would execute as a formula get a leading apostrophe, because names in a trace are untrusted; numbers never
// do. Linear in the table.
#pragma once

#include "core/export/result_table.h"

#include <string>
#include <string_view>

namespace rankscope {

[[nodiscard]] std::string toCsv(const ResultTable& table);

// One field: converted to valid UTF-8, formulas escaped, quoted if needed.
[[nodiscard]] std::string csvTextField(std::string_view text);

} // namespace rankscope
