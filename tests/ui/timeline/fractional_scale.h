// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold of the timeline on a display whose device pixels are a fraction of logical ones, for the
// fixtures of one ratio each. Called within a test function.
#pragma once

#include "tests/ui/timeline_fixture.h"
#include "ui/timeline/strips/time_ruler.h"

#include <QScreen>
#include <QTest>

#include <algorithm>

namespace rankscope::ui::test_timeline {

// As the display shows it.
inline QImage onScreen(QWidget& widget) {
  QApplication::processEvents();
  return widget.screen()->grabWindow(widget.winId()).toImage();
}

inline void paintAll(QWidget& widget) {
  widget.update();
  for (QWidget* const part : widget.findChildren<QWidget*>()) part->update();
}

// The pixel in which a slice is drawn is the one that hits it.
inline void checkHits(double ratio) {
  Shown shown(loadRanks(1));
  const TimelineCanvas& canvas = shown.canvas();
  QCOMPARE(canvas.devicePixelRatioF(), ratio);
  shown.session.setWindow({shown.origin() + kMs / 3, shown.origin() + 73 * kMs / 10});
  const PixelScale scale = canvas.pixelScale();
  QCOMPARE(scale.width(), static_cast<int>(std::lround(canvas.width() * ratio)));
  for (const char* const name : {"void ampere_sgemm<float>(int)", "void elementwise<float>(int)"}) {
    const EventRef kernel = shown.find(name);
    const TimeRange range = shown.session.rangeOf(kernel);
    const int first = std::max(0, scale.pixelAt(range.begin));
    const int end = std::min(scale.pixelAt(range.end), scale.width());
    QVERIFY(end > first);
    const double y = shown.pointOn(kernel).y();
    const auto hit = [&](int column) { return canvas.hitAtPosition({(column + 0.5) / ratio, y}).event; };
    for (const int column : {first, (first + end) / 2, end - 1}) QCOMPARE(hit(column), kernel);
    if (first > 0) QVERIFY(hit(first - 1) != kernel);
    if (end < scale.width()) QVERIFY(hit(end) != kernel);
  }
}

// Parts that are painted alone meet what is there without a seam.
inline void checkPartialPainting() {
  Shown shown(loadRanks(3));
  const TimeNs from = shown.origin();
  shown.session.setWindow({from + kMs, from + 6 * kMs});
  const QImage before = onScreen(shown.view);
  QVERIFY(!before.isNull());
  TimeRuler& ruler = shown.view.ruler();
  for (const int tenths : {15, 22, 31, 44, 58}) {
    ruler.setCursorTime(from + tenths * kMs / 10);
    QApplication::processEvents();
  }
  ruler.setCursorTime({});
  QCOMPARE(onScreen(shown.view), before);
  for (const TimeRange window :
       {TimeRange{from + 2 * kMs, from + 5 * kMs}, TimeRange{from + 5 * kMs, from + 9 * kMs},
        TimeRange{from + kMs, from + 2 * kMs}}) {
    shown.session.setWindow(window);
    ruler.setCursorTime(window.begin + window.length() / 3);
    const QImage parts = onScreen(shown.view);
    paintAll(shown.view);
    QCOMPARE(onScreen(shown.view), parts);
  }
}

} // namespace rankscope::ui::test_timeline
