// SPDX-License-Identifier: GPL-3.0-or-later
// The button that chooses one recording of every rank, or all, for the timeline and all tabs. It is only
// visible for jobs of several recordings. The session holds the choice. UI thread.
#pragma once

#include <QToolButton>

namespace rankscope::ui {

class ActionRegistry;
class TraceSession;

class CaptureChoice : public QToolButton {
  Q_OBJECT
 public:
  CaptureChoice(TraceSession& session, ActionRegistry& actions, QWidget* parent = nullptr);

  // 0: all. The timeline shows the whole of it.
  void choose(int capture);

 private:
  void step(int by);
  void showChoice();
  void fillMenu();

  TraceSession& m_session;
};

} // namespace rankscope::ui
