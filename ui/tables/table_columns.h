// SPDX-License-Identifier: GPL-3.0-or-later
// Which columns of a table are shown, how wide they are, and by which the rows are sorted: by default, or as
// one chose. Choices are kept by column, not by place, so that they outlive tables with other columns; with a
// memory they outlive the program. UI thread only; widths cost the rows that are measured, at most 200.
#pragma once

#include <QObject>
#include <QString>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

class QMenu;
class QSettings;

namespace rankscope::ui {

class ResultTableModel;
class ShownRows;
class TableView;

class TableColumns : public QObject {
  Q_OBJECT
 public:
  TableColumns(TableView& view, ShownRows& rows, const ResultTableModel& model, QObject* parent = nullptr);

  void setStretchColumn(const std::string& source) { m_stretch = source; }
  void setDefaultSort(const std::string& source, Qt::SortOrder order);
  // Takes over what was chosen under this key, and keeps what will be.
  void setMemory(QSettings& settings, const QString& key);

  // REQUIRES: after the model has a new table.
  void tableChanged();
  // The width that is left goes to the stretched column, as far as its texts need it, then to all. Where
  // there is too little, the longest texts give way first.
  void spread();

  [[nodiscard]] bool isOn(int column) const;
  // At least one column stays.
  void setOn(int column, bool on);
  void showAll();
  // Columns and widths as if nothing had been chosen.
  void showDefault();
  void fillMenu(QMenu& menu);

 signals:
  void choiceChanged();

 private:
  void applyChoice();
  void applySort();
  void measure();
  void spreadOnce();
  void shrink(std::vector<int>& widths, const std::vector<std::size_t>& flexible, int missing) const;
  void keepWidth(int column, int width);
  void sortChosen();
  void save() const;
  void load();
  [[nodiscard]] int columnOfKey(const QString& key) const;
  [[nodiscard]] int stretchedColumn() const;

  TableView& m_view;
  ShownRows& m_rows;
  const ResultTableModel& m_model;
  std::string m_stretch;
  std::pair<std::string, Qt::SortOrder> m_defaultSort{{}, Qt::DescendingOrder};

  std::map<QString, bool> m_choice; // by key: what one switched on or off
  std::map<QString, int> m_chosenWidths;
  std::optional<std::pair<QString, Qt::SortOrder>> m_chosenSort;
  bool m_spreading = false;
  bool m_again = false;      // there was another width meanwhile
  std::vector<int> m_needed; // widths, by column of the model
  int m_longest = 0;         // width that all measured texts of the stretched column need

  QSettings* m_settings = nullptr;
  QString m_key;
};

} // namespace rankscope::ui
