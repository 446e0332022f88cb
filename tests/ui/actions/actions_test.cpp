// SPDX-License-Identifier: GPL-3.0-or-later
// The action table: menus, keys, palette and key sheet agree. Covers ui/timeline/view/go_to_time too.
#include "tests/ui/tab_pages.h"
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/actions/actions.h"
#include "ui/actions/fuzzy_match.h"
#include "ui/actions/key_sheet.h"
#include "ui/actions/quick_pick.h"
#include "ui/actions/search_words.h"
#include "ui/base/text_scale.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/main_window.h"

#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <algorithm>
#include <set>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

struct Window {
  QTemporaryDir folder;
  QSettings settings{folder.filePath("settings.ini"), QSettings::IniFormat};
  MainWindow window{settings};

  Window() {
    window.resize(1200, 800);
    window.show();
    window.session().setTrace(loadRanks(2));
    window.showTab("kernels"); // and back, so that the pages know of the trace
    window.showTab("timeline");
    drawAll(timelineOf(window), window.session());
    QApplication::processEvents();
  }
  [[nodiscard]] QuickPick& palette() { return QuickPick::of(window.content()); }
};

} // namespace

class ActionsTest : public QObject {
  Q_OBJECT

 private slots:
  void noTwoActionsOfAScopeAnswerTheSameKeyForTheSameReason() {
    Window test;
    std::set<std::pair<int, int>> seen;
    for (const Action& action : test.window.actions().actions()) {
      QVERIFY2(!action.title.isEmpty() && !action.group.isEmpty(), qPrintable(action.id));
      // While a segment of the critical path is selected, the keys of links walk along the path.
      if (action.id == "path.previous" || action.id == "path.next") continue;
      for (const QKeyCombination key : action.keys)
        QVERIFY2(seen.emplace(static_cast<int>(action.scope), key.toCombined()).second,
                 qPrintable(action.id));
    }
  }

  void thePaletteFindsByAFewLettersAndDoesIt() {
    Window test;
    TraceSession& session = test.window.session();
    session.setWindow({session.trace()->extent().begin + kMs, session.trace()->extent().begin + 2 * kMs});
    QVERIFY(test.window.actions().run("window.palette"));
    QVERIFY(test.palette().isVisible());
    // All available actions are listed with their keys.
    const auto& all = test.palette().items();
    QVERIFY(std::ranges::any_of(all, [](const PickItem& item) {
      return item.title.contains("Save screenshot") && item.keys.contains("Ctrl+S");
    }));
    QTest::keyClicks(&test.palette().field(), "ft whl");
    QCOMPARE(test.palette().items().front().title, QString("Fit the whole trace"));
    QCOMPARE(test.palette().items().front().keys, QString("Home / 0"));
    // Scattered letters run nothing until the command was selected.
    QTest::keyClick(&test.palette().field(), Qt::Key_Return);
    QVERIFY(test.palette().isVisible());
    QTest::keyClick(&test.palette().field(), Qt::Key_Down);
    QTest::keyClick(&test.palette().field(), Qt::Key_Return);
    QVERIFY(!test.palette().isVisible());
    QCOMPARE(session.window(), session.limits());
  }

  void thePaletteFindsCommandsByOtherWordsThanTheirTitles() {
    Window test;
    for (const auto& [words, title] : {std::pair{"font", "Text size"},
                                       {"text size", "Text size"},
                                       {"dark mode", "Dark theme"},
                                       {"clock skew", "Align host clocks"},
                                       {"font size", "Text size"},
                                       {"zoom selection", "Center the selection"},
                                       {"zoom out", "Fit the whole trace"},
                                       {"hide idle", "Idle gaps"},
                                       {"stall", "Idle gaps"},
                                       {"NCCL", "Network"},
                                       {"flame graph", "Stacks"},
                                       {"export png", "Save screenshot"},
                                       {"measure", "Range of the whole trace"},
                                       {"baseline", "Compare"}}) {
      QVERIFY(test.window.actions().run("window.palette"));
      QTest::keyClicks(&test.palette().field(), words);
      QVERIFY2(!test.palette().items().empty(), words);
      const PickItem& first = test.palette().items().front();
      QVERIFY2(first.title.startsWith(title) && !first.poor, qPrintable(words + (": " + first.title)));
      QTest::keyClick(&test.palette().field(), Qt::Key_Escape);
    }
  }

