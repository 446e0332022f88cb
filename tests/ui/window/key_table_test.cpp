// SPDX-License-Identifier: GPL-3.0-or-later
// The key table in the whole window: a case for each of its rows, with a clause of the row a line or two, so
// that what another part of the window does with a key is seen too. A job of three ranks is open; real keys
// go to whatever has the focus, and the session's numbers are looked at.
#include "tests/ui/highlight_fixture.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "ui/actions/actions.h"
#include "ui/actions/key_sheet.h"
#include "ui/actions/quick_pick.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/details_panel.h"
#include "ui/details/find_tools.h"
#include "ui/details/mark_tools.h"
#include "ui/details/range_panel.h"
#include "ui/details/regions_panel.h"
#include "ui/details/search_field.h"
#include "ui/details/search_panel.h"
#include "ui/job/event_finder.h"
#include "ui/tabs/kernels/kernels_panel.h"
#include "ui/timeline/tracks/range_tracks.h"
#include "ui/timeline/view/view_motion.h"
#include "ui/window/main_window.h"
#include "ui/window/tab_pages.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

constexpr std::size_t kRanks = 3;
constexpr int kPatienceMs = 20'000;

struct Sitting {
  QTemporaryDir folder;
  QSettings settings{folder.filePath("settings.ini"), QSettings::IniFormat};
  MainWindow window{settings};

  Sitting() {
    for (std::size_t rank = 0; rank < kRanks; ++rank)
      test::writeTraceFile(folder.filePath(QStringLiteral("rank%1.json").arg(rank)).toStdString(),
                           waitingRankText(static_cast<int>(rank), kRanks));
    window.resize(1400, 1000);
    window.show();
    window.open({folder.path()});
    if (!settles() || !session().trace()) qFatal("the job does not open");
    timelineOf(window).finishSummaries();
    window.activateWindow();
    if (!QTest::qWaitForWindowActive(&window)) qFatal("the window does not get the keyboard");
    timelineOf(window).setFocus();
  }

  [[nodiscard]] bool settles() { return ui::settles(window.pending(), kPatienceMs); }
  [[nodiscard]] TraceSession& session() { return window.session(); }
  [[nodiscard]] TimelineView& timeline() { return timelineOf(window); }
  [[nodiscard]] TimelineCanvas& canvas() { return timelineOf(window).canvas(); }
  [[nodiscard]] TimeRange shown() { return session().window(); }
  [[nodiscard]] TimeNs origin() { return session().trace()->extent().begin; }
  void show(TimeNs from, TimeNs to) { session().setWindow({origin() + from, origin() + to}); }

  [[nodiscard]] EventRef event(std::string_view name, std::size_t rank = 0, int nth = 0) {
    const TraceSet& traces = *session().trace();
    const RankTrace& trace = *traces.rank(RankIndex(rank)).trace;
    for (std::size_t i = 0; i < trace.events.size(); ++i)
      if (traces.names()[trace.events.name[EventIndex(i)]] == name && nth-- == 0)
        return {RankIndex(rank), EventIndex(i)};
    return {};
  }
  [[nodiscard]] EventRef launchOf(EventRef kernel) {
    return {kernel.rank, session().trace()->rank(kernel.rank).trace->deviceDetail(kernel.event).launch};
  }
  [[nodiscard]] QPoint pointOn(EventRef what, double share = 0.5) {
    const TimeRange range = session().rangeOf(what);
    const auto t = range.begin + static_cast<TimeNs>(static_cast<double>(range.length()) * share);
    const Lane* const lane = timeline().trackLayout().laneOf(what);
    return {static_cast<int>(canvas().xOf(t)), lane->top + lane->height / 2 - canvas().scrollTop()};
  }
  // What the keyboard writes to; the timeline when a dialog was there and took the focus with it.
  [[nodiscard]] QWidget* focus() {
    if (!QApplication::focusWidget()) {
      window.activateWindow();
      static_cast<void>(QTest::qWaitForWindowActive(&window));
      timeline().setFocus();
    }
    return QApplication::focusWidget() ? QApplication::focusWidget() : &canvas();
  }
  void press(int key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(focus(), static_cast<Qt::Key>(key), modifiers);
  }
  // A key of another layout: what it prints, and the place of the key that prints it, as X11 counts it.
  // False: nothing wants it more than a shortcut of the sign would.
  bool pressPlace(int printed, quint32 place, Qt::KeyboardModifiers modifiers = {}) {
    QWidget* const to = focus();
    QKeyEvent claim(QEvent::ShortcutOverride, printed, modifiers, place, 0, 0);
    claim.ignore();
    QApplication::sendEvent(to, &claim);
    for (const QEvent::Type type : {QEvent::KeyPress, QEvent::KeyRelease}) {
      QKeyEvent key(type, printed, modifiers, place, 0, 0);
      QSpontaneKeyEvent::setSpontaneous(&key); // so that it goes up to the parents
      qApp->notify(to, &key);
    }
    return claim.isAccepted();
  }
};

