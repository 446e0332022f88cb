// SPDX-License-Identifier: GPL-3.0-or-later
// The files tab: contents and rank source of every file, and everything repaired, skipped or suspicious
// with its position. Shows the `files` table and the diagnostics of a TraceSet. UI thread only.
#pragma once

#include "core/model/trace_set.h"
#include "ui/tables/table_card.h"
#include "ui/widgets/analysis_page.h"

#include <memory>

class QSettings;

namespace rankscope::ui {

class FilesPanel : public AnalysisPage {
  Q_OBJECT
 public:
  FilesPanel(const TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  [[nodiscard]] TableCard& filesCard() { return *m_files; }
  [[nodiscard]] TableCard& diagnosticsCard() { return *m_diagnostics; }

 private:
  struct Tables {
    QString folder;
    std::size_t fileCount = 0;
    std::shared_ptr<const ResultTable> files;
    std::shared_ptr<const ResultTable> diagnostics;
  };

  void showTables(const Tables& tables);

  const std::shared_ptr<QString> m_folder = std::make_shared<QString>(); // of the displayed files
  TableCard* m_files;
  TableCard* m_diagnostics;
};

// One row per stored diagnostic: file, kind (repaired, skipped, doubted), place, text; and one per file and
// kind with the number of those not stored.
[[nodiscard]] ResultTable diagnosticsTable(const TraceSet& traces);

} // namespace rankscope::ui
