// SPDX-License-Identifier: GPL-3.0-or-later
// Why a device was idle: the explanation of the selected idle gap, in order of time. What
// it shows was computed with the job's highlights; building it costs a few binary searches.
#pragma once

#include "ui/base/highlight_choice.h"
#include "ui/details/explanation_page.h"

namespace rankscope::ui {

class JobHighlights;

// drawn: the job on the clock of the gap's range. What the host did and in which Python frame, what came next
// and when that was launched, what it waited for on which rank, what this and its like cost.
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
