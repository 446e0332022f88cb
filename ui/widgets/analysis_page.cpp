// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/analysis_page.h"

namespace rankscope::ui {

void AnalysisPage::setAnalysis(std::shared_ptr<const Analysis> analysis) {
  if (m_analysis == analysis) return;
  m_analysis = std::move(analysis);
  m_stale = true;
  if (!m_analysis) {
    m_task.drop();
    if (m_clear) m_clear();
    emit settled();
  } else if (isVisible()) {
    refresh();
  }
}

void AnalysisPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void AnalysisPage::refresh() {
  if (!m_stale || !m_analysis || !m_make) return;
  m_stale = false;
  m_task.ask([analysis = m_analysis, make = m_make] { return make(analysis); },
             [this](const Shown& show) {
               show();
               emit settled();
             });
}

} // namespace rankscope::ui
