// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows of a ResultTable are shown, and in which order: sorted by one column, those whose texts hold
// every word of a filter, those of one rank. Rows that compare equal keep the table's order and empty cells
// come last, whichever way the rows are sorted. Texts compare as people expect of names with numbers in them,
// case aside. UI thread only. Sorting costs 16 bytes a row; each different text of the table is folded and
// ranked once: when it is first asked for, or where they are many on a worker as soon as the table is there.
#pragma once

#include "core/export/result_table.h"

#include <QStringList>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::ui {

class TableOrder {
 public:
  // In the table's own order; the words and the rank stay as they are.
  void setTable(std::shared_ptr<const ResultTable> table);
  // By a column of the table; nothing: the table's own order.
  void sortBy(std::optional<std::size_t> column, bool descending);
  void setWords(const QStringList& words);
  // Only rows whose `rank` is this one.
  void setRank(std::optional<std::int64_t> rank);

  // The table's rows that are shown, in order.
  [[nodiscard]] const std::vector<std::uint32_t>& rows() const { return m_shown; }
  // Where a row of the table is shown; -1 when it is not.
  [[nodiscard]] int placeOf(int row) const;
  // Rows of the rank asked for, whatever the words; all rows without one.
  [[nodiscard]] int rowsOfRank() const { return m_rowsOfRank; }
  [[nodiscard]] bool hasWords() const { return !m_words.empty(); }

 private:
  class Ranking;

  void sortRows();
  void showRows();
  void foldTexts();
  void rankTexts();
  [[nodiscard]] std::vector<bool> textsWith(std::string_view word) const;
  void findWords();

  std::shared_ptr<const ResultTable> m_table;
  std::optional<std::size_t> m_column;
  bool m_descending = false;
  std::vector<std::string> m_words; // folded
  std::optional<std::int64_t> m_rank;
  int m_rowsOfRank = 0;

  std::vector<std::uint32_t> m_sorted; // all rows
  std::vector<bool> m_holdsWords;      // by row of the table; nothing without words
  std::vector<std::uint32_t> m_shown;
  std::vector<std::int32_t> m_places; // of each row of the table
  std::string m_folded;               // all texts, one after the other
  std::vector<std::size_t> m_foldedEnds;
  std::vector<std::uint32_t> m_textRanks; // equal for texts that differ in case alone
  std::shared_ptr<Ranking> m_ranksComing; // of many texts; null: none
};

// Lower case, and what else makes texts alike that only look different; UTF-8.
[[nodiscard]] std::string foldedText(std::string_view text);
// For each text its place among them all in natural order, case aside; equal texts have equal places.
[[nodiscard]] std::vector<std::uint32_t> naturalRanks(const std::vector<std::string_view>& texts);

} // namespace rankscope::ui
