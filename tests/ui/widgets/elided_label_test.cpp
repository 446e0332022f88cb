// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_label.h"

#include "tests/ui/ui_test.h"

#include <QImage>
#include <QTest>

using namespace rankscope::ui;

class ElidedLabelTest : public QObject {
  Q_OBJECT

 private slots:
  void aTextThatIsCutIsReadInTheTooltip() {
    ElidedLabel label(QStringLiteral("a text that is much longer than sixty pixels"));
    label.resize(60, 20);
    static_cast<void>(label.grab());
    QCOMPARE(label.toolTip(), label.text());
    label.resize(600, 20);
    static_cast<void>(label.grab());
    QCOMPARE(label.toolTip(), QString());
  }

  void factsThatDoNotFitAreLeftOutWhole() {
    ElidedLabel label(QStringLiteral("8 ranks · 1 step · opened in 1.2 s"));
    label.setSeparator(QStringLiteral(" · "));
    const auto widthOf = [&](const char* text) {
      return label.fontMetrics().horizontalAdvance(QString::fromUtf8(text));
    };
    QCOMPARE(label.textWithin(widthOf("8 ranks · 1 step · opened in 1.2 s")), label.text());
    QCOMPARE(label.textWithin(widthOf("8 ranks · 1 step · opened in")), QString("8 ranks · 1 step"));
    QCOMPARE(label.textWithin(widthOf("8 ranks · 1")), QString("8 ranks"));
    QVERIFY(label.textWithin(widthOf("8 ra")).endsWith(QStringLiteral("…")));
  }

  void itsTextKeepsNoLayoutWide() {
    const ElidedLabel label(QString(1000, u'x'));
    QCOMPARE(label.minimumSizeHint().width(), 0);
    QVERIFY(label.minimumSizeHint().height() > 0);
  }

  void whatIsCutIsNotPainted() {
    ElidedLabel label(QString(200, u'W'));
    label.resize(60, 20);
    const QImage cut = label.grab().toImage();
    label.setText(label.fontMetrics().elidedText(label.text(), Qt::ElideRight, 60));
    QCOMPARE(label.grab().toImage(), cut);
  }
};

RANKSCOPE_UI_TEST(ElidedLabelTest)
#include "elided_label_test.moc"
