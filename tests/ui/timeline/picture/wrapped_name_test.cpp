// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/ui_test.h"
#include "ui/base/theme.h"
#include "ui/timeline/picture/wrapped_name.h"

#include <QStringList>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;

class WrappedNameTest : public QObject {
  Q_OBJECT

 private slots:
  void linesEndBehindJoints() {
    const QFontMetrics metrics(textFont(12));
    const QString name =
        QStringLiteral("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)");
    const int width = metrics.horizontalAdvance(name) - metrics.horizontalAdvance("96ul>)");
    const QStringList lines = wrappedName(name, metrics, width, 4).split(QLatin1Char('\n'));
    QCOMPARE(lines.join(QString()), name);
    QCOMPARE(lines.size(), 2);
    QCOMPARE(lines[1], QStringLiteral("4096ul>)"));
    for (const QString& line : lines) QVERIFY(metrics.horizontalAdvance(line) <= width);
  }

  void wordsLongerThanALineAreCutAndLinesAreLimited() {
    const QFontMetrics metrics(textFont(12));
    const QString name(200, QLatin1Char('n'));
    const int width = metrics.horizontalAdvance(name.left(30));
    const QStringList lines = wrappedName(name, metrics, width, 4).split(QLatin1Char('\n'));
    QCOMPARE(lines.size(), 4);
    QVERIFY(lines[0].size() >= 29);
    QVERIFY(lines[3].endsWith(QStringLiteral("…"))); // there is more
    for (const QString& line : lines) QVERIFY(metrics.horizontalAdvance(line) <= width);
    QCOMPARE(wrappedName(QStringLiteral("aten::mm"), metrics, 500, 4), QStringLiteral("aten::mm"));
    QCOMPARE(wrappedName({}, metrics, 500, 4), QString());
  }
};

RANKSCOPE_UI_TEST(WrappedNameTest)
#include "wrapped_name_test.moc"
