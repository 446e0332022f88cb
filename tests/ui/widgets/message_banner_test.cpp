// SPDX-License-Identifier: GPL-3.0-or-later
// Messages under the tabs, and texts that wrap. Covers ui/widgets/wrapped_label.
#include "ui/widgets/message_banner.h"

#include "tests/ui/ui_test.h"
#include "ui/widgets/wrapped_label.h"

#include <QEnterEvent>
#include <QLabel>
#include <QLayout>
#include <QPushButton>
#include <QSignalSpy>
#include <QTimer>

using namespace rankscope::ui;

class MessageBannerTest : public QObject {
  Q_OBJECT
 private slots:
  void aSuccessGoesByItselfButNotUnderTheMouse() {
    MessageBanner banner;
    auto* const timer = banner.findChild<QTimer*>();
    QVERIFY(timer != nullptr);
    banner.showMessage(MessageBanner::Severity::Error, "Export failed", {});
    QVERIFY(!timer->isActive());
    banner.showMessage(MessageBanner::Severity::Success, "3 files written", {}, "Open folder");
    QCOMPARE(banner.property("severity").toString(), QString("success"));
    QVERIFY(timer->isActive());
    QEnterEvent enter(QPointF(1, 1), QPointF(1, 1), QPointF(1, 1));
    QCoreApplication::sendEvent(&banner, &enter);
    QVERIFY(!timer->isActive());
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&banner, &leave);
    QVERIFY(timer->isActive());
    QMetaObject::invokeMethod(timer, "timeout");
    QVERIFY(!banner.isVisible());
  }

  void eachActionHasAButton() {
    MessageBanner banner;
    QSignalSpy wanted(&banner, &MessageBanner::actionWanted);
    banner.showChoices(MessageBanner::Severity::Notice, "Several jobs", {}, {"Open a", "Open b"});
    const auto buttons = banner.findChildren<QPushButton*>("bannerAction");
    QCOMPARE(buttons.size(), 2);
    QTest::mouseClick(buttons[1], Qt::LeftButton);
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(banner.chosen(), 1);
    banner.showMessage(MessageBanner::Severity::Notice, "Done", {});
    QVERIFY(banner.findChildren<QPushButton*>("bannerAction").isEmpty());
  }

  void severalActionsLeaveTheTextsTheirWidth() {
    MessageBanner banner;
    banner.resize(1000, 200);
    const QStringList details{QStringLiteral("one name after another ").repeated(12)};
    const auto textWidth = [&] {
      QCoreApplication::processEvents(); // new buttons are shown by an event
      banner.layout()->activate();
      return banner.findChild<QLabel*>("bannerDetails")->width();
    };
    banner.showChoices(MessageBanner::Severity::Notice, "Several jobs", details,
                       {"Open the first of the jobs", "Open the second of the jobs", "Show all files"});
    QVERIFY2(textWidth() > 900, qPrintable(QString::number(textWidth())));
    const auto buttons = banner.findChildren<QPushButton*>("bannerAction");
    const int below = banner.findChild<QLabel*>("bannerDetails")->geometry().bottom();
    QVERIFY(buttons.front()->mapTo(&banner, QPoint(0, 0)).y() > below);
    banner.showMessage(MessageBanner::Severity::Notice, "Done", details, "Show files");
    QVERIFY2(textWidth() < 900, qPrintable(QString::number(textWidth())));
  }

  // A narrow label has no more lines than its parts need: the name ends lines behind its joints.
  void longIdentifiersEndLinesBehindTheirJoints() {
    const WrappedLabel joined(QStringLiteral("torch_distributed_all_gather_into_tensor"));
    const WrappedLabel apart(QStringLiteral("torch_ distributed_ all_ gather_ into_ tensor"));
    for (const int width : {60, 80, 100, 140})
      QVERIFY2(joined.heightForWidth(width) >= apart.heightForWidth(width) - 1 &&
                   joined.heightForWidth(width) <= apart.heightForWidth(width) + 1,
               qPrintable(QString::number(width)));
  }
};

RANKSCOPE_UI_TEST(MessageBannerTest)
#include "message_banner_test.moc"