// Fills in the dialogs that come up: the size of a picture if there is one to ask for, and where to write.
struct DialogFiller {
  QTimer timer;
  QString file;
  QString size;

  explicit DialogFiller(QString path, QString pictureSize = {})
      : file(std::move(path)), size(std::move(pictureSize)) {
    QObject::connect(&timer, &QTimer::timeout, &timer, [this] { fill(); });
    timer.start(10);
  }
  void fill() {
    auto* const dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
    if (!dialog) return;
    if (auto* const files = qobject_cast<QFileDialog*>(dialog)) {
      files->selectFile(file);
      files->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)->click();
      return;
    }
    if (size.isEmpty())
      dialog->findChild<QLineEdit*>()->setText(file);
    else
      dialog->findChild<QComboBox*>()->setCurrentText(size);
    dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)->click();
  }
};

// X11 counts the keys of a keyboard from 8 on; a US layout prints these on them.
enum Place : quint32 {
  kPlaceZero = 19,
  kPlaceQ = 24,
  kPlaceW = 25,
  kPlaceO = 32,
  kPlaceLeftBracket = 34,
  kPlaceRightBracket = 35,
  kPlaceA = 38,
  kPlaceS = 39,
  kPlaceD = 40,
  kPlaceF = 41,
  kPlaceSemicolon = 47,
  kPlaceZ = 52,
  kPlaceComma = 59,
  kPlacePeriod = 60,
};

} // namespace

class KeyTableTest : public QObject {
  Q_OBJECT

 private slots:
  void zoomByKeysAndWheelAboutTheCursor();
  void whatIsHeldGrowsFaster();
  void panByKeysDragAndWheel();
  void scrollByWheelAndPageKeys();
  void focusFitAndHistory();
  void markKeepAndRemove();
  void searchByTextRegexAndField();
  void rangeBySnappingDragClickAndKey();
  void walkTheRowAndTheStack();
  void walkLinksNamesAndRanks();
  void pinHideFoldAndFind();
  void deselectPanelAndEverything();
  void clickAndHover();
  void paletteAndKeySheet();
  void tabsByNumberAndOneByOne();
  void screenshotOfAnySize();
  void exportOfEverything();
  void exportOfTheTableInSight();
  void theSameKeysWithTheFocusBelow();
  void onAFrenchKeyboardPlacesCount();
  void onADvorakKeyboardPlacesCount();
  void onARussianKeyboardEveryKeyIsTheAmericanOne();
  void bracketsAreWhereOtherLayoutsHaveAccents();
  void signsTypedWithShiftElsewhereAreTheSameSigns();
};

void KeyTableTest::zoomByKeysAndWheelAboutTheCursor() {
  Sitting sitting;
  const QPoint mouse(300, 60);
  const std::vector<std::function<void(bool)>> ways{
      [&](bool in) { sitting.press(in ? Qt::Key_W : Qt::Key_S); },
      [&](bool in) {
        Shown::wheel(sitting.canvas(), mouse, {0, in ? 120 : -120});
      },
      [&](bool in) {
        Shown::wheel(sitting.canvas(), mouse, {0, in ? 120 : -120}, Qt::ControlModifier);
      }};
  for (const auto& zoom : ways) {
    sitting.show(2 * kMs, 8 * kMs);
    Shown::send(sitting.canvas(), QEvent::MouseMove, mouse, Qt::NoButton);
    const TimeNs there = sitting.canvas().timeAt(mouse.x());
    const TimeNs whole = sitting.shown().length();
    zoom(true);
    const TimeNs part = sitting.shown().length();
    QVERIFY(part < whole);
    zoom(false);
    QVERIFY(sitting.shown().length() > part);
    const TimeNs pixel = sitting.shown().length() / sitting.canvas().width();
    QVERIFY(std::abs(sitting.canvas().timeAt(mouse.x()) - there) <= pixel + 1);
  }
}

