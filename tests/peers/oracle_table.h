// SPDX-License-Identifier: GPL-3.0-or-later
// A table that another tool wrote, as figures.
#pragma once

#include "tests/peers/figures.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::peers {

struct CsvTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  // The cell of a row in a column; empty when there is no such column.
  [[nodiscard]] std::string_view cell(std::size_t row, std::string_view column) const;
};

// RFC 4180. An empty table when there is no such file.
[[nodiscard]] CsvTable readCsv(const std::filesystem::path& file);

// The figures of the columns that are not keys. A row is named by its cells of the key columns, joined by a
// comma; a further row of the same name has "#2" after it. An empty cell is no figure.
[[nodiscard]] Figures figuresOf(const CsvTable& table, const std::vector<std::string>& keys);

// The name of a further row: "x", "x#2", ...
class RowNames {
 public:
  [[nodiscard]] std::string next(const std::string& name);

 private:
  std::map<std::string, int> m_count;
};

} // namespace rankscope::peers
