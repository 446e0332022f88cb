// SPDX-License-Identifier: GPL-3.0-or-later
// A table of results. Window, CSV, JSON and golden tests use the same columns and rows. A cell takes eight
// bytes; equal texts of a table are stored once, because kernel and group names repeat for every rank. Times
// are integer nanoseconds until they are formatted. Filled by one thread, then immutable and thread-safe. An
// empty cell means unknown or not recorded; 0 means zero.
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
  Identity,           // integer that identifies something: rank, stream, step; never grouped or summed
  Count,              // integer number of things
  Nanoseconds,        // integer; written as microseconds, with the suffix _us in the column's name
  Bytes,              // integer
  Percent,            // 0 to 100
  GigabytesPerSecond, // 10^9 bytes per second
  Ratio,              // number without a unit
};

[[nodiscard]] constexpr bool isWhole(Unit unit) {
  return unit == Unit::Identity || unit == Unit::Count || unit == Unit::Nanoseconds || unit == Unit::Bytes;
}

struct TableColumn {
  std::string name; // as in the CSV header
  Unit unit = Unit::Text;

  [[nodiscard]] bool alignsRight() const { return unit != Unit::Text; }
  bool operator==(const TableColumn&) const = default;
};

// std::monostate is an empty cell. A text is valid as long as the table (when adding: during the call).
using Cell = std::variant<std::monostate, std::int64_t, double, std::string_view>;

template <class T> [[nodiscard]] Cell cellOf(const std::optional<T>& value) {
  return value ? Cell(*value) : Cell();
}
// A cell that is empty if the text is empty.
[[nodiscard]] inline Cell textCell(std::string_view text) {
  return text.empty() ? Cell() : Cell(text);
}

class ResultTable {
 public:
  ResultTable(std::string name, std::vector<TableColumn> columns);
  // Move-only, because cells refer to texts by address.
  ResultTable(ResultTable&&) = default;
  ResultTable& operator=(ResultTable&&) = default;

  // One cell per column. REQUIRES: integer units get integers, Text gets texts, others get doubles; any cell
  // may be empty. A double that is not finite becomes an empty cell.
  void addRow(std::span<const Cell> cells);
  void addRow(std::initializer_list<Cell> cells) {
    addRow(std::span<const Cell>(cells.begin(), cells.size()));
  }

  [[nodiscard]] const std::string& name() const { return m_name; }
  [[nodiscard]] const std::vector<TableColumn>& columns() const { return m_columns; }
  // Index of the column with this name; empty if there is none.
  [[nodiscard]] std::optional<std::size_t> columnNamed(std::string_view name) const;
  [[nodiscard]] std::size_t rowCount() const { return m_rowCount; }
  [[nodiscard]] Cell at(std::size_t row, std::size_t column) const;
  [[nodiscard]] bool isEmpty(std::size_t row, std::size_t column) const {
    return m_empty[row * m_columns.size() + column];
  }
  // Number of the text, below textCount(); equal texts of a table have equal numbers. REQUIRES: a nonempty
  // cell of a Text column.
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

// The cell for machines: integers; microseconds and percentages with up to 3 decimals; other ratios with up
// to 6; texts unchanged; empty for an empty cell. '.' is the decimal point.
[[nodiscard]] std::string exactText(const ResultTable& table, std::size_t row, std::size_t column);

} // namespace rankscope
