// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path in the visible range: a row for each segment and the time by category. A click on a row
// selects the segment, a double click fits it. Rows are made on a worker while the page is visible. UI
// thread.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/details/path_rows.h"
#include "ui/job/path_choice.h"
#include "ui/tables/table_export.h"

#include <QWidget>

class QPushButton;
class QStackedWidget;

namespace rankscope::ui {

class ElidedLabel;
class PathSums;
class TableCard;

class PathPanel : public QWidget, public TableExport {
  Q_OBJECT
 public:
  explicit PathPanel(TraceSession& session, QWidget* parent = nullptr);

  [[nodiscard]] TableCard& table() { return *m_table; }
  [[nodiscard]] PathSums& sums() { return *m_sums; }
  // "27 segments in view · 4 jumps between ranks · clocks ±21 µs".
  [[nodiscard]] QString summary() const;
  [[nodiscard]] bool canExport() const override;
  void exportCsv() override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void refresh();
  void showRows(PathRows rows);
  void showSelected();
  void choose(int row);

  TraceSession& m_session;
  PathChoice& m_path;
  PathRows m_rows;
  ElidedLabel* m_summary;
  TableCard* m_table;
  PathSums* m_sums;
  QStackedWidget* m_stack;
  QPushButton* m_turnOn;
  ElidedLabel* m_none;
  LatestTask<PathRows> m_task;
};

} // namespace rankscope::ui
