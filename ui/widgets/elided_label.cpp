// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_label.h"

#include <QPainter>
#include <QStyle>
#include <QStyleOption>

namespace rankscope::ui {

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QRect inner = contentsRect();
  const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, inner.width());
  setToolTip(shown == text() ? QString() : text());
  style()->drawItemText(&painter, inner, static_cast<int>(alignment()), palette(), isEnabled(), shown,
                        foregroundRole());
}

} // namespace rankscope::ui
