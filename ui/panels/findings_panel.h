// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with the job, beside every tab: a card a finding, the costliest first, with what it rests on
// and what to change. A click takes the timeline to the place. UI thread.
#pragma once

#include "ui/panels/analysis_page.h"
#include "ui/theme.h"

#include <vector>

class QLabel;
class QVBoxLayout;

namespace rankscope::ui {

class TraceSession;

class FindingsPanel : public AnalysisPage {
  Q_OBJECT
 public:
  explicit FindingsPanel(TraceSession& session, QWidget* parent = nullptr);

 signals:
  // How many there are; -1: not known.
  void countChanged(int count);

 private:
  void showFindings(const std::vector<Finding>* findings);
  void reveal(const Finding& finding);

  TraceSession& m_session;
  QLabel* m_count;
  QLabel* m_empty;
  QVBoxLayout* m_cards;
};

// Takes the timeline to what a finding is about, and selects what proves it.
void revealFinding(TraceSession& session, const Finding& finding);

} // namespace rankscope::ui
