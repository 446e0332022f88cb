// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of a window that are cut where they stand, or lie under what scrolls.
#pragma once

#include "ui/widgets/elided_label.h"
#include "ui/widgets/wrapped_label.h"

#include <QAbstractButton>
#include <QLabel>
#include <QTabBar>
#include <QToolButton>
#include <QWidget>

namespace rankscope::ui {

inline QString nameOf(const QWidget& widget) {
  QString name = QString::fromLatin1(widget.metaObject()->className());
  if (!widget.objectName().isEmpty()) name += QLatin1Char('#') + widget.objectName();
  return name;
}

inline QString cutAt(const QWidget& widget, const QString& text) {
  return QStringLiteral("%1 \"%2\" has %3x%4")
      .arg(nameOf(widget), text)
      .arg(widget.width())
      .arg(widget.height());
}

// What stands on a label, a tab or a button without a way to give in, and is cut; empty: nothing.
inline QStringList cutTexts(const QWidget& root) {
  QStringList cut;
  for (const QLabel* const label : root.findChildren<QLabel*>()) {
    if (!label->isVisible() || label->text().isEmpty()) continue;
    const bool wraps = label->wordWrap() || qobject_cast<const WrappedLabel*>(label) != nullptr;
    const bool gives = wraps || qobject_cast<const ElidedLabel*>(label) ||
                       label->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored;
    const int lines = wraps ? label->heightForWidth(label->width()) : label->fontMetrics().height();
    if (label->height() < lines || (!gives && label->width() < label->minimumSizeHint().width()))
      cut << cutAt(*label, label->text());
  }
  for (const QTabBar* const bar : root.findChildren<QTabBar*>()) {
    for (int i = 0; bar->isVisible() && i < bar->count(); ++i)
      if (bar->isTabVisible(i) &&
          bar->tabRect(i).width() < bar->fontMetrics().horizontalAdvance(bar->tabText(i)))
        cut << QStringLiteral("tab \"%1\"").arg(bar->tabText(i));
  }
  for (const QAbstractButton* const button : root.findChildren<QAbstractButton*>()) {
    if (!button->isVisible() || button->text().isEmpty()) continue;
    if (button->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored) continue;
    // Icons stand for the names where there is no room for these.
    const auto* const tool = qobject_cast<const QToolButton*>(button);
    if (tool && !tool->icon().isNull() && tool->toolButtonStyle() == Qt::ToolButtonIconOnly) continue;
    const QSize text = button->fontMetrics().size(Qt::TextSingleLine | Qt::TextShowMnemonic, button->text());
    if (button->height() < text.height() || button->width() < text.width())
      cut << cutAt(*button, button->text());
  }
  return cut;
}

} // namespace rankscope::ui
