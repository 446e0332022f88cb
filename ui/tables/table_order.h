// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a ResultTable that are shown, and their order: sorted by one column, filtered by words and by
// rank. Equal rows keep the table's order and empty cells are last, ascending and descending alike. Texts are
// compared in natural order, ignoring case. UI thread only. Sorting takes 16 bytes per row; each different
// text of the table is folded and ranked once, on demand, or if there are many, on a worker as soon as the
// table is set.
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
  // Starts in the table's own order; words and rank are kept.
  void setTable(std::shared_ptr<const ResultTable> table);
  // By a column of the table; nothing: the table's own order.
  void sortBy(std::optional<std::size_t> column, bool descending);
  void setWords(const QStringList& words);
  // Only rows whose `rank` is this one.
  void setRank(std::optional<std::int64_t> rank);

  // Shown rows of the table, in order.
  [[nodiscard]] const std::vector<std::uint32_t>& rows() const { return m_shown; }
  // Position of a row of the table; -1 if it is not shown.
  [[nodiscard]] int placeOf(int row) const;
  // Number of rows of the chosen rank, ignoring the words; all rows without a rank.
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
  std::vector<bool> m_holdsWords;      // by row of the table; empty without words
  std::vector<std::uint32_t> m_shown;
  std::vector<std::int32_t> m_places; // by row of the table
  std::string m_folded;               // all texts, concatenated
  std::vector<std::size_t> m_foldedEnds;
  std::vector<std::uint32_t> m_textRanks; // equal for texts that differ only in case
  std::shared_ptr<Ranking> m_ranksComing; // being computed for many texts; null: none
};

// Folds case and equivalent spellings; UTF-8.
[[nodiscard]] std::string foldedText(std::string_view text);
// The rank of each text in natural order, ignoring case; equal texts have equal ranks.
[[nodiscard]] std::vector<std::uint32_t> naturalRanks(const std::vector<std::string_view>& texts);

} // namespace rankscope::ui
