// SPDX-License-Identifier: GPL-3.0-or-later
// The idle gaps of the devices by their cause, or by cause and part of the model that the host was in. A row
// shows its longest gap in the timeline. UI thread; rows are made on a worker.
#pragma once

#include "core/report/job_report.h"
#include "ui/base/latest_task.h"
#include "ui/tables/table_card.h"

#include <memory>
#include <optional>

class QSettings;

namespace rankscope::ui {

class ModelPartRows;
class TraceSession;

class GapCard : public TableCard {
  Q_OBJECT
 public:
  GapCard(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  [[nodiscard]] ModelPartRows& parts() { return *m_parts; }
  // Null: not known yet.
  void setReport(std::shared_ptr<const JobReport> report);

 signals:
  void timelineWanted();

 private:
  void showRows();
  void showLongest(int row);

  TraceSession& m_session;
  ModelPartRows* m_parts;
  std::shared_ptr<const JobReport> m_given;
  std::shared_ptr<const JobReport> m_report;   // that, or over its kept steps if sums are per step
  std::shared_ptr<const ResultTable> m_causes; // null: not made yet
  LatestTask<std::shared_ptr<const ResultTable>> m_causesTask;
  struct Place {
    RankIndex rank;
    TimeRange range; // on its clock
  };
  LatestTask<std::optional<Place>> m_longestTask;
};

} // namespace rankscope::ui
