// SPDX-License-Identifier: GPL-3.0-or-later
// The operators tab: what the host called and what of the device's time that stands for. UI thread.
#pragma once

#include "ui/charts/chart_card.h"
#include "ui/panels/analysis_page.h"
#include "ui/panels/table_card.h"

namespace rankscope::ui {

class OperatorsPanel : public AnalysisPage {
  Q_OBJECT
 public:
  explicit OperatorsPanel(TraceSession& session, QWidget* parent = nullptr);

  [[nodiscard]] TableCard& card() { return *m_card; }

  // Filters the table by these words.
  void showOnly(const QString& words) { m_card->setFilterWords(words); }

 private:
  TableCard* m_card;
};

} // namespace rankscope::ui
