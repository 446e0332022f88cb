// SPDX-License-Identifier: GPL-3.0-or-later
// Accessibility of the painted parts of the timeline: names, the selected slice in words,
// the time that is shown; and a frame around the lanes while the keyboard came to them by Tab. Follows the
// session; belongs to the view. UI thread.
#pragma once

#include <QObject>

class QWidget;

namespace rankscope::ui {

class TimeRuler;
class TimelineCanvas;
class TraceSession;
class TrackHeaders;

// What a timeline is put together from.
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
  // Before any of the parts gets an accessible name.
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
