// SPDX-License-Identifier: GPL-3.0-or-later
// A table as everything that shows one wants it: a panel, a CSV file, a JSON file and a golden test read the
// same columns and rows. A cell is eight bytes whatever it holds; equal texts of a table are kept once,
// because kernel and group names repeat for every rank. Times stay exact integers of nanoseconds until they
// are text. Filled by one thread, then constant and readable from all. An empty cell means unknown or not
// recorded; 0 means zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace rankscope {

enum class Unit : std::uint8_t {
  Text,
  Identity,           // whole number that names something: rank, stream, step; never grouped or summed
  Count,              // whole number of things
  Nanoseconds,        // whole nanoseconds; written as microseconds, with the suffix _us in the column's name
  Bytes,              // whole bytes
  Percent,            // 0 to 100
  GigabytesPerSecond, // 10^9 bytes a second
  Ratio,              // a number without a unit
};

[[nodiscard]] constexpr bool isWhole(Unit unit) {
  return unit == Unit::Identity || unit == Unit::Count || unit == Unit::Nanoseconds || unit == Unit::Bytes;
}

struct TableColumn {
  std::string name; // as in the CSV's header
  Unit unit = Unit::Text;

  [[nodiscard]] bool alignsRight() const { return unit != Unit::Text; }
  bool operator==(const TableColumn&) const = default;
};

// std::monostate is the empty cell; a text lives as long as the table (or, on the way in, the call).
using Cell = std::variant<std::monostate, std::int64_t, double, std::string_view>;

template <class T> [[nodiscard]] Cell cellOf(const std::optional<T>& value) {
  return value ? Cell(*value) : Cell();
}
// An empty text is an empty cell.
[[nodiscard]] inline Cell textCell(std::string_view text) {
  return text.empty() ? Cell() : Cell(text);
}

class ResultTable {
 public:
  ResultTable(std::string name, std::vector<TableColumn> columns);
  // Texts are held by address.
  ResultTable(ResultTable&&) = default;
  ResultTable& operator=(ResultTable&&) = default;

  // One cell a column. REQUIRES: whole units get integers, Text gets texts, the others get doubles, any may
  // be empty; a double that is not finite becomes an empty cell.
  void addRow(std::span<const Cell> cells);
  void addRow(std::initializer_list<Cell> cells) {
    addRow(std::span<const Cell>(cells.begin(), cells.size()));
  }

  [[nodiscard]] const std::string& name() const { return m_name; }
  [[nodiscard]] const std::vector<TableColumn>& columns() const { return m_columns; }
  // The column of that name; nothing when there is none.
  [[nodiscard]] std::optional<std::size_t> columnNamed(std::string_view name) const;
  [[nodiscard]] std::size_t rowCount() const { return m_rowCount; }
  [[nodiscard]] Cell at(std::size_t row, std::size_t column) const;
  [[nodiscard]] bool isEmpty(std::size_t row, std::size_t column) const {
    return m_empty[row * m_columns.size() + column];
  }
  // Equal texts of a table have one number, below textCount(). REQUIRES: a cell of a Text column that is not
  // empty.
  [[nodiscard]] std::size_t textNumber(std::size_t row, std::size_t column) const {
    return m_values[row * m_columns.size() + column];
  }
  [[nodiscard]] std::size_t textCount() const { return m_texts.size(); }
  [[nodiscard]] std::string_view text(std::size_t number) const { return *m_texts[number]; }

 private:
  [[nodiscard]] std::uint64_t textId(std::string_view text);

  std::string m_name;
  std::vector<TableColumn> m_columns;
  std::size_t m_rowCount = 0;
  std::vector<std::uint64_t> m_values; // row by row: bits of an int64 or double, or an index into m_texts
  std::vector<bool> m_empty;           // row by row
  std::vector<const std::string*> m_texts;
  std::unordered_map<std::string, std::uint64_t> m_textIds; // nodes do not move, so m_texts points into them
};

// The cell as machines read it: exact integers, microseconds with up to 3 decimals, percentages with up to 3,
// other ratios with up to 6; texts as they are; nothing for an empty cell. '.' is the decimal point.
[[nodiscard]] std::string exactText(const ResultTable& table, std::size_t row, std::size_t column);

} // namespace rankscope
