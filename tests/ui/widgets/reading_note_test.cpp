// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/reading_note.h"

#include "tests/ui/ui_test.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;

class ReadingNoteTest : public QObject {
  Q_OBJECT

 private slots:
  void isThereWhileSomethingIsRead() {
    QWidget window;
    ReadingNote note(&window);
    window.show();
    QVERIFY(!note.isVisible());
    const auto progress = note.watchNew();
    progress->bytesTotal = 1000;
    progress->bytesDone = 250;
    QTRY_VERIFY(note.isVisible());
    QVERIFY(note.findChild<QLabel*>()->text().contains(QStringLiteral("25")));
    progress->bytesDone = 750;
    QTRY_VERIFY(note.findChild<QLabel*>()->text().contains(QStringLiteral("75")));
    note.stop();
    QVERIFY(!note.isVisible());
    QVERIFY(!progress->cancelled());
  }

  void theButtonAsksToGiveUp() {
    QWidget window;
    ReadingNote note(&window);
    window.show();
    const auto progress = note.watchNew();
    progress->bytesTotal = 1000;
    QTRY_VERIFY(note.isVisible());
    QSignalSpy wanted(&note, &ReadingNote::cancelWanted);
    QTest::mouseClick(note.findChild<QPushButton*>(), Qt::LeftButton);
    QCOMPARE(wanted.size(), 1);
    note.giveUp();
    QVERIFY(progress->cancelled());
    QVERIFY(!note.isVisible());
  }

  void whoeverComesNextCancelsWhatWasRead() {
    ReadingNote note;
    const auto first = note.watchNew();
    const auto second = note.watchNew();
    QVERIFY(first->cancelled());
    QVERIFY(!second->cancelled());
  }
};

RANKSCOPE_UI_TEST(ReadingNoteTest)
#include "reading_note_test.moc"
