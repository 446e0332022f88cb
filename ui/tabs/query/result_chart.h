// SPDX-License-Identifier: GPL-3.0-or-later
// Two columns of a query's result as a chart, chosen by the user; it shows the rows that the table shows, in
// its order. UI thread.
#pragma once

#include "ui/charts/chart_card.h"
#include "ui/tabs/query/chart_points.h"

#include <memory>
#include <vector>

class QComboBox;
class QStackedWidget;

namespace rankscope::ui {

class ResultChart : public ChartCard {
  Q_OBJECT
 public:
  explicit ResultChart(const TraceSession& session, QWidget* parent = nullptr);

  // Keeps the columns of the last result with the same ones. emptyText: why there are no rows.
  void setTable(std::shared_ptr<const ResultTable> table, const QString& emptyText);
  // The rows of the table to draw, in this order; leads: whether rows lead to the timeline.
  void setRows(std::vector<int> rows, bool leads);

  [[nodiscard]] const ChartPoints& points() const { return m_points; }
  [[nodiscard]] QComboBox& across() { return *m_across; }
  [[nodiscard]] QComboBox& upward() { return *m_upward; }
  [[nodiscard]] const StackedBars& bars() const { return *m_bars; }
  [[nodiscard]] const LinePlot& curves() const { return *m_curves; }

 signals:
  // A bar or a point was clicked.
  void rowActivated(int tableRow);

 private:
  ResultChart(const TraceSession& session, StackedBars* bars, LinePlot* curves, QWidget* parent);
  void listColumns();
  void showChosen();
  [[nodiscard]] QString captionText() const;

  StackedBars* m_bars;
  LinePlot* m_curves;
  QStackedWidget* m_charts;
  QComboBox* m_across;
  QComboBox* m_upward;
  std::shared_ptr<const ResultTable> m_table;
  std::vector<int> m_rows;
  QString m_emptyText;
  bool m_leads = false;
  ChartPoints m_points;
};

} // namespace rankscope::ui
