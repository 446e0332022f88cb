// SPDX-License-Identifier: GPL-3.0-or-later
// A job that was opened in part is opened in the same part again, with the same ranks expanded, and says so.
// Covers ui/job/loaded_part, ui/job/session_files and ui/job/session_store too.
#include "tests/ui/tab_pages.h"
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/job/loaded_part.h"
#include "ui/job/session_file.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/main_window.h"
#include "ui/window/title_bar.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

// A folder with a job, windows that store sessions in it, and what was stored.
struct PartFolder {
  QTemporaryDir folder;

  explicit PartFolder(int ranks = 3) { write(ranks); }

  void write(int ranks) const {
    QDir(job()).removeRecursively();
    QDir().mkpath(job());
    for (int rank = 0; rank < ranks; ++rank)
      test::writeTraceFile((job() + QStringLiteral("/rank%1.json").arg(rank)).toStdString(),
                           rankText(rank, ranks));
  }
  [[nodiscard]] QString job() const { return folder.filePath(QStringLiteral("job")); }
  [[nodiscard]] QString session() const { return folder.filePath(QStringLiteral("look.rankscope")); }
};

struct PartWindow {
  QSettings settings;
  MainWindow window;

  explicit PartWindow(const PartFolder& in, int height = 800)
      : settings(in.folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat), window(settings) {
    window.sessionStore().setFolder(in.folder.filePath(QStringLiteral("sessions")));
    window.resize(1280, height);
    window.show();
  }
  [[nodiscard]] bool settles() { return ui::settles(window.pending()); }
  [[nodiscard]] bool opens(const QString& path, const LoadedPart& part = {}) {
    window.open({path}, withPart({}, part));
    return settles() && window.session().trace();
  }
  [[nodiscard]] std::size_t ranks() { return window.session().trace()->ranks().size(); }
  [[nodiscard]] bool expanded(int rank) {
    return timelineOf(window).trackLayout().rankExpanded(RankIndex(static_cast<std::size_t>(rank)));
  }
  [[nodiscard]] bool clicksBannerAction() {
    auto* const button = window.banner().findChild<QPushButton*>(QStringLiteral("bannerAction"));
    if (button == nullptr || button->text() != QStringLiteral("Open everything")) return false;
    QTest::mouseClick(button, Qt::LeftButton);
    return settles();
  }
};

const LoadedPart kTwoRanks{{.ranks = {0, 2}}, {}};

} // namespace

class SessionPartTest : public QObject {
  Q_OBJECT

 private slots:
  void aJobIsOpenedInThePartInWhichItWasLeft() {
    const PartFolder folder;
    {
      PartWindow first(folder);
      QVERIFY(first.opens(folder.job(), kTwoRanks));
      QCOMPARE(first.ranks(), 2u);
      QVERIFY(!first.window.banner().isVisible()); // as it was asked for
      first.window.close();
    }
    PartWindow second(folder);
    QVERIFY(second.opens(folder.job()));
    QCOMPARE(second.ranks(), 2u);
    QCOMPARE(second.window.session().trace()->rank(RankIndex(1)).rank, 2);
    QVERIFY(second.window.banner().isVisible());
    QVERIFY2(second.window.banner().text().contains("as it was left: ranks 0, 2"),
             qPrintable(second.window.banner().text()));
    QVERIFY(second.window.findChild<TitleBar*>()->summary().startsWith("ranks 0, 2 · 2 of 3 ranks"));
    // A command line that names a place opens the whole job.
    second.window.open({folder.job()}, {}, OpenedPart::AsAsked);
    QVERIFY(second.settles());
    QCOMPARE(second.ranks(), 3u);
    // Another part that is asked for counts.
    QVERIFY(second.opens(folder.job(), {{.ranks = {1}}, {}}));
    QCOMPARE(second.ranks(), 1u);
    QVERIFY(!second.window.banner().isVisible());
  }

