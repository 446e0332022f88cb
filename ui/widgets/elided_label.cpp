// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_label.h"

#include <QPainter>
#include <QStyle>
#include <QStyleOption>

namespace rankscope::ui {

QString ElidedLabel::textWithin(int width) const {
  QString shown = text();
  while (fontMetrics().horizontalAdvance(shown) > width) {
    const qsizetype last = m_separator.isEmpty() ? -1 : shown.lastIndexOf(m_separator);
    if (last < 0) return fontMetrics().elidedText(shown, Qt::ElideRight, width);
    shown.truncate(last);
  }
  return shown;
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QRect inner = contentsRect();
  const QString shown = textWithin(inner.width());
  setToolTip(shown == text() ? QString() : text());
  style()->drawItemText(&painter, inner, static_cast<int>(alignment()), palette(), isEnabled(), shown,
                        foregroundRole());
}

} // namespace rankscope::ui
