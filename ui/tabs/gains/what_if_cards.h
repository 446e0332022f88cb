// SPDX-License-Identifier: GPL-3.0-or-later
// The second half of the gains tab: predictions of the step if something were different, with controls for a
// scenario of one's own, and the critical path by category, rank, operator, module or kernel. Computed on a
// worker after the account is shown; the newest question counts. UI thread.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/tabs/gains/what_if_data.h"

#include <QWidget>

#include <memory>
#include <string>
#include <vector>

class QBoxLayout;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSettings;
class QSlider;

namespace rankscope::ui {

class TableCard;
class TraceSession;

class WhatIfCards : public QWidget {
  Q_OBJECT
 public:
  WhatIfCards(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  // Null: nothing to show.
  void setReport(std::shared_ptr<const JobReport> report);

  [[nodiscard]] TableCard& scenarios() { return *m_scenarios; }
  [[nodiscard]] TableCard& path() { return *m_path; }
  [[nodiscard]] QComboBox& kindChoice() { return *m_kind; }
  [[nodiscard]] QComboBox& keyChoice() { return *m_key; }
  [[nodiscard]] QSlider& slider() { return *m_slider; }
  [[nodiscard]] QPushButton& addButton() { return *m_add; }
  [[nodiscard]] QPushButton& joinButton() { return *m_join; }
  // The scenario that the controls describe.
  [[nodiscard]] std::string ownScenario() const;

 signals:
  void timelineWanted();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void makeScenarios(QSettings& settings);
  void makePath(QSettings& settings);
  [[nodiscard]] QWidget* controls();
  void showControls();
  void askScenarios();
  void askPath();
  void add();
  void joinSelected();
  void showScenarios(WhatIfView view);
  void openSegment(int row);

  TraceSession& m_session;
  QBoxLayout* m_columns = nullptr;
  TableCard* m_scenarios;
  TableCard* m_path;
  QComboBox* m_kind;
  QComboBox* m_key;
  QSlider* m_slider;
  QLabel* m_factor;
  QLineEdit* m_filter;
  QPushButton* m_add;
  QPushButton* m_join;
  std::shared_ptr<const JobReport> m_report;
  std::shared_ptr<KnownAnswers> m_known; // of the report
  std::vector<std::string> m_added;
  bool m_touched = false; // the controls were used: their scenario has a row
  WhatIfView m_view;
  PathView m_pathView;
  LatestTask<WhatIfView> m_scenarioTask;
  LatestTask<PathView> m_pathTask;
};

} // namespace rankscope::ui