void KeyTableTest::whatIsHeldGrowsFaster() {
  double before = 0;
  for (const double held : {0.0, 0.2, 0.5, 1.0}) {
    QVERIFY(ViewMotion::stepsPerSecond(held) > before);
    before = ViewMotion::stepsPerSecond(held);
  }
  QVERIFY(before > 3 * ViewMotion::stepsPerSecond(0));
  QCOMPARE(ViewMotion::stepsPerSecond(100), ViewMotion::stepsPerSecond(10)); // and not beyond control
  Sitting sitting;
  QTest::keyPress(&sitting.canvas(), Qt::Key_W);
  const TimeNs atOnce = sitting.shown().length();
  QTRY_VERIFY(sitting.shown().length() < atOnce * 8 / 10);
  QTest::keyRelease(&sitting.canvas(), Qt::Key_W);
  QVERIFY(!sitting.timeline().motion().moving());
}

void KeyTableTest::panByKeysDragAndWheel() {
  Sitting sitting;
  sitting.timeline().setAllRanksExpanded(true);
  sitting.show(4 * kMs, 6 * kMs);
  const TimeRange start = sitting.shown();
  sitting.press(Qt::Key_D);
  QVERIFY(sitting.shown().begin > start.begin);
  sitting.press(Qt::Key_A);
  QCOMPARE(sitting.shown(), start);
  Shown::wheel(sitting.canvas(), {300, 60}, {0, -120}, Qt::ShiftModifier);
  QVERIFY(sitting.shown().begin > start.begin);
  QCOMPARE(sitting.shown().length(), start.length());
  Shown::wheel(sitting.canvas(), {300, 60}, {0, 120}, Qt::ShiftModifier);
  QCOMPARE(sitting.shown(), start);
  QVERIFY(sitting.timeline().scrollBar().maximum() >= 40);
  const TimeNs grasped = sitting.canvas().timeAt(400);
  Shown::drag(sitting.canvas(), {400, 240}, {300, 200});
  QCOMPARE(sitting.canvas().timeAt(300), grasped);
  QCOMPARE(sitting.timeline().scrollBar().value(), 40);
}

void KeyTableTest::scrollByWheelAndPageKeys() {
  Sitting sitting;
  sitting.window.resize(1400, 700);
  sitting.timeline().setAllRanksExpanded(true);
  const TimeRange before = sitting.shown();
  sitting.press(Qt::Key_PageDown);
  const int paged = sitting.timeline().scrollBar().value();
  QVERIFY(paged > 0);
  sitting.press(Qt::Key_PageUp);
  QCOMPARE(sitting.timeline().scrollBar().value(), 0);
  Shown::wheel(sitting.timeline().headers(), {40, 60}, {0, -120});
  const int wheeled = sitting.timeline().scrollBar().value();
  QVERIFY(0 < wheeled && wheeled < paged);
  Shown::wheel(sitting.timeline().headers(), {40, 60}, {0, 120});
  QCOMPARE(sitting.timeline().scrollBar().value(), 0);
  QCOMPARE(sitting.shown(), before);
}

