// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/analysis_page.h"

namespace rankscope::ui {

std::shared_ptr<const Analysis> AnalysisPage::analysis() const {
  return m_shownOf ? m_shownOf->sharedAnalysis() : nullptr;
}

void AnalysisPage::setReport(std::shared_ptr<const JobReport> report) {
  if (m_report == report) return;
  m_report = std::move(report);
  m_stale = true;
  m_task.drop();
  if (!m_report) {
    m_shownOf.reset();
    if (m_clear) m_clear();
  } else if (isVisible()) {
    refresh();
  }
}

void AnalysisPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void AnalysisPage::refresh() {
  if (!m_stale || !m_report || !m_make) return;
  m_stale = false;
  m_task.ask([report = m_report, make = m_make] { return make(*report); },
             [this, report = m_report](const Shown& show) {
               m_shownOf = report;
               show();
             },
             [this](const Error& error) {
               m_stale = true; // showing the page again retries
               reportFailure(error);
             });
}

} // namespace rankscope::ui