  void everythingIsOpenedByOneClickAndStaysSo() {
    const PartFolder folder;
    {
      PartWindow first(folder);
      QVERIFY(first.opens(folder.job(), kTwoRanks));
      first.window.close();
    }
    {
      PartWindow second(folder);
      QVERIFY(second.opens(folder.job()));
      const TimeRange all = second.window.session().limits();
      const TimeRange shown{all.begin + all.length() / 4, all.begin + all.length() / 2};
      second.window.session().setWindow(shown);
      QVERIFY(second.clicksBannerAction());
      QCOMPARE(second.ranks(), 3u);
      QCOMPARE(second.window.session().window(), shown); // what was looked at stays
      QVERIFY(!second.window.banner().isVisible());
      second.window.close();
    }
    PartWindow third(folder);
    QVERIFY(third.opens(folder.job()));
    QCOMPARE(third.ranks(), 3u);
  }

  void aSavedSessionHasItsPart() {
    const PartFolder folder;
    SessionState state;
    {
      PartWindow first(folder);
      QVERIFY(first.opens(folder.job(), kTwoRanks));
      state = first.window.sessionStore().state();
    }
    QVERIFY(state.part == kTwoRanks);
    QVERIFY(!writeSessionFile(folder.session(), state));
    QVERIFY(QDir(folder.folder.filePath(QStringLiteral("sessions"))).removeRecursively());
    PartWindow second(folder);
    QVERIFY(second.opens(folder.session()));
    QCOMPARE(second.ranks(), 2u);
    QVERIFY(second.clicksBannerAction());
    QCOMPARE(second.ranks(), 3u);
  }

  void aPartThatIsGoneDoesNotKeepTheJobShut() {
    const PartFolder folder;
    {
      PartWindow first(folder);
      QVERIFY(first.opens(folder.job(), {{.ranks = {2}}, {}}));
      first.window.close();
    }
    folder.write(2);
    PartWindow second(folder);
    QVERIFY(!second.opens(folder.job()));
    QVERIFY(second.window.document().error());
    QVERIFY(second.clicksBannerAction());
    QCOMPARE(second.ranks(), 2u);
  }

  void aThemeIsThereBeforeTheJob() {
    const PartFolder folder;
    SessionState state;
    state.traces = {folder.job()};
    state.theme = QStringLiteral("light");
    QVERIFY(!writeSessionFile(folder.session(), state));
    PartWindow window(folder);
    window.window.setThemeChoice(ThemeChoice::Dark);
    window.window.open({folder.session()});
    QVERIFY(!window.window.session().trace());
    QVERIFY(window.window.session().themeName() == ThemeName::Light);
    QVERIFY(window.settles());
  }

  // In a high window more ranks are expanded than in a low one.
  void ranksThatWereExpandedByThemselvesStayExpanded() {
    const PartFolder folder;
    SessionState state;
    {
      PartWindow high(folder, 1900);
      QVERIFY(high.opens(folder.job()));
      QVERIFY(high.expanded(0) && high.expanded(1) && high.expanded(2));
      QVERIFY(high.window.session().choice().open.empty());
      timelineOf(high.window).setRankExpanded(RankIndex(0), false);
      state = high.window.sessionStore().state();
      high.window.close();
    }
    {
      PartWindow low(folder); // by its own store
      QVERIFY(low.opens(folder.job()));
      QVERIFY(!low.expanded(0) && low.expanded(1) && low.expanded(2));
    }
    QVERIFY(QFile::remove(folder.folder.filePath(QStringLiteral("settings.ini"))));
    QVERIFY(!writeSessionFile(folder.session(), state));
    PartWindow other(folder); // by the session file
    QVERIFY(other.opens(folder.session()));
    QVERIFY(!other.expanded(0) && other.expanded(1) && other.expanded(2));
  }

  void aPartIsReadAsItWasWritten() {
    const LoadedPart part{{true, true, LoadFilter::Steps{3, 5}, {0, 7}}, 2};
    QVERIFY(loadedPartFromJson(toJson(part)) == part);
    QVERIFY(toJson(LoadedPart()).isEmpty());
    QVERIFY(loadedPartFromJson({}).everything());
    // Of damaged JSON what can be read, in order.
    const LoadedPart read = loadedPartFromJson(
        {{"ranks", QJsonArray{7, "x", -1, 3, 7}}, {"steps", QJsonArray{5, 3}}, {"capture", 0}});
    QVERIFY((read == LoadedPart{{.ranks = {3, 7}}, {}}));
  }
};

RANKSCOPE_UI_TEST(SessionPartTest)
#include "session_part_test.moc"
