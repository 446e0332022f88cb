// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of which a digest has the rows themselves: about one rank each, and made of more of its events than
// can be kept. Pure functions.
#pragma once

#include "core/report/tables.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct DigestedRows {
  std::string bytes;                  // DigestSection::Rows
  std::vector<std::string> shortened; // tables of which only the first rows are kept
};

// Of a rank whose events are at hand. most: rows of a table.
[[nodiscard]] DigestedRows digestedRows(const Analysis& analysis, RankIndex rank, std::size_t most);
// Those that follow from the account of the rank (DigestSection::JudgedRows). REQUIRES: the job has told
// (SideFiles), or all of it is at hand.
[[nodiscard]] std::string judgedRows(const Analysis& analysis, RankIndex rank, std::size_t most);
// Those that are made of the files beside the traces (SideFiles::digestedRows). side: the job without ranks.
[[nodiscard]] std::string sideRows(const JobReport& side, std::size_t most);
// Leaves of each table the first rows of all parts together. parts: sideRows, in their order.
void boundSideRows(std::span<std::string> parts, std::size_t most);
// Those of single files, in their order, as if they had been read together. parts: sideRows of one snapshot
// each, or of the dumps.
[[nodiscard]] std::string joinedSideRows(std::span<const std::string> parts, std::size_t most);
// The tables of which these are only the first.
[[nodiscard]] std::vector<std::string> shortenedRows(std::string_view rows);

// prepareTable, but for tables of which a digest has the rows.
void prepareRows(const JobReport& report, const TableSpec& spec, unsigned threadCount);

// Whether the table is made of arguments of events, which are in the traces only.
[[nodiscard]] bool readsArguments(std::string_view table);

// Whether the table depends on peaks and models that a user gives.
[[nodiscard]] bool dependsOnSettings(std::string_view table);

// The table of the job: made from it, or of the rows in the digests of its ranks.
[[nodiscard]] ResultTable tableOf(const JobReport& report, const TableSpec& spec);

} // namespace rankscope
