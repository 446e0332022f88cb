// SPDX-License-Identifier: GPL-3.0-or-later
// What a newcomer meets before anything is open.
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/findings/findings_panel.h"
#include "ui/help/help_guide.h"
#include "ui/help/help_window.h"
#include "ui/opening/demo_job.h"
#include "ui/opening/recording_recipe.h"
#include "ui/opening/start_page.h"
#include "ui/window/tab_pages.h"

#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

StartPage& startPageOf(TestWindow& test) {
  return *test.window.findChild<StartPage*>();
}

QPushButton& buttonOf(TestWindow& test, const char* name) {
  return *startPageOf(test).findChild<QPushButton*>(QString::fromLatin1(name));
}

QString findingsMessage(TestWindow& test) {
  return test.window.tabs().findings().findChild<QLabel*>(QStringLiteral("emptyText"))->text();
}

} // namespace

class StartPageTest : public QObject {
  Q_OBJECT

 private slots:
  void theDemoJobOpensByAClickAndByItsAction() {
    TestWindow test;
    test.window.setDemoJob({});
    QVERIFY(!buttonOf(test, "openDemo").isVisible());
    QVERIFY(!test.window.actions().run(QStringLiteral("file.openDemo")));
    writeSmallJob(test.folder.path() / "demo");
    test.window.setDemoJob(QString::fromStdString(test.folder / "demo"));
    QPushButton& demo = buttonOf(test, "openDemo");
    QVERIFY(demo.isVisible());
    QVERIFY(test.window.actions().menuAction(QStringLiteral("file.openDemo"))->isEnabled());
    QTest::mouseClick(&demo, Qt::LeftButton);
    QVERIFY(test.settles());
    QVERIFY(test.window.session().trace() != nullptr);
    QVERIFY(!startPageOf(test).isVisible());
    QCOMPARE(test.window.session().trace()->jobName(), std::string("demo"));
    QVERIFY(test.window.actions().run(QStringLiteral("file.openDemo")));
    QVERIFY(test.settles());
  }

  void theDemoJobLiesInTheInstallationOrInTheBuild() {
    Folder root;
    const QString programs = QString::fromStdString(root / "bin");
    QVERIFY(demoJobFolder(programs).isEmpty());
    writeSmallJob(root.path() / "resources/demo");
    QCOMPARE(demoJobFolder(programs), QString::fromStdString(root / "resources/demo"));
    writeSmallJob(root.path() / "share/rankscope/demo");
    QCOMPARE(demoJobFolder(programs), QString::fromStdString(root / "share/rankscope/demo"));
  }

  void theRecordingRecipeIsCopiedByItsButton() {
    TestWindow test;
    QGuiApplication::clipboard()->clear();
    QTest::mouseClick(&buttonOf(test, "copyRecipe"), Qt::LeftButton);
    const QString copied = QGuiApplication::clipboard()->text();
    QCOMPARE(copied, recordingRecipe());
    for (const char* part : {"schedule=", "record_shapes=True", "profile_memory=True", "with_stack=True",
                             "dist.get_rank()", "profiler.step()"})
      QVERIFY2(copied.contains(QLatin1String(part)), part);
    QCOMPARE(buttonOf(test, "copyRecipe").text(), QStringLiteral("Copied"));
  }

  void theGuideHasTheSameRecipeAndIsOneClickAway() {
    TestWindow test;
    const int page = guidePageAt(QStringLiteral("opening.md"));
    QVERIFY(page >= 0);
    const GuidePage& guide = guidePages()[static_cast<std::size_t>(page)];
    QVERIFY(guide.markdown.contains(QStringLiteral("\n") + recordingRecipe() + QStringLiteral("```")));
    QTest::mouseClick(&buttonOf(test, "recordingGuide"), Qt::LeftButton);
    auto* const help = test.window.findChild<HelpWindow*>();
    QVERIFY(help != nullptr && help->isVisible());
    QCOMPARE(help->place().page, static_cast<std::size_t>(page));
    QVERIFY2(help->place().section > 0, "the section about recording has another title");
  }

  void withoutAJobTheFindingsPanelReportsIt() {
    TestWindow test;
    QCOMPARE(findingsMessage(test), QStringLiteral("No job is open."));
    QVERIFY(!test.window.tabs().findings().isVisible()); // the start page has the width
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(QString::fromStdString(test.folder / "job")));
    QVERIFY(findingsMessage(test) != QStringLiteral("No job is open."));
    QVERIFY(test.window.tabs().findings().isVisible());
  }

  void everyButtonIsReachedByTabAndScrolledIntoSight() {
    TestWindow test;
    test.window.resize(900, 500);
    QVERIFY(QTest::qWaitForWindowActive(&test.window, kTimeoutMs));
    auto* const copy = &buttonOf(test, "copyRecipe");
    buttonOf(test, "primary").setFocus();
    for (int i = 0; i < 20 && !copy->hasFocus(); ++i) QTest::keyClick(test.window.focusWidget(), Qt::Key_Tab);
    QVERIFY(copy->hasFocus());
    const auto* const view = startPageOf(test).findChild<QScrollArea*>()->viewport();
    QTRY_VERIFY(view->rect().contains(QRect(copy->mapTo(view, QPoint()), copy->size())));
  }
};

RANKSCOPE_UI_TEST(StartPageTest)
#include "start_page_test.moc"
