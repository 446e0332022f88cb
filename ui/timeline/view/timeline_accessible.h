// SPDX-License-Identifier: GPL-3.0-or-later
// Accessibility of the painted parts of the timeline: names, a description of the selected slice, the
// displayed time; and a frame around the lanes if they got the focus by Tab. Follows the session; owned by
// the view. UI thread.
#pragma once

#include <QObject>

class QWidget;

namespace rankscope::ui {

class TimeRuler;
class TimelineCanvas;
class TraceSession;
class TrackHeaders;

// The parts of a timeline.
struct TimelineParts {
  QWidget& view;
  TimelineCanvas& canvas;
  TimelineCanvas& pinnedCanvas;
  TrackHeaders& headers;
  TrackHeaders& pinnedHeaders;
  TimeRuler& ruler;
};

class TimelineAccessible : public QObject {
  Q_OBJECT

 public:
  // Called before any of the parts gets an accessible name.
  TimelineAccessible(const TimelineParts& parts, TraceSession& session);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void notifySelection();
  void updateWindowText();

  TimelineParts m_parts;
  TraceSession& m_session;
  QWidget* m_frame; // around the lanes
};

} // namespace rankscope::ui
