// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of which a digest has the rows themselves: about one rank each, without times of the job, and made
// of more of its events than can be kept. Pure functions.
#pragma once

#include "core/report/tables.h"

#include <cstddef>
#include <string>
#include <vector>

namespace rankscope {

struct DigestedRows {
  std::string bytes;                  // DigestSection::Rows
  std::vector<std::string> shortened; // tables of which only the first rows are kept
};

// Of a rank whose events are at hand. most: rows of a table.
[[nodiscard]] DigestedRows digestedRows(const Analysis& analysis, RankIndex rank, std::size_t most);

// The table of the job: made from it, or of the rows in the digests of its ranks.
[[nodiscard]] ResultTable tableOf(const JobReport& report, const TableSpec& spec);

} // namespace rankscope
