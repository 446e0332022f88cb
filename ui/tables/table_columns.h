// SPDX-License-Identifier: GPL-3.0-or-later
// Visibility, width and sort order of a table's columns: defaults, or the user's choice. Choices are stored
// by column key, so that they apply to tables with other columns; optionally in the settings. UI thread only;
// widths are measured over at most 200 rows.
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
  // Loads choices stored under this key, and stores new ones.
  void setMemory(QSettings& settings, const QString& key);

  // Call after the model has a new table.
  void tableChanged();
  // Distributes the available width: to the stretched column as far as its texts need it, then to all. If
  // there is too little, bars and long texts shrink first; where the table scrolls, its first figures stay in
  // view.
  void spread();

  [[nodiscard]] bool isOn(int column) const;
  // At least one column stays visible.
  void setOn(int column, bool on);
  void showAll();
  // Resets columns and widths to the defaults.
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
  void makeRoomForFigures(std::vector<int>& widths, const std::vector<std::size_t>& flexible) const;
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

  std::map<QString, bool> m_choice; // by key: shown or hidden by the user
  std::map<QString, int> m_chosenWidths;
  std::optional<std::pair<QString, Qt::SortOrder>> m_chosenSort;
  bool m_spreading = false;
  bool m_again = false;      // the width changed while spreading
  std::vector<int> m_needed; // widths, by column of the model
  std::vector<int> m_wanted; // widths with which no text is cut
  int m_longest = 0;         // width of the longest measured text of the stretched column

  QSettings* m_settings = nullptr;
  QString m_key;
};

} // namespace rankscope::ui
