// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/picture/wrapped_name.h"

#include <QStringList>
#include <QStringView>

namespace rankscope::ui {
namespace {

const QString kJoints = QStringLiteral(" ,(<:_/.-");

// Characters of the first line.
qsizetype lineLength(const QString& text, const QFontMetrics& metrics, int width) {
  qsizetype fitting = 1;
  while (fitting < text.size() && metrics.horizontalAdvance(text.left(fitting + 1)) <= width) ++fitting;
  if (fitting == text.size()) return fitting;
  for (qsizetype end = fitting; end > fitting / 2; --end)
    if (kJoints.contains(text[end - 1]) && !kJoints.contains(text[end])) return end;
  return fitting;
}

} // namespace

QString wrappedName(const QString& name, const QFontMetrics& metrics, int width, int lines) {
  QStringList made;
  QString rest = name;
  while (!rest.isEmpty() && made.size() < lines) {
    const qsizetype length = lineLength(rest, metrics, width);
    made << rest.left(length);
    rest = rest.mid(length);
  }
  if (!rest.isEmpty() && !made.isEmpty()) {
    const QString ellipsis = QStringLiteral("…");
    QString& last = made.last();
    while (!last.isEmpty() && metrics.horizontalAdvance(last + ellipsis) > width) last.chop(1);
    last += ellipsis;
  }
  return made.join(QLatin1Char('\n'));
}

} // namespace rankscope::ui
