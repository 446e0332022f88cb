// SPDX-License-Identifier: GPL-3.0-or-later
// What the style of the window makes of its fields.
#include "tests/ui/ui_test.h"
#include "ui/base/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>
#include <QWheelEvent>

using namespace rankscope::ui;

class ThemeStyleTest : public QObject {
  Q_OBJECT

 private slots:
  void aWheelOverAChoiceScrollsThePage() {
    applyTheme(*qApp, Theme::of(ThemeName::Dark));
    QScrollArea area;
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    auto* choice = new QComboBox;
    choice->addItems({QStringLiteral("all ranks"), QStringLiteral("rank 0"), QStringLiteral("rank 1")});
    column->addWidget(choice);
    column->addSpacing(3000);
    area.setWidget(page);
    area.resize(400, 300);
    area.show();
    QVERIFY(QTest::qWaitForWindowExposed(&area));
    const QPointF at = QRectF(choice->rect()).center();
    QWheelEvent turn(at, choice->mapToGlobal(at), {}, QPoint(0, -120), Qt::NoButton, Qt::NoModifier,
                     Qt::NoScrollPhase, false);
    QSpontaneKeyEvent::setSpontaneous(&turn); // as from the mouse: others are not passed on
    qApp->notify(choice, &turn);
    QCOMPARE(choice->currentIndex(), 0);
    QVERIFY(area.verticalScrollBar()->value() > 0);
  }
};

RANKSCOPE_UI_TEST(ThemeStyleTest)
#include "theme_style_test.moc"
