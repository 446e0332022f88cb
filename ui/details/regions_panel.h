// SPDX-License-Identifier: GPL-3.0-or-later
// The list of regions: a click selects a region's range, a double click on its times goes there, names and
// notes are edited in place, Delete removes, and the list can be exported. UI thread.
#pragma once

#include "ui/tables/table_export.h"

#include <QWidget>

class QLabel;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace rankscope::ui {

class RegionsModel;
class TraceSession;

class RegionsPanel : public QWidget, public TableExport {
  Q_OBJECT

 public:
  explicit RegionsPanel(TraceSession& session, QWidget* parent = nullptr);

  [[nodiscard]] QTableView& list() { return *m_list; }
  // Starts editing the note of a region.
  void editNote(std::size_t position);
  // Starts editing its name, which is the text of a note.
  void editName(std::size_t position);
  // All regions as CSV.
  [[nodiscard]] QByteArray csv() const;
  [[nodiscard]] bool canExport() const override;
  void exportCsv() override;

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void showRegions();
  void choose(int row);
  void goTo(int row);
  void centerOn(std::size_t position);
  void edit(int row, int column);
  void removeChosen();

  TraceSession& m_session;
  RegionsModel* m_model;
  QTableView* m_list;
  QLabel* m_empty;
  QStackedWidget* m_stack;
  QToolButton* m_remove;
  QToolButton* m_export;
};

} // namespace rankscope::ui
