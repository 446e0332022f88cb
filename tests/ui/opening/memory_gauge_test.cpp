// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/memory_gauge.h"

#include "tests/ui/ui_test.h"
#include "ui/job/trace_session.h"

#include <QImage>
#include <QTest>

using namespace rankscope::ui;

namespace {

// 400 pixels for 400 bytes; the color of the bar where a byte stands.
struct Gauge {
  TraceSession session;
  MemoryGauge gauge{session};

  QColor at(int byte) {
    gauge.resize(400, gauge.sizeHint().height());
    return gauge.grab().toImage().pixelColor(byte, gauge.height() / 2);
  }
};

} // namespace

class MemoryGaugeTest : public QObject {
  Q_OBJECT

 private slots:
  void whatFitsIsFilledInTheAccent() {
    Gauge test;
    test.gauge.setFigures(100, 300, 400);
    QCOMPARE(test.at(50), test.session.theme().accent);
    QCOMPARE(test.at(95), test.session.theme().accent);
    QCOMPARE(test.at(105), test.session.theme().raised);
    QCOMPARE(test.at(300), test.session.theme().text); // the mark of what may be taken
  }

  void whatDoesNotFitIsRed() {
    Gauge test;
    test.gauge.setFigures(350, 200, 400);
    QCOMPARE(test.at(150), test.session.theme().accent);
    QCOMPARE(test.at(250), test.session.theme().bad);
    QCOMPARE(test.at(345), test.session.theme().bad);
    QCOMPARE(test.at(360), test.session.theme().raised);
  }
};

RANKSCOPE_UI_TEST(MemoryGaugeTest)
#include "memory_gauge_test.moc"
