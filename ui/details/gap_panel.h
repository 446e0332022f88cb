// SPDX-License-Identifier: GPL-3.0-or-later
// Why a device was idle: the explanation of the selected idle gap. The causes were computed with the job's
// highlights; building the text takes a few binary searches.
#pragma once

#include "ui/base/highlight_choice.h"
#include "ui/details/explanation_page.h"

namespace rankscope::ui {

class JobHighlights;

// drawn: the job on the clock of the gap's range. CPU activity and Python frame during the gap, the next GPU
// event and its launch, the awaited event and rank, and the total of gaps with the same cause.
[[nodiscard]] Explanation gapExplanation(const JobHighlights& highlights, const TraceSet& drawn,
                                         const GapRef& gap);

class GapPanel : public ExplanationPage {
  Q_OBJECT
 public:
  explicit GapPanel(TraceSession& session, QWidget* parent = nullptr);

 private:
  void showGap();

  TraceSession& m_session;
};

} // namespace rankscope::ui
