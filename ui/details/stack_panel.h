// SPDX-License-Identifier: GPL-3.0-or-later
// The call stack of the selected event, innermost first: a click on a frame reveals it, a click on its source
// line opens it. Without a stack, it says what to record. UI thread.
#pragma once

#include "core/model/trace_set.h"
#include "ui/widgets/call_stack.h"

#include <QTextBrowser>

#include <vector>

namespace rankscope::ui {

class TraceSession;

class StackPanel : public QTextBrowser {
  Q_OBJECT
 public:
  explicit StackPanel(TraceSession& session, QWidget* parent = nullptr);

  [[nodiscard]] const std::vector<StackFrame>& frames() const { return m_frames; }
  // One line per frame, innermost first.
  [[nodiscard]] QString asText() const;

 signals:
  void sourceWanted(const rankscope::ui::SourcePlace& place);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void showSelection();
  void follow(const QUrl& url);

  TraceSession& m_session;
  std::vector<StackFrame> m_frames;
};

} // namespace rankscope::ui