  void wordsOfOtherViewersAreOfActionsThatExist() {
    Window test;
    for (const QString& id : actionsWithSearchWords()) {
      const Action* const action = test.window.actions().find(id);
      QVERIFY2(action, qPrintable(id));
      // A word of the title needs no second place.
      for (const QString& word : searchWords(id).split(' '))
        QVERIFY2(!(' ' + action->title + ' ').contains(' ' + word + ' ', Qt::CaseInsensitive),
                 qPrintable(id + ": " + word));
    }
    QVERIFY(searchWords("no.action").isEmpty());
  }

  void scatteredLettersAreNotListedWhereWordsFit() {
    Window test;
    for (const char* words : {"theme", "light", "fit", "text size"}) {
      QVERIFY(test.window.actions().run("window.palette"));
      QTest::keyClicks(&test.palette().field(), words);
      const std::vector<PickItem>& items = test.palette().items();
      QVERIFY2(!items.empty(), words);
      for (const PickItem& item : items)
        QVERIFY2(!item.poor && (item.note != "Highlights" || item.title.contains(words, Qt::CaseInsensitive)),
                 qPrintable(words + (": " + item.title)));
      QTest::keyClick(&test.palette().field(), Qt::Key_Escape);
    }
  }

  void theTextSizeIsKeptForTheNextStart() {
    Window test;
    QCOMPARE(savedTextSize(test.settings), 0);
    QVERIFY(test.window.actions().run("textSize.150"));
    QCOMPARE(savedTextSize(test.settings), 150);
    QVERIFY(test.window.actions().find("textSize.150")->checked());
    QVERIFY(test.window.banner().text().contains("starts again"));
    QVERIFY(test.window.actions().run("textSize.0"));
    QCOMPARE(savedTextSize(test.settings), 0);
    // A size that is not offered is no choice.
    test.settings.setValue("textSize", 4000);
    QCOMPARE(savedTextSize(test.settings), 0);
  }

  void thePaletteRestoresFocusAndListsAvailableActions() {
    Window test;
    test.window.activateWindow();
    timelineOf(test.window).setFocus();
    QVERIFY(test.window.actions().run("window.palette"));
    QTest::keyClicks(&test.palette().field(), "deselect");
    QVERIFY(std::ranges::none_of(test.palette().items(),
                                 [](const PickItem& item) { return item.title == "Deselect"; }));
    QTest::keyClick(&test.palette().field(), Qt::Key_Escape);
    QVERIFY(!test.palette().isVisible());
    QCOMPARE(QApplication::focusWidget(), &timelineOf(test.window).canvas());
  }

  void theKeySheetNamesEveryKeyThatIsListenedTo() {
    Window test;
    const QString sheet = KeySheet::plainText(test.window.actions());
    for (const Action& action : test.window.actions().actions()) {
      if (action.keys.empty()) continue;
      QVERIFY2(sheet.contains(ActionRegistry::keysText(action)), qPrintable(action.id));
      QVERIFY2(sheet.contains(action.title), qPrintable(action.id));
    }
    QTest::keyClick(&test.window, Qt::Key_Question);
    QTRY_VERIFY(test.window.findChild<KeySheet*>());
    QTest::keyClick(test.window.findChild<KeySheet*>(), Qt::Key_Question);
    QTRY_VERIFY(!test.window.findChild<KeySheet*>());
  }

  void theMenuHasEveryActionAndDisablesUnavailableOnes() {
    Window test;
    auto* menu = test.window.findChild<QMenu*>("mainMenu");
    QVERIFY(menu);
    emit menu->aboutToShow();
    std::set<QString> shown;
    std::set<QString> twice;
    const std::function<void(const QMenu*)> collect = [&](const QMenu* from) {
      for (const QAction* action : from->actions()) {
        if (action->menu()) collect(action->menu());
        if (!action->objectName().isEmpty() && !shown.insert(action->objectName()).second)
          twice.insert(action->objectName());
        if (action->objectName() == "select.none") QVERIFY(!action->isEnabled());
      }
    };
    collect(menu);
    QVERIFY2(twice.empty(), qPrintable(twice.empty() ? QString() : *twice.begin()));
    for (const Action& action : test.window.actions().actions())
      if (action.run) QVERIFY2(shown.contains(action.id), qPrintable(action.id));
    // A key that was disabled in a menu works once its action is enabled.
    test.window.showTab("kernels");
    emit menu->aboutToShow();
    test.window.showTab("timeline");
    const bool before = test.window.actions().find("window.bottomPanel")->enabled();
    QVERIFY(before);
  }