void KeyTableTest::focusFitAndHistory() {
  Sitting sitting;
  const EventRef kernel = sitting.event("relu_kernel");
  const TimeRange range = sitting.session().rangeOf(kernel);
  sitting.show(0, 5 * kMs);
  const TimeRange first = sitting.shown();
  sitting.session().select(kernel);
  sitting.press(Qt::Key_F);
  const TimeRange centred = sitting.shown();
  QCOMPARE(centred.length(), first.length());
  QCOMPARE(centred.begin + centred.length() / 2, range.begin + range.length() / 2);
  sitting.press(Qt::Key_F);
  const TimeRange fitted = sitting.shown();
  QVERIFY(fitted.begin < range.begin && range.end < fitted.end && fitted.length() < 2 * range.length());
  sitting.press(Qt::Key_Home);
  QCOMPARE(sitting.shown(), sitting.session().limits());
  sitting.press(Qt::Key_Backspace);
  QCOMPARE(sitting.shown(), fitted);
  sitting.press(Qt::Key_0);
  QCOMPARE(sitting.shown(), sitting.session().limits());
  for (const TimeRange& before : {fitted, centred, first}) {
    sitting.press(Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(sitting.shown(), before);
  }
  for (const TimeRange& after : {centred, fitted, sitting.session().limits()}) {
    sitting.press(Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(sitting.shown(), after);
  }
}

void KeyTableTest::markKeepAndRemove() {
  Sitting sitting;
  const auto regions = [&]() -> const std::vector<Region>& { return sitting.session().marks().regions(); };
  const EventRef kernel = sitting.event("gemm_kernel", 1);
  sitting.session().select(kernel);
  sitting.press(Qt::Key_M);
  QCOMPARE(regions().size(), 1u);
  QCOMPARE(regions()[0].range, sitting.session().rangeOf(kernel));
  QVERIFY(!regions()[0].kept);
  const TimeRange range{sitting.origin() + kMs, sitting.origin() + 2 * kMs};
  sitting.session().setRange(range);
  sitting.press(Qt::Key_M, Qt::ShiftModifier);
  QCOMPARE(regions().size(), 2u);
  const auto kept = std::ranges::find(regions(), true, &Region::kept);
  QVERIFY(kept != regions().end());
  QCOMPARE(kept->range, range);
  QTest::keyClicks(sitting.focus(), QStringLiteral("why"));
  sitting.press(Qt::Key_Return);
  QTRY_VERIFY(std::ranges::any_of(regions(), [](const Region& region) { return region.note == "why"; }));
  sitting.timeline().setFocus();
  sitting.press(Qt::Key_Delete);
  QCOMPARE(regions().size(), 1u);
  QVERIFY(!regions()[0].kept);
}

void KeyTableTest::searchByTextRegexAndField() {
  Sitting sitting;
  const auto look = [&](const char* text) {
    sitting.timeline().setFocus();
    sitting.press(Qt::Key_Slash);
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&sitting.window.searchField()));
    sitting.window.searchField().selectAll();
    QTest::keyClicks(QApplication::focusWidget(), QLatin1String(text));
    QVERIFY(sitting.settles());
  };
  const auto count = [&] { return sitting.window.finder().sums().count; };
  look("gemm");
  QCOMPARE(count(), 3u);
  look("~^(gemm|relu)_k");
  QCOMPARE(count(), 6u);
  look("dur>2.6ms rank:0 kind:nccl");
  QCOMPARE(count(), 1u);
  look("kind:kernel");
  const QString sums = findOf(sitting.window).panel().summary();
  for (const char* fact : {"6 hits", "total 12.0 ms", "mean 2.00 ms"})
    QVERIFY2(sums.contains(QLatin1String(fact)), qPrintable(sums));
  sitting.press(Qt::Key_Return);
  const EventRef first = sitting.session().selection();
  QVERIFY(first.valid());
  sitting.press(Qt::Key_Return);
  QVERIFY(sitting.session().selection() != first);
  sitting.press(Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(sitting.session().selection(), first);
  sitting.timeline().setFocus();
  sitting.press(Qt::Key_Return);
  QVERIFY(sitting.session().selection() != first);
  sitting.press(Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(sitting.session().selection(), first);
}

void KeyTableTest::rangeBySnappingDragClickAndKey() {
  Sitting sitting;
  TraceSession& session = sitting.session();
  const EventRef relu = sitting.event("relu_kernel");
  const TimeRange range = session.rangeOf(relu);
  const int y = sitting.pointOn(relu).y();
  const QPoint from(static_cast<int>(sitting.canvas().xOf(range.begin)) + 3, y);
  const QPoint to(static_cast<int>(sitting.canvas().xOf(range.end)) - 4, y);
  Shown::drag(sitting.canvas(), from, to, Qt::ShiftModifier);
  QCOMPARE(session.range(), std::optional(range));
  QCOMPARE(session.rangeTracks(), trackOfEvent(*session.trace(), relu));
  QVERIFY(sitting.settles());
  const ResultTableModel& names = marksOf(sitting.window).rangePanel().card(RangePanel::kNames).model();
  QCOMPARE(names.rowCount(), 1);
  QCOMPARE(names.textOf(0, "total_us"), QStringLiteral("1000"));
  Shown::drag(sitting.canvas(), from, to, Qt::ShiftModifier | Qt::AltModifier);
  QCOMPARE(session.range(),
           std::optional(TimeRange{sitting.canvas().timeAt(from.x()), sitting.canvas().timeAt(to.x())}));
  const EventRef gemm = sitting.event("gemm_kernel");
  session.select(gemm);
  sitting.press(Qt::Key_R);
  QCOMPARE(session.range(), std::optional(session.rangeOf(gemm)));
  QTest::mouseClick(&sitting.canvas(), Qt::LeftButton, Qt::ShiftModifier, sitting.pointOn(relu));
  QCOMPARE(session.range(), std::optional(session.rangeOf(gemm).unitedWith(range)));
}

void KeyTableTest::walkTheRowAndTheStack() {
  Sitting sitting;
  TraceSession& session = sitting.session();
  const EventRef gemm = sitting.event("gemm_kernel");
  const EventRef relu = sitting.event("relu_kernel");
  for (const auto& [next, previous] :
       {std::pair(Qt::Key_Period, Qt::Key_Comma), std::pair(Qt::Key_Right, Qt::Key_Left)}) {
    session.select(gemm);
    sitting.press(next);
    QCOMPARE(session.selection(), relu);
    sitting.press(previous);
    QCOMPARE(session.selection(), gemm);
  }
  session.select(sitting.event("aten::mm"));
  sitting.press(Qt::Key_Down);
  QCOMPARE(session.selection(), sitting.launchOf(gemm));
  sitting.press(Qt::Key_Up);
  QCOMPARE(session.selection(), sitting.event("aten::mm"));
}

void KeyTableTest::walkLinksNamesAndRanks() {
  Sitting sitting;
  TraceSession& session = sitting.session();
  const EventRef gemm = sitting.event("gemm_kernel");
  const EventRef relu = sitting.event("relu_kernel");
  session.select(gemm);
  sitting.press(Qt::Key_BracketLeft);
  QCOMPARE(session.selection(), sitting.launchOf(gemm));
  sitting.press(Qt::Key_BracketRight);
  QCOMPARE(session.selection(), gemm);
  session.select(sitting.launchOf(gemm));
  sitting.press(Qt::Key_BraceRight, Qt::ShiftModifier); // what a keyboard sends for Shift+]
  QCOMPARE(session.selection(), sitting.launchOf(relu));
  sitting.press(Qt::Key_BraceLeft, Qt::ShiftModifier);
  QCOMPARE(session.selection(), sitting.launchOf(gemm));
  const auto collective = [&](std::size_t rank) {
    return EventRef{RankIndex(rank), session.analysis()->collectiveCalls(RankIndex(rank))[0].event};
  };
  session.select(collective(0));
  for (const std::size_t rank : {1u, 2u, 0u}) {
    sitting.press(Qt::Key_Tab);
    QCOMPARE(session.selection(), collective(rank));
  }
  sitting.press(Qt::Key_Backtab, Qt::ShiftModifier);
  QCOMPARE(session.selection(), collective(2));
}

void KeyTableTest::pinHideFoldAndFind() {
  Sitting sitting;
  TraceSession& session = sitting.session();
  session.select(sitting.event("gemm_kernel"));
  const TrackKey key =
      keyOf(*session.trace(), RankIndex(0), trackOfEvent(*session.trace(), session.selection())[0].tracks[0]);
  sitting.press(Qt::Key_P);
  QCOMPARE(session.choice().pinned, std::vector<TrackKey>{key});
  sitting.press(Qt::Key_T, Qt::ShiftModifier);
  QVERIFY(session.choice().pinned.empty());
  sitting.press(Qt::Key_H);
  QVERIFY(session.choice().hidden.contains(key));
  const TrackLayout& layout = sitting.timeline().trackLayout();
  QVERIFY(!layout.sectionOf(key));
  sitting.press(Qt::Key_P, Qt::ControlModifier);
  QuickPick& pick = QuickPick::of(sitting.timeline());
  QVERIFY(pick.isVisible());
  QTest::keyClicks(&pick.field(), QStringLiteral("rank 0 stream 7"));
  QTest::keyClick(&pick.field(), Qt::Key_Return);
  QVERIFY(layout.sectionOf(key));
  const bool open = layout.rankExpanded(RankIndex(0));
  const QPoint header(60, layout.rankLane(RankIndex(0)).top + 8);
  QTest::mouseClick(&sitting.timeline().headers(), Qt::LeftButton, {}, header);
  QTest::mouseDClick(&sitting.timeline().headers(), Qt::LeftButton, {}, header);
  QCOMPARE(layout.rankExpanded(RankIndex(0)), !open);
}

void KeyTableTest::deselectPanelAndEverything() {
  Sitting sitting;
  sitting.session().select(sitting.event("gemm_kernel"));
  sitting.press(Qt::Key_A, Qt::ControlModifier);
  QCOMPARE(sitting.session().range(), std::optional(sitting.session().trace()->extent()));
  sitting.press(Qt::Key_Escape);
  QVERIFY(!sitting.session().selection().valid());
  QVERIFY(!sitting.session().range());
  QVERIFY(!bottomPanelOf(sitting.window).collapsed());
  const int height = sitting.timeline().height();
  sitting.press(Qt::Key_Q);
  QVERIFY(bottomPanelOf(sitting.window).collapsed());
  QTRY_VERIFY(sitting.timeline().height() > height + 100); // the room is the timeline's
  sitting.press(Qt::Key_Q);
  QVERIFY(!bottomPanelOf(sitting.window).collapsed());
  QTRY_COMPARE(sitting.timeline().height(), height);
}

void KeyTableTest::clickAndHover() {
  Sitting sitting;
  const EventRef gemm = sitting.event("gemm_kernel");
  QTest::mouseClick(&sitting.canvas(), Qt::LeftButton, {}, sitting.pointOn(gemm));
  QCOMPARE(sitting.session().selection(), gemm);
  QVERIFY(sitting.settles());
  const QString details = detailsOf(sitting.window).toPlainText();
  for (const char* fact : {"gemm_kernel", "3.00 ms", "stream 7", "Launched by", "cudaLaunchKernel"})
    QVERIFY2(details.contains(QLatin1String(fact)), qPrintable(details));
  const EventRef relu = sitting.event("relu_kernel");
  Shown::send(sitting.canvas(), QEvent::MouseMove, sitting.pointOn(relu), Qt::NoButton);
  QCOMPARE(sitting.session().trace()->names()[sitting.session().hoveredName()],
           std::string_view("relu_kernel"));
  QVERIFY(sitting.canvas().hoverText().contains(QStringLiteral("1.00 ms")));
}

void KeyTableTest::paletteAndKeySheet() {
  Sitting sitting;
  QuickPick& palette = QuickPick::of(sitting.window.content());
  for (const auto& [key, modifiers] :
       {std::pair(Qt::Key_K, Qt::KeyboardModifiers(Qt::ControlModifier)),
        std::pair(Qt::Key_P, Qt::KeyboardModifiers(Qt::ControlModifier | Qt::ShiftModifier))}) {
    sitting.press(key, modifiers);
    QVERIFY(palette.isVisible());
    QTest::keyClick(&palette.field(), Qt::Key_Escape);
    QVERIFY(!palette.isVisible());
  }
  sitting.press(Qt::Key_Question, Qt::ShiftModifier);
  QTRY_VERIFY(sitting.window.findChild<KeySheet*>());
  QTest::keyClick(sitting.window.findChild<KeySheet*>(), Qt::Key_Escape);
  QTRY_VERIFY(!sitting.window.findChild<KeySheet*>());
}

void KeyTableTest::tabsByNumberAndOneByOne() {
  Sitting sitting;
  sitting.press(Qt::Key_2, Qt::ControlModifier);
  QCOMPARE(sitting.window.currentTab(), QString("overview"));
  sitting.press(Qt::Key_1, Qt::ControlModifier);
  QCOMPARE(sitting.window.currentTab(), QString("timeline"));
  sitting.window.resize(1400, 700);
  sitting.timeline().setAllRanksExpanded(true);
  sitting.press(Qt::Key_PageDown, Qt::ControlModifier);
  QCOMPARE(sitting.window.currentTab(), QString("overview"));
  sitting.press(Qt::Key_PageUp, Qt::ControlModifier);
  sitting.press(Qt::Key_PageUp, Qt::ControlModifier);
  QCOMPARE(sitting.window.currentTab(), QString("files"));
  sitting.press(Qt::Key_PageDown, Qt::ControlModifier);
  QCOMPARE(sitting.window.currentTab(), QString("timeline"));
  QCOMPARE(sitting.timeline().scrollBar().value(), 0); // none of these scrolled the tracks
  sitting.press(Qt::Key_PageDown);
  QVERIFY(sitting.timeline().scrollBar().value() > 0);
}

void KeyTableTest::screenshotOfAnySize() {
  Sitting sitting;
  const QString file = sitting.folder.filePath(QStringLiteral("picture.png"));
  const DialogFiller filler(file, QStringLiteral("1600x901"));
  sitting.press(Qt::Key_S, Qt::ControlModifier);
  QCOMPARE(QImage(file).size(), QSize(1600, 901));
}

void KeyTableTest::exportOfTheTableInSight() {
  Sitting sitting;
  const auto exported = [&](bool something = true) {
    const QString path = sitting.folder.filePath(QStringLiteral("table.csv"));
    QFile::remove(path);
    const DialogFiller filler(path);
    sitting.press(Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    // Hits are written by a worker.
    QFile file(path);
    if (something) (void)QTest::qWaitFor([&] { return file.exists(); });
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  };
  QVERIFY(exported(false).isEmpty()); // nothing stands there that could be a table
  sitting.session().setRange(TimeRange{sitting.origin(), sitting.origin() + 10 * kMs});
  QVERIFY(sitting.settles());
  const QByteArray ofRange = exported();
  QVERIFY2(ofRange.startsWith("name,") && ofRange.contains("gemm_kernel,"), ofRange.constData());
  sitting.press(Qt::Key_M, Qt::ShiftModifier);
  sitting.press(Qt::Key_Escape);
  sitting.timeline().setFocus();
  QVERIFY(exported().startsWith("name,begin_us"));
  sitting.press(Qt::Key_Slash);
  QTest::keyClicks(&sitting.window.searchField(), QStringLiteral("relu_kernel"));
  QVERIFY(sitting.settles());
  sitting.timeline().setFocus();
  const QByteArray ofHits = exported();
  QVERIFY2(ofHits.startsWith("begin_us,duration_us,name,") &&
               ofHits.contains("6000,1000,relu_kernel,kernel,1,1,"),
           ofHits.constData());
  sitting.window.showTab("kernels");
  kernelsOf(sitting.window.tabs()).card().view().setFocus();
  QVERIFY(exported().startsWith("kernel,"));
}

void KeyTableTest::exportOfEverything() {
  Sitting sitting;
  const QString out = sitting.folder.filePath(QStringLiteral("out"));
  {
    const DialogFiller filler(out);
    sitting.press(Qt::Key_E, Qt::ControlModifier);
  }
  QVERIFY(sitting.settles());
  for (const char* file : {"ranks.csv", "kernels.csv", "report.html"})
    QTRY_VERIFY2(QFile::exists(out + QLatin1Char('/') + QLatin1String(file)), file);
}

void KeyTableTest::theSameKeysWithTheFocusBelow() {
  Sitting sitting;
  sitting.session().select(sitting.event("gemm_kernel"));
  QVERIFY(sitting.settles());
  detailsOf(sitting.window).setFocus();
  QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&detailsOf(sitting.window)));
  const TimeNs before = sitting.shown().length();
  sitting.press(Qt::Key_W);
  QVERIFY(sitting.shown().length() < before);
  sitting.press(Qt::Key_R);
  QCOMPARE(*sitting.session().range(), sitting.session().rangeOf(sitting.event("gemm_kernel")));
  detailsOf(sitting.window).setFocus();
  sitting.press(Qt::Key_Period);
  QCOMPARE(sitting.session().selection(), sitting.event("relu_kernel"));
}

void KeyTableTest::onAFrenchKeyboardPlacesCount() {
  Sitting sitting;
  TraceSession& session = sitting.session();
  sitting.show(4 * kMs, 6 * kMs);
  const TimeRange start = sitting.shown();
  QVERIFY(sitting.pressPlace(Qt::Key_Z, kPlaceW));
  QVERIFY(sitting.shown().length() < start.length());
  QVERIFY(!sitting.timeline().motion().moving()); // it went up as the key that went down
  session.setWindow(start);
  // Q is printed there: that is no reason to fold the panel.
  const bool folded = bottomPanelOf(sitting.window).collapsed();
  QVERIFY(sitting.pressPlace(Qt::Key_Q, kPlaceA));
  QVERIFY(sitting.shown().begin < start.begin);
  QCOMPARE(sitting.shown().length(), start.length());
  QCOMPARE(bottomPanelOf(sitting.window).collapsed(), folded);
  QVERIFY(sitting.pressPlace(Qt::Key_A, kPlaceQ));
  QCOMPARE(bottomPanelOf(sitting.window).collapsed(), !folded);
  const TimeRange kept = sitting.shown();
  sitting.pressPlace(Qt::Key_W, kPlaceZ);
  QCOMPARE(sitting.shown(), kept);
  // With Ctrl the letter counts: no Ctrl+Q where somebody selects all.
  QVERIFY(!sitting.pressPlace(Qt::Key_A, kPlaceQ, Qt::ControlModifier));
  QCOMPARE(session.range(), std::optional(session.trace()->extent()));
  QVERIFY(sitting.window.isVisible());
  sitting.pressPlace(Qt::Key_M, kPlaceSemicolon);
  QCOMPARE(session.marks().regions().size(), 1u);
  sitting.pressPlace(Qt::Key_Agrave, kPlaceZero);
  QCOMPARE(sitting.shown(), session.limits());
}

void KeyTableTest::onADvorakKeyboardPlacesCount() {
  Sitting sitting;
  TraceSession& session = sitting.session();
  sitting.show(4 * kMs, 6 * kMs);
  const TimeRange start = sitting.shown();
  sitting.pressPlace(Qt::Key_Comma, kPlaceW);
  const TimeRange zoomed = sitting.shown();
  QVERIFY(zoomed.length() < start.length());
  sitting.pressPlace(Qt::Key_O, kPlaceS);
  QVERIFY(sitting.shown().length() > zoomed.length());
  QVERIFY(!session.choice().alignedStep);
  session.setWindow(start);
  sitting.pressPlace(Qt::Key_E, kPlaceD);
  QVERIFY(sitting.shown().begin > start.begin);
  const EventRef gemm = sitting.event("gemm_kernel");
  session.select(gemm);
  sitting.pressPlace(Qt::Key_V, kPlacePeriod);
  QCOMPARE(session.selection(), sitting.event("relu_kernel"));
  sitting.pressPlace(Qt::Key_W, kPlaceComma);
  QCOMPARE(session.selection(), gemm);
  sitting.pressPlace(Qt::Key_R, kPlaceO);
  QCOMPARE(session.range(), std::optional(session.rangeOf(gemm)));
  sitting.pressPlace(Qt::Key_U, kPlaceF);
  sitting.pressPlace(Qt::Key_U, kPlaceF);
  QVERIFY(sitting.shown().length() < 2 * session.rangeOf(gemm).length());
}

void KeyTableTest::onARussianKeyboardEveryKeyIsTheAmericanOne() {
  Sitting sitting;
  TraceSession& session = sitting.session();
  sitting.show(4 * kMs, 6 * kMs);
  const TimeRange start = sitting.shown();
  QVERIFY(sitting.pressPlace(0x0426, kPlaceW));
  QVERIFY(sitting.shown().length() < start.length());
  const bool folded = bottomPanelOf(sitting.window).collapsed();
  QVERIFY(sitting.pressPlace(0x0419, kPlaceQ));
  QCOMPARE(bottomPanelOf(sitting.window).collapsed(), !folded);
  const EventRef gemm = sitting.event("gemm_kernel");
  session.select(gemm);
  sitting.pressPlace(0x0425, kPlaceLeftBracket);
  QCOMPARE(session.selection(), sitting.launchOf(gemm));
  sitting.pressPlace(0x042a, kPlaceRightBracket);
  QCOMPARE(session.selection(), gemm);
  sitting.pressPlace(0x042e, kPlacePeriod);
  QCOMPARE(session.selection(), sitting.event("relu_kernel"));
  sitting.pressPlace(0x0424, kPlaceA, Qt::ControlModifier);
  QCOMPARE(session.range(), std::optional(session.trace()->extent()));
}

void KeyTableTest::bracketsAreWhereOtherLayoutsHaveAccents() {
  Sitting sitting;
  TraceSession& session = sitting.session();
  const EventRef gemm = sitting.event("gemm_kernel");
  for (const auto& [left, right] : {std::pair<int, int>(Qt::Key_Dead_Circumflex, Qt::Key_Dollar),
                                    std::pair<int, int>(Qt::Key_Udiaeresis, Qt::Key_Asterisk),
                                    std::pair<int, int>(Qt::Key_Aring, Qt::Key_Dead_Diaeresis)}) {
    session.select(gemm);
    sitting.pressPlace(left, kPlaceLeftBracket);
    QCOMPARE(session.selection(), sitting.launchOf(gemm));
    sitting.pressPlace(right, kPlaceRightBracket);
    QCOMPARE(session.selection(), gemm);
  }
  // Where the key prints a sign that has a meaning of its own, it keeps it: '+' zooms in.
  const TimeNs before = sitting.shown().length();
  sitting.pressPlace(Qt::Key_Plus, kPlaceRightBracket);
  QVERIFY(sitting.shown().length() < before);
  QCOMPARE(session.selection(), gemm);
}

void KeyTableTest::signsTypedWithShiftElsewhereAreTheSameSigns() {
  Sitting sitting;
  TraceSession& session = sitting.session();
  session.select(sitting.event("gemm_kernel"));
  sitting.press(Qt::Key_Period, Qt::ShiftModifier);
  QCOMPARE(session.selection(), sitting.event("relu_kernel"));
  sitting.press(Qt::Key_0, Qt::ShiftModifier);
  QCOMPARE(sitting.shown(), session.limits());
}

RANKSCOPE_UI_TEST(KeyTableTest)
#include "key_table_test.moc"
