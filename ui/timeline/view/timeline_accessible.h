// SPDX-License-Identifier: GPL-3.0-or-later
// What the painted parts of the timeline tell those who do not see them: names, the selected slice in words,
// the time that is shown; and a frame around the lanes while the keyboard came to them by Tab. Follows the
// session; belongs to the view. UI thread.
#pragma once

#include <QObject>

class QWidget;

namespace rankscope::ui {

class TimelineView;
class TraceSession;

class TimelineAccessible : public QObject {
  Q_OBJECT

 public:
  TimelineAccessible(TimelineView& view, TraceSession& session);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void tellSelection();
  void tellWindow();

  TimelineView& m_view;
  TraceSession& m_session;
  QWidget* m_frame; // around the lanes
};

} // namespace rankscope::ui