  void goingToATimeKeepsTheLengthAndRefusesWhatIsNoTime() {
    Window test;
    TraceSession& session = test.window.session();
    const TimeNs begin = session.trace()->extent().begin;
    session.setWindow({begin + kMs, begin + 2 * kMs});
    QVERIFY(test.window.actions().run("move.goToTime"));
    QTest::keyClicks(&test.palette().field(), "5.5");
    QTest::keyClick(&test.palette().field(), Qt::Key_Return);
    QVERIFY(test.palette().isVisible()); // no unit, nowhere to go
    QTest::keyClicks(&test.palette().field(), " ms");
    QTest::keyClick(&test.palette().field(), Qt::Key_Return);
    QCOMPARE(session.window(), (TimeRange{begin + 5 * kMs, begin + 6 * kMs}));
    QVERIFY(test.window.actions().run("move.goToTime"));
    QTest::keyClicks(&test.palette().field(), "1s");
    QVERIFY(!test.palette().items().front().run);
  }

  void lettersAreFoundInOrderAndWordBeginningsCountMost() {
    QVERIFY(fuzzyScore(u"", u"Zoom in"));
    QVERIFY(!fuzzyScore(u"xq", u"Zoom in"));
    QVERIFY(!fuzzyScore(u"ni", u"Zoom in"));
    QVERIFY(fuzzyScore(u"zi", u"Zoom in"));
    QVERIFY(*fuzzyScore(u"pan", u"Show the panel") > *fuzzyScore(u"pan", u"Expansion"));
    QVERIFY(fuzzyScore(u"panel bottom", u"Show or hide the bottom panel"));
    QVERIFY(*fuzzyScore(u"stream 7", u"stream 7 compute") >
            fuzzyScore(u"stream 7", u"stream 17 compute").value_or(-1000'000'000));
  }

  void lettersAreNotScatteredOverASentence() {
    const QString sentence = "Show sizes in GB and MB instead of GiB and MiB: off";
    QVERIFY(!fuzzyScore(u"hide", sentence));
    QVERIFY(!fuzzyScore(u"idle", sentence));
    QVERIFY(!fuzzyScore(u"hide idle", sentence));
    QVERIFY(fuzzyScore(u"instd", sentence));                 // within a word
    QVERIFY(!fuzzyScore(u"nstd", sentence));                 // that does not begin with it
    QVERIFY(fuzzyScore(u"sig", sentence));                   // initials
    QVERIFY(fuzzyScore(u"sga", sentence));                   // one word between
    QVERIFY(!fuzzyScore(u"sa", u"Show sizes in GB and MB")); // several between
  }

  void wordsCountMoreThanScatteredLetters() {
    QVERIFY(*fuzzyScore(u"sag", u"Message") > *fuzzyScore(u"sag", u"Select all GPUs"));
    QVERIFY(isPoorMatch(*fuzzyScore(u"sag", u"Select all GPUs")));
    QVERIFY(!isPoorMatch(*fuzzyScore(u"dark", u"Dark theme")));
    QVERIFY(!isPoorMatch(*fuzzyScore(u"", u"Dark theme")));
  }

  void thePaletteOffersThemesTabsAndSettingsAndReturnRunsNoPoorMatch() {
    Window test;
    const auto first = [&](const char* text) {
      const std::vector<PickItem> items = fittingItems(paletteItems(test.window.actions()), text);
      return items.empty() ? QString() : items.front().title;
    };
    QCOMPARE(first("light th"), QString("Light theme: off"));
    QCOMPARE(first("kernels"), QString("Kernels"));
    QVERIFY(!first("settings").isEmpty());
    QVERIFY(test.window.actions().run("window.palette"));
    QTest::keyClicks(&test.palette().field(), "soc"); // of letters that begin words only
    QVERIFY(!test.palette().items().empty());
    QVERIFY(test.palette().items().front().poor);
    QTest::keyClick(&test.palette().field(), Qt::Key_Return);
    QVERIFY(test.palette().isVisible());
    QTest::keyClick(&test.palette().field(), Qt::Key_Escape);
    QVERIFY(test.window.actions().run("window.palette"));
    QTest::keyClicks(&test.palette().field(), "light theme");
    QTest::keyClick(&test.palette().field(), Qt::Key_Return);
    QCOMPARE(test.window.session().themeName(), ThemeName::Light);
  }
};

RANKSCOPE_UI_TEST(ActionsTest)
#include "actions_test.moc"
