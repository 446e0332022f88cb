// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/readable_shapes.h"

#include <QStringView>

namespace rankscope::ui {

QString readableShapes(const QString& shapes) {
  constexpr QLatin1String kEmptyAtEnd(", []");
  if (!shapes.endsWith(QLatin1String("[]]"))) return shapes;
  QStringView text = QStringView(shapes).chopped(1);
  while (text.endsWith(kEmptyAtEnd)) text.chop(kEmptyAtEnd.size());
  return text.toString() + QLatin1Char(']');
}

QString shortShapes(const QString& shapes) {
  QString text = readableShapes(shapes);
  if (text.startsWith(QLatin1String("[[")) && text.endsWith(QLatin1String("]]")))
    text = text.mid(1).chopped(1);
  text.replace(QLatin1String("[]"), QStringLiteral("[–]"));
  text.replace(QLatin1String("], ["), QStringLiteral(" · "))
      .replace(QLatin1String(", "), QStringLiteral("×"));
  text.remove(QLatin1Char('[')).remove(QLatin1Char(']'));
  return text;
}

} // namespace rankscope::ui
