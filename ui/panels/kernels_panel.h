// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels tab: what the devices spent their time on, by name. Shows the `kernels` table, filtered as one
// types and by rank. UI thread only.
#pragma once

#include "ui/panels/table_card.h"

#include <QWidget>

class QComboBox;
class QLineEdit;

namespace rankscope::ui {

class KernelsPanel : public QWidget {
  Q_OBJECT
 public:
  explicit KernelsPanel(const TraceSession& session, QWidget* parent = nullptr);

  // The calls of all ranks together, and rank by rank. Null while they are being computed or nothing is open.
  void setTables(std::shared_ptr<const ResultTable> totals, std::shared_ptr<const ResultTable> byRank);
  [[nodiscard]] TableCard& card() { return *m_card; }
  [[nodiscard]] QLineEdit& filterField() { return *m_filter; }

 private:
  void listRanks();
  void showChosen();
  void updateCaption();

  QLineEdit* m_filter;
  QComboBox* m_rank;
  TableCard* m_card;
  std::shared_ptr<const ResultTable> m_totals;
  std::shared_ptr<const ResultTable> m_byRank;
};

} // namespace rankscope::ui
