// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks & files: where each rank came from, what every file gave, and all that was repaired, skipped or
// doubted, with byte offsets. Shows the `ranks` and `files` tables and the diagnostics of a TraceSet. UI
// thread only.
#pragma once

#include "core/model/trace_set.h"
#include "ui/panels/table_card.h"

#include <QWidget>

#include <memory>

class QTabBar;

namespace rankscope::ui {

class FilesPanel : public QWidget {
  Q_OBJECT
 public:
  explicit FilesPanel(const TraceSession& session, QWidget* parent = nullptr);

  // Tables are null while they are being computed or nothing is open.
  void setTables(std::shared_ptr<const ResultTable> ranks, std::shared_ptr<const ResultTable> files,
                 std::shared_ptr<const ResultTable> diagnostics);
  [[nodiscard]] TableCard& ranksCard() { return *m_ranks; }
  [[nodiscard]] TableCard& filesCard() { return *m_files; }
  [[nodiscard]] TableCard& diagnosticsCard() { return *m_diagnostics; }
  // The one that has the focus, else the ranks.
  [[nodiscard]] TableCard& currentCard();

 signals:
  void rankActivated(int rank);

 private:
  TableCard* m_ranks;
  TableCard* m_files;
  TableCard* m_diagnostics;
};

// One row per kept diagnostic: file, kind (repaired, skipped, doubted), byte_offset, text; and one per file
// and kind that says how many were not kept.
[[nodiscard]] ResultTable diagnosticsTable(const TraceSet& traces);

} // namespace rankscope::ui
