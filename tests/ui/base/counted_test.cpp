// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/counted.h"

#include "tests/ui/ui_test.h"

#include <QTest>

using namespace rankscope::ui;

class CountedTest : public QObject {
  Q_OBJECT

 private slots:
  void oneIsSingularAndLargeNumbersAreGrouped() {
    const auto ranks = [](qint64 number) {
      return counted(number, QStringLiteral("1 rank"), QStringLiteral("%1 ranks"));
    };
    QCOMPARE(ranks(1), QStringLiteral("1 rank"));
    QCOMPARE(ranks(0), QStringLiteral("0 ranks"));
    QCOMPARE(ranks(2), QStringLiteral("2 ranks"));
    QCOMPARE(ranks(12'345), QString::fromStdString(rankscope::countText(12'345)) + QStringLiteral(" ranks"));
  }
};

RANKSCOPE_UI_TEST(CountedTest)
#include "counted_test.moc"
