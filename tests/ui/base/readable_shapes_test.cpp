// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/ui_test.h"
#include "ui/base/readable_shapes.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;

class ReadableShapesTest : public QObject {
  Q_OBJECT

 private slots:
  void argumentsWithoutAShapeAtTheEndAreDropped() {
    const auto readable = [](const char* shapes) { return readableShapes(QString::fromLatin1(shapes)); };
    QCOMPARE(readable("[[32, 128, 56, 56], [128, 128, 3, 3], [], [], []]"),
             QString("[[32, 128, 56, 56], [128, 128, 3, 3]]"));
    QCOMPARE(readable("[[], [32, 3], []]"), QString("[[], [32, 3]]")); // the place of an argument is kept
    for (const char* unchanged : {"[[32, 3], [[4], []]]", "[[32, 3]]", "[[]]", "[]", "", "[[4, 5], [6]]"})
      QCOMPARE(readable(unchanged), QString::fromLatin1(unchanged));
    QCOMPARE(readable("[[], []]"), QString("[[]]"));
  }

  // A column cuts them where it ends, so that all are seen where there is room.
  void shortOnesHaveNoBrackets() {
    const auto brief = [](const char* shapes) { return shortShapes(QString::fromLatin1(shapes)); };
    QCOMPARE(brief("[[], [32, 3], [3, 8], []]"), QStringLiteral("– · 32×3 · 3×8"));
    QCOMPARE(brief("[[32, 128, 56, 56], [128, 128, 3, 3], [], [], []]"),
             QStringLiteral("32×128×56×56 · 128×128×3×3"));
    QCOMPARE(brief("[[32, 1024, 56, 56], [128, 128, 3, 3], [128, 128]]"),
             QStringLiteral("32×1024×56×56 · 128×128×3×3 · 128×128"));
    QCOMPARE(brief(""), QString());
  }
};

RANKSCOPE_UI_TEST(ReadableShapesTest)
#include "readable_shapes_test.moc"
