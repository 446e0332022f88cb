// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/view/timeline_accessible.h"

#include "core/base/unit_text.h"
#include "ui/base/ui_text.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/headers/track_headers.h"
#include "ui/timeline/strips/time_ruler.h"
#include "ui/timeline/view/timeline_interfaces.h"

#include <QAccessible>
#include <QFocusEvent>
#include <QPainter>

namespace rankscope::ui {
namespace {

void describe(QWidget& widget, const QString& description) {
  if (widget.accessibleDescription() == description) return;
  widget.setAccessibleDescription(description);
  QAccessibleEvent changed(&widget, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&changed);
}

// Drawn over the focused widget, transparent to the mouse.
class FocusFrame : public QWidget {
 public:
  FocusFrame(const TraceSession& session, QWidget* parent) : QWidget(parent), m_session(session) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setPen(QPen(m_session.theme().accent, 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
  }

 private:
  const TraceSession& m_session;
};

} // namespace

TimelineAccessible::TimelineAccessible(const TimelineParts& parts, TraceSession& session)
    : QObject(&parts.view), m_parts(parts), m_session(session),
      m_frame(new FocusFrame(session, &parts.canvas)) {
  installTimelineInterfaces(); // before the first request, which the names below cause
  parts.view.setAccessibleName(tr("Timeline of the job"));
  parts.canvas.setAccessibleName(tr("Timeline"));
  parts.pinnedCanvas.setAccessibleName(tr("Pinned tracks"));
  parts.headers.setAccessibleName(tr("Tracks"));
  parts.pinnedHeaders.setAccessibleName(tr("Headers of pinned tracks"));
  parts.ruler.setAccessibleName(tr("Time"));
  parts.canvas.installEventFilter(this);
  for (TrackHeaders* const headers : {&parts.headers, &parts.pinnedHeaders}) {
    connect(headers, &TrackHeaders::focusMoved, this, [headers] { notifyHeaderFocused(*headers); });
    connect(&session, &TraceSession::choiceChanged, headers, [headers] { notifyHeadersChanged(*headers); });
    connect(&session, &TraceSession::traceChanged, headers, [headers] { notifyHeadersChanged(*headers); });
  }
  connect(&session, &TraceSession::selectionChanged, this, &TimelineAccessible::notifySelection);
  connect(&session, &TraceSession::traceChanged, this, &TimelineAccessible::notifySelection);
  connect(&session, &TraceSession::windowChanged, this, &TimelineAccessible::updateWindowText);
  notifySelection();
  updateWindowText();
}

void TimelineAccessible::notifySelection() {
  const EventRef selected = m_session.selection();
  if (!m_session.trace() || !selected.valid()) return describe(m_parts.canvas, tr("Nothing selected"));
  describe(m_parts.canvas, sliceInWords(*m_session.trace(), selected));
  for (TimelineCanvas* const canvas : {&m_parts.canvas, &m_parts.pinnedCanvas}) notifySliceSelected(*canvas);
}

void TimelineAccessible::updateWindowText() {
  if (!m_session.trace()) return describe(m_parts.ruler, {});
  const TimeNs origin = m_session.trace()->extent().begin;
  const TimeRange window = m_session.recorded(m_session.window());
  describe(m_parts.ruler,
           tr("from %1 to %2, %3 shown")
               .arg(textOf(signedDurationText(window.begin - origin)),
                    textOf(signedDurationText(window.end - origin)), textOf(durationText(window.length()))));
}

bool TimelineAccessible::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusIn) {
    const auto reason = static_cast<QFocusEvent*>(event)->reason();
    m_frame->setVisible(reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason);
    m_frame->setGeometry(m_parts.canvas.rect());
    m_frame->raise();
  } else if (event->type() == QEvent::FocusOut) {
    m_frame->hide();
  } else if (event->type() == QEvent::Resize) {
    m_frame->setGeometry(m_parts.canvas.rect());
  }
  return QObject::eventFilter(watched, event);
}

} // namespace rankscope::ui
