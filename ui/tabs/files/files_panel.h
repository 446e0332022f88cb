// SPDX-License-Identifier: GPL-3.0-or-later
// The files tab: contents and rank source of every file, everything repaired, skipped or suspicious with its
// position, and which part of the job's time each recording covers. Shows the `files` table and the
// diagnostics of a TraceSet. UI thread only.
#pragma once

#include "core/model/trace_set.h"
#include "ui/charts/chart_card.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/files/recorded_time.h"
#include "ui/widgets/analysis_page.h"

#include <memory>

class QSettings;

namespace rankscope::ui {

class FilesPanel : public AnalysisPage {
  Q_OBJECT
 public:
  FilesPanel(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  [[nodiscard]] TableCard& filesCard() { return *m_files; }
  [[nodiscard]] TableCard& diagnosticsCard() { return *m_diagnostics; }
  [[nodiscard]] ChartCard& timeCard() { return *m_timeCard; }
  [[nodiscard]] LaneChart& timeChart() { return *m_time; }

 private:
  struct Tables {
    QString folder;
    std::size_t fileCount = 0;
    std::shared_ptr<const ResultTable> files;
    std::shared_ptr<const ResultTable> diagnostics;
    RecordedTime time;
  };

  void showTables(const Tables& tables);
  void showTime();
  void openRecording(int box);

  const std::shared_ptr<QString> m_folder = std::make_shared<QString>(); // of the displayed files
  TraceSession& m_session;
  TableCard* m_files;
  TableCard* m_diagnostics;
  LaneChart* m_time;
  ChartCard* m_timeCard;
  RecordedTime m_recorded;
};

// One row per stored diagnostic: file, kind (repaired, skipped, doubted), place, text; and one per file and
// kind with the number of those not stored.
[[nodiscard]] ResultTable diagnosticsTable(const TraceSet& traces);

} // namespace rankscope::ui
