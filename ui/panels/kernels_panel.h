// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels tab: what the devices spent their time on, by name. Shows the `kernels` table, filtered as one
// types and by rank. UI thread only.
#pragma once

#include "ui/panels/analysis_page.h"
#include "ui/panels/table_card.h"

class QComboBox;
class QLineEdit;

namespace rankscope::ui {

class KernelsPanel : public AnalysisPage {
  Q_OBJECT
 public:
  explicit KernelsPanel(TraceSession& session, QWidget* parent = nullptr);

  [[nodiscard]] TableCard& card() { return *m_card; }
  [[nodiscard]] QLineEdit& filterField() { return *m_filter; }

  // Filters the table by these words.
  void showOnly(const QString& words);

 private:
  struct Tables {
    std::shared_ptr<const ResultTable> totals; // all ranks together
    std::shared_ptr<const ResultTable> byRank;
  };

  void listRanks();
  void showChosen();
  void updateCaption();
  void revealKernel(int tableRow);

  TraceSession& m_session;
  QLineEdit* m_filter;
  QComboBox* m_rank;
  TableCard* m_card;
  Tables m_tables;
};

} // namespace rankscope::ui
