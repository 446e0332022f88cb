// SPDX-License-Identifier: GPL-3.0-or-later
// The slowdown part of the gains tab: a map of ranks and steps, of stages where the job is a pipeline, and a
// table by rank, step and kind of work. Computed on a worker after the rest of the tab. UI thread.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/tabs/gains/slowdown_data.h"

#include <QWidget>

#include <memory>

class QBoxLayout;
class QSettings;

namespace rankscope::ui {

class ChartCard;
class TableCard;
class TraceSession;

class SlowdownCards : public QWidget {
  Q_OBJECT
 public:
  SlowdownCards(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  // Null: nothing to show.
  void setReport(std::shared_ptr<const JobReport> report);

  [[nodiscard]] HeatMap& ranks() { return *m_ranks; }
  [[nodiscard]] HeatMap& stages() { return *m_stages; }
  [[nodiscard]] ChartCard& ranksCard() { return *m_ranksCard; }
  [[nodiscard]] ChartCard& stagesCard() { return *m_stagesCard; }
  [[nodiscard]] TableCard& table() { return *m_table; }

 signals:
  void timelineWanted();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showView(SlowdownView view);
  void open(int column, int row);
  void limitHeight();

  TraceSession& m_session;
  QBoxLayout* m_columns;
  HeatMap* m_ranks;
  HeatMap* m_stages;
  ChartCard* m_ranksCard;
  ChartCard* m_stagesCard;
  TableCard* m_table;
  std::shared_ptr<const JobReport> m_report;
  SlowdownView m_view;
  LatestTask<std::shared_ptr<const SlowdownView>> m_task;
};

} // namespace rankscope::ui
