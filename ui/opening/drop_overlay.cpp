// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/drop_overlay.h"

#include "ui/base/remote_names.h"
#include "ui/job/trace_session.h"

#include <QEvent>
#include <QMimeData>
#include <QPainter>
#include <QUrl>

namespace rankscope::ui {

DropOverlay::DropOverlay(const TraceSession& session, QWidget* parent) : QWidget(parent), m_session(session) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setAttribute(Qt::WA_NoSystemBackground);
  parent->installEventFilter(this);
  hide();
}

void DropOverlay::showFor(const QString& what, const QString& consequence) {
  m_what = what;
  m_consequence = consequence;
  resize(parentWidget()->size());
  raise();
  show();
  update();
}

void DropOverlay::paintEvent(QPaintEvent*) {
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  QColor veil = theme.background;
  veil.setAlphaF(0.94F);
  painter.fillRect(rect(), veil);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor tint = theme.accent;
  tint.setAlphaF(0.10F);
  painter.setBrush(tint);
  QPen dashes(theme.accent, 2);
  dashes.setDashPattern({5, 4});
  painter.setPen(dashes);
  painter.drawRoundedRect(QRectF(rect()).adjusted(16, 16, -16, -16), 14, 14);

  const QFont big = textFont(20, QFont::DemiBold);
  painter.setFont(big);
  painter.setPen(theme.text);
  const int width = rect().width() - 80;
  const QRect line(40, rect().center().y() - 30, width, 30);
  painter.drawText(line, Qt::AlignCenter,
                   QFontMetrics(big).elidedText(tr("Drop to open %1").arg(m_what), Qt::ElideMiddle, width));
  painter.setFont(textFont(13));
  painter.setPen(theme.muted);
  painter.drawText(line.translated(0, 34), Qt::AlignCenter, m_consequence);
}

bool DropOverlay::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && watched == parent()) resize(parentWidget()->size());
  return QWidget::eventFilter(watched, event);
}

QStringList droppedPaths(const QMimeData& data) {
  QStringList paths;
  for (const QUrl& url : data.urls()) {
    if (url.isLocalFile())
      paths << url.toLocalFile();
    else if (isOpenedAddress(url.toString()))
      paths << url.toString();
  }
  // A name as NAME:path is no URL.
  const QString text = data.text().trimmed();
  if (paths.isEmpty() && isOpenedAddress(text)) paths << text;
  return paths;
}

} // namespace rankscope::ui
