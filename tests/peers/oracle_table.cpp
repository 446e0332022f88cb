// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/oracle_table.h"

#include "tests/peers/peer_file.h"
#include "tests/support/trace_facts.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace rankscope::peers {

namespace {

std::vector<std::vector<std::string>> csvRecords(const std::string& csv) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record(1);
  bool inQuotes = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (c == '"' && inQuotes && i + 1 < csv.size() && csv[i + 1] == '"')
      record.back() += csv[++i];
    else if (c == '"')
      inQuotes = !inQuotes;
    else if (inQuotes)
      record.back() += c;
    else if (c == ',')
      record.emplace_back();
    else if (c == '\n')
      records.push_back(std::exchange(record, std::vector<std::string>(1)));
    else if (c != '\r')
      record.back() += c;
  }
  if (record.size() > 1 || !record[0].empty()) records.push_back(std::move(record));
  return records;
}

// Python's words for what is no number as well.
std::optional<double> numberIn(std::string_view cell) {
  if (cell == "inf") return std::numeric_limits<double>::infinity();
  if (cell == "-inf") return -std::numeric_limits<double>::infinity();
  return numberOf(cell);
}

} // namespace

std::string_view CsvTable::cell(std::size_t row, std::string_view column) const {
  const auto found = std::ranges::find(columns, column);
  if (found == columns.end()) return {};
  const auto at = static_cast<std::size_t>(found - columns.begin());
  return at < rows[row].size() ? std::string_view(rows[row][at]) : std::string_view();
}

CsvTable readCsv(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  const std::string csv = test::readText(file);
  CsvTable table;
  table.rows = csvRecords(csv);
  if (table.rows.empty()) return table;
  table.columns = std::move(table.rows.front());
  table.rows.erase(table.rows.begin());
  return table;
}

std::string RowNames::next(const std::string& name) {
  const int count = ++m_count[name];
  return count == 1 ? name : name + "#" + std::to_string(count);
}

Figures figuresOf(const CsvTable& table, const std::vector<std::string>& keys) {
  Figures figures;
  RowNames names;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    std::string name;
    for (const std::string& key : keys) {
      if (!name.empty()) name += ',';
      name += table.cell(row, key);
    }
    name = names.next(name);
    for (const std::string& column : table.columns) {
      const std::string_view cell = table.cell(row, column);
      if (cell.empty() || std::ranges::find(keys, column) != keys.end()) continue;
      const auto number = numberIn(cell);
      figures[{name, column}] = number ? Figure(*number) : Figure(std::string(cell));
    }
  }
  return figures;
}

} // namespace rankscope::peers
