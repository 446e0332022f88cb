// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/caption_place.h"

#include "tests/ui/ui_test.h"
#include "ui/widgets/wrapped_label.h"

#include <QApplication>
#include <QVBoxLayout>

#include <cstdlib>

using namespace rankscope::ui;

class CaptionPlaceTest : public QObject {
  Q_OBJECT

 private slots:
  void aCaptionThatDoesNotFitBesideTheTitleIsBelow() {
    QWidget card;
    auto* const title = new QLabel(QStringLiteral("Computation and communication"));
    auto* const caption = new WrappedLabel(QStringLiteral("mean of 3 steps"));
    auto* const control = new QLabel(QStringLiteral("mean step"));
    auto* const line = new QHBoxLayout;
    line->addWidget(title);
    line->addStretch();
    line->addWidget(caption);
    line->addWidget(control);
    auto* const column = new QVBoxLayout(&card);
    column->addLayout(line);
    column->addStretch();
    new CaptionPlace(card, *line, *caption);
    const int wide = card.sizeHint().width();
    card.resize(wide + 10, 100);
    card.show();
    QApplication::processEvents();
    QVERIFY(std::abs(caption->geometry().center().y() - title->geometry().center().y()) <= 1);
    QVERIFY(title->geometry().right() < caption->x() && caption->geometry().right() < control->x());
    for (const int width : {wide - 20, wide + 10}) {
      card.resize(width, 100);
      QApplication::processEvents();
      QApplication::processEvents();
      QVERIFY(caption->width() >= caption->sizeHint().width());
      QCOMPARE(caption->y() > title->geometry().bottom(), width < wide);
    }
    // A longer text asks for its own line too.
    caption->setText(QStringLiteral("6 of 64 ranks, selected by wait, mean of 3 steps"));
    QApplication::processEvents();
    QApplication::processEvents();
    QVERIFY(caption->y() > title->geometry().bottom());
    // It is whole in a card that is narrower than the text, a name without spaces too.
    const int line1 = caption->height();
    card.resize(150, 200);
    for (const auto& text : {QStringLiteral("6 of 64 ranks, selected by wait, mean of 3 steps"),
                             QString(60, QLatin1Char('w'))}) {
      caption->setText(text);
      QApplication::processEvents();
      QApplication::processEvents();
      QVERIFY(caption->height() > line1 && caption->height() >= caption->heightForWidth(caption->width()));
    }
  }
};

RANKSCOPE_UI_TEST(CaptionPlaceTest)
#include "caption_place_test.moc"
