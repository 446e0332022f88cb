// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/stack_panel.h"

#include "core/analysis/job/recording_advice.h"
#include "core/base/unit_text.h"
#include "ui/base/short_name.h"
#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"
#include "ui/widgets/text_page.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QUrl>

namespace rankscope::ui {
namespace {

QString placeText(const SourcePlace& place) {
  return QStringLiteral("%1:%2").arg(textOf(place.file)).arg(place.line);
}

} // namespace

StackPanel::StackPanel(TraceSession& session, QWidget* parent) : QTextBrowser(parent), m_session(session) {
  setUpTextPage(*this, 14);
  setAccessibleName(tr("Call stack"));
  connect(this, &QTextBrowser::anchorClicked, this, &StackPanel::follow);
  for (const auto signal :
       {&TraceSession::selectionChanged, &TraceSession::traceChanged, &TraceSession::themeChanged})
    connect(&session, signal, this, &StackPanel::showSelection);
  showSelection();
}

void StackPanel::showSelection() {
  m_frames.clear();
  const Theme& theme = m_session.theme();
  const auto showMessage = [&](const QString& sentence) {
    setHtml(QStringLiteral("<p align='center' style='color:%1; margin-top:34px'>%2</p>")
                .arg(theme.muted.name(), sentence.toHtmlEscaped()));
  };
  const EventRef selected = m_session.selection();
  if (!m_session.trace() || !selected.valid())
    return showMessage(tr("Nothing selected. Click a slice in the timeline to see what called it."));
  const TraceSet& traces = *m_session.trace();
  const RankTrace& trace = *traces.rank(selected.rank).trace;
  m_frames = callStackOf(traces, selected);
  const bool python = hasPythonStacks(trace);
  const QString advice = tr("Record with %1, to see the Python frames and their source lines.")
                             .arg(QString::fromStdString(optionFor(Recordable::Stacks, traces)));
  if (m_frames.empty())
    return showMessage(trace.isDeviceEvent(selected.event)
                           ? tr("The launch was not recorded, so the call stack is unknown.")
                           : tr("No enclosing events were recorded.") +
                                 (python ? QString() : QLatin1Char(' ') + advice));
  QString html = QStringLiteral("<table cellspacing='0' cellpadding='2' width='100%'>");
  for (std::size_t i = 0; i < m_frames.size(); ++i) {
    const EventIndex event = m_frames[i].event.event;
    const EventKind kind = trace.events.kind[event];
    const QString full = textOf(traces.names()[trace.events.name[event]]);
    const QString name = kind == EventKind::Python && m_frames[i].place
                             ? full.section(QStringLiteral("): "), 1)
                             : textOf(shortName(kind, full.toStdString()));
    QString place;
    if (m_frames[i].place)
      place = QStringLiteral("<a href='source:%1' style='color:%2; text-decoration:none'>%3</a>")
                  .arg(i)
                  .arg(theme.muted.name(), placeText(*m_frames[i].place).toHtmlEscaped());
    html +=
        QStringLiteral("<tr><td style='padding-right:18px; white-space:nowrap'>"
                       "<a href='frame:%1' style='color:%2; text-decoration:none'>%3</a></td>"
                       "<td style='padding-right:18px'>%4</td>"
                       "<td align='right' style='color:%5; white-space:nowrap'>%6 &nbsp; %7</td></tr>")
            .arg(i)
            .arg(theme.accent.name(), name.left(160).toHtmlEscaped(), place, theme.muted.name(),
                 textOf(kindText(kind)), QString::fromStdString(durationText(trace.events.duration[event])));
  }
  html += QStringLiteral("</table>");
  if (!python)
    html += QStringLiteral("<p style='color:%1'>%2</p>").arg(theme.muted.name(), advice.toHtmlEscaped());
  setHtml(html);
}

void StackPanel::follow(const QUrl& url) {
  const std::size_t frame = url.path().toULong();
  if (frame >= m_frames.size()) return;
  if (url.scheme() == QLatin1String("source"))
    emit sourceWanted(*m_frames[frame].place);
  else
    m_session.reveal(m_frames[frame].event);
}

QString StackPanel::asText() const {
  QStringList lines;
  for (const StackFrame& frame : m_frames) {
    const RankTrace& trace = *m_session.trace()->rank(frame.event.rank).trace;
    lines << textOf(m_session.trace()->names()[trace.events.name[frame.event.event]]);
  }
  return lines.join(QLatin1Char('\n'));
}

void StackPanel::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy) && !textCursor().hasSelection())
    QGuiApplication::clipboard()->setText(asText());
  else
    QTextBrowser::keyPressEvent(event);
}

} // namespace rankscope::ui
