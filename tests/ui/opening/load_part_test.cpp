// SPDX-License-Identifier: GPL-3.0-or-later
// Opening a job partially: the question before a job that would not fit, the one when memory runs out, and
// the one on request. Covers ui/job/part_choice and ui/opening/page_parts too.
#include "core/base/unit_text.h"
#include "tests/support/job_generator.h"
#include "tests/ui/gated_load.h"
#include "tests/ui/settling.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "ui/base/workers.h"
#include "ui/details/bottom_panel.h"
#include "ui/job/loaded_part.h"
#include "ui/opening/load_bar.h"
#include "ui/opening/part_page.h"
#include "ui/opening/start_page.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/main_window.h"
#include "ui/window/title_bar.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

constexpr std::uint64_t kPlenty = 100'000'000'000;

const LoadFilter kNoPython{true, false, {}};
const LoadFilter kNeither{true, true, {}};

// Free memory of which exactly this is usable.
std::uint64_t freeFor(std::uint64_t space) {
  std::uint64_t available = space;
  while (available - memoryReserve(available) < space) ++available;
  return available;
}

// A window, a job of two ranks and three steps with Python frames, and free memory set by the test.
struct PartTest {
  QTemporaryDir folder;
  QSettings settings{folder.filePath("settings.ini"), QSettings::IniFormat};
  std::uint64_t available = kPlenty;
  MainWindow window;
  LoadForecast forecast;

  explicit PartTest(LoadFunction load = loadTraces) : window(settings, std::move(load)) {
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 3;
    options.withStack = true;
    (void)test::generateJob(options, job().toStdString());
    const std::vector<std::string> paths{job().toStdString()};
    forecast = forecastLoad(discoverTraceFiles(paths).files, defaultThreads(), kPlenty);
    window.document().setMemory([this] { return std::optional(available); });
    window.resize(1280, 800);
    window.show();
  }

  static unsigned defaultThreads() { return 1; }
  [[nodiscard]] QString job() const { return folder.filePath("llama"); }
  [[nodiscard]] bool settles() { return ui::settles(window.pending()); }
  void open(LoadOptions options = {}) {
    options.threadCount = defaultThreads();
    window.open({job()}, options);
  }
  [[nodiscard]] std::uint64_t need(const LoadFilter& filter) const { return forecast.of(filter).peakBytes; }
  [[nodiscard]] const std::shared_ptr<const TraceSet>& trace() { return window.session().trace(); }
  [[nodiscard]] QString summary() { return window.findChild<TitleBar*>()->summary(); }
  [[nodiscard]] std::uint64_t events() {
    std::uint64_t count = 0;
    for (const RankEntry& rank : trace()->ranks()) count += rank.trace->events.size();
    return count;
  }
  [[nodiscard]] std::uint64_t leftOut() {
    std::uint64_t count = 0;
    for (const RankEntry& rank : trace()->ranks()) count += rank.trace->leftOut;
    return count;
  }

  [[nodiscard]] PartPage& page() { return window.partPage(); }
  template <class T> [[nodiscard]] T& part(const char* name) { return *page().findChild<T*>(name); }
  [[nodiscard]] QString textOf(const char* name) { return part<QLabel>(name).text(); }
  [[nodiscard]] QCheckBox& python() { return part<QCheckBox>("skipPython"); }
  [[nodiscard]] QCheckBox& operators() { return part<QCheckBox>("skipCpuOps"); }
  [[nodiscard]] QCheckBox& steps() { return part<QCheckBox>("onlySteps"); }
  [[nodiscard]] QPushButton& openButton() { return part<QPushButton>("primary"); }
  // Waits until the page knows which steps the files mark.
  [[nodiscard]] bool knowsSteps() {
    return QTest::qWaitFor([this] { return textOf("stepsFigure").contains(" to "); }, kTimeoutMs);
  }
};

bool holdsFocus(QWidget& widget) {
  return widget.window()->focusWidget() == &widget;
}

} // namespace

class LoadPartTest : public QObject {
  Q_OBJECT
 private slots:
  void cleanup() { QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs)); }

  void aJobThatFitsOpensWithoutAQuestion() {
    PartTest test;
    test.available = freeFor(test.need({}));
    test.open();
    QVERIFY(test.settles());
    QVERIFY(!test.page().isVisible());
    QCOMPARE(test.trace()->ranks().size(), std::size_t{2});
    QVERIFY2(test.summary().startsWith("2 ranks"), qPrintable(test.summary()));
  }

  void aJobThatWouldNotFitIsAskedAboutBeforeAnythingIsRead() {
    PartTest test;
    test.available = freeFor(test.need(kNoPython));
    test.open();
    QVERIFY(test.settles());
    QVERIFY(test.page().isVisible());
    QVERIFY(!test.trace());
    QVERIFY(!test.window.findChild<LoadBar*>()->isVisible());
    QVERIFY(!test.window.document().error());
    QCOMPARE(test.textOf("startTitle"), QString("llama needs more memory than is available"));
    // Preselects just enough to skip.
    QVERIFY(test.python().isChecked());
    QVERIFY(!test.operators().isChecked());
    QVERIFY(test.textOf("partVerdict").endsWith("fits in memory."));

    QVERIFY(holdsFocus(test.python()));
    QTest::keyClick(&test.python(), Qt::Key_Return);
    QVERIFY(test.window.document().loading().running());
    QVERIFY(!test.page().isVisible());
    QVERIFY(test.settles());
    QVERIFY(test.leftOut() > 0);
    QVERIFY2(test.summary().startsWith("without Python stack · 2 ranks"), qPrintable(test.summary()));
  }

  void theFiguresFollowTheBoxes() {
    PartTest test;
    test.available = freeFor(test.need(kNoPython));
    test.open();
    QVERIFY(test.settles());
    QVERIFY(test.textOf("pythonFigure").startsWith("saves "));
    QVERIFY(test.textOf("operatorsFigure").startsWith("would need "));
    const QString withPython = test.textOf("operatorsFigure");

    QTest::keyClick(&test.python(), Qt::Key_Space);
    QVERIFY(!test.openButton().isEnabled());
    QVERIFY(test.textOf("partVerdict").endsWith("over the limit."));
    QVERIFY(test.textOf("pythonFigure").startsWith("would need "));
    QVERIFY(test.textOf("operatorsFigure") != withPython);
    QCOMPARE(test.python().accessibleDescription(), test.textOf("pythonFigure"));

    QTest::keyClick(&test.operators(), Qt::Key_Space);
    QVERIFY(test.openButton().isEnabled());
    QCOMPARE(test.page().chosen(), (LoadFilter{false, true, {}}));
    QCOMPARE(test.page().needed(test.page().chosen()), test.need({false, true, {}}));
  }

  void everythingCanBeOpenedAllTheSame() {
    PartTest test;
    test.available = freeFor(test.need({})) - 4;
    test.open();
    QVERIFY(test.settles());
    auto& everything = test.part<QPushButton>("openEverything");
    QCOMPARE(everything.text(), QString("Open everything anyway"));
    everything.setFocus();
    QTest::keyClick(&everything, Qt::Key_Return);
    QVERIFY(test.settles());
    QVERIFY(!test.page().isVisible());
    QCOMPARE(test.leftOut(), 0u);
    QVERIFY(test.summary().startsWith("2 ranks"));
  }

  void escapeGoesBackToWhatWasThere() {
    PartTest test;
    test.available = freeFor(test.need(kNeither));
    test.open();
    QVERIFY(test.settles());
    QVERIFY(test.operators().isChecked());
    QTest::keyClick(&test.operators(), Qt::Key_Escape);
    QVERIFY(!test.page().isVisible());
    QVERIFY(test.window.findChild<StartPage*>()->isVisible());
    QVERIFY(!test.window.document().loading().running());

    test.available = kPlenty;
    test.open();
    QVERIFY(test.settles());
    const TimeRange before = test.window.session().window();
    QVERIFY(test.window.actions().run("file.openPart"));
    QVERIFY(test.settles());
    QVERIFY(test.page().isVisible());
    // Keys do not reach the timeline behind it.
    QTest::keyClick(&test.python(), Qt::Key_W);
    const bool folded = bottomPanelOf(test.window).collapsed();
    QTest::keyClick(&test.python(), Qt::Key_Q);
    QVERIFY(!test.window.actions().run("window.bottomPanel"));
    QCOMPARE(bottomPanelOf(test.window).collapsed(), folded);
    QTest::keyClick(&test.part<QPushButton>("leavePart"), Qt::Key_Return);
    QVERIFY(timelineOf(test.window).isVisible());
    QCOMPARE(test.window.session().window(), before);
  }

  void aClickOnATabLeavesTheQuestion() {
    PartTest test;
    test.open();
    QVERIFY(test.settles());
    test.window.document().choosePart();
    QVERIFY(test.settles());
    QVERIFY(test.page().isVisible());
    auto* tabs = test.window.findChild<QTabBar*>();
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(0).center());
    QVERIFY(timelineOf(test.window).isVisible());
  }

  void aJobOfTheCacheIsNotAskedAbout() {
    PartTest test;
    LoadOptions cached;
    cached.cache = TraceCacheSettings{test.folder.filePath("cache").toStdString(), kPlenty, 0};
    test.window.document().setTraceCache(cached.cache);
    test.open(cached);
    QVERIFY(test.settles());
    QVERIFY(!test.trace()->origin().cached);
    test.available = 1000;
    test.open(cached);
    QVERIFY(test.settles());
    QVERIFY(!test.page().isVisible());
    QVERIFY(test.trace()->origin().cached);
  }

  void aLoadThatDecidesForItselfIsNotAskedAbout() {
    PartTest test;
    test.available = 1000;
    bool asked = false;
    LoadOptions options;
    options.mayRead = [&](auto) { return asked = true; };
    test.open(options);
    QVERIFY(test.settles());
    QVERIFY(asked);
    QVERIFY(test.trace());
  }

  void onlySomeStepsAreOpenedAndTheirShareIsReported() {
    PartTest test;
    test.open();
    QVERIFY(test.settles());
    const std::uint64_t events = test.events();
    test.window.document().choosePart();
    QVERIFY(test.settles());
    QCOMPARE(test.textOf("startTitle"), QString("Open llama partially"));
    QVERIFY(!test.openButton().isEnabled());
    QVERIFY(test.knowsSteps());
    auto* first = test.page().findChildren<QSpinBox*>().front();
    auto* last = test.page().findChildren<QSpinBox*>().back();
    QCOMPARE(first->accessibleName(), QString("First step"));
    QCOMPARE(last->value() - first->value(), 2);
    QVERIFY(!test.steps().isChecked());

    const int step = last->value();
    first->setValue(step);
    QVERIFY(test.steps().isChecked());
    QCOMPARE(test.page().needed(test.page().chosen()), test.need({}) / 3);
    QTest::mouseClick(&test.openButton(), Qt::LeftButton);
    QVERIFY(test.settles());
    QVERIFY(test.events() < events / 2);
    QVERIFY(test.summary().contains(" of "));
    QVERIFY2(test.summary().startsWith(QString("step %1 · 2 ranks").arg(step)), qPrintable(test.summary()));

    // Asked again, the page shows the open part; lowering the last step adjusts the first.
    test.window.document().choosePart();
    QVERIFY(test.settles());
    QVERIFY(test.steps().isChecked());
    QCOMPARE(first->value(), step);
    last->setValue(step - 1);
    QCOMPARE(first->value(), step - 1);
    QTest::mouseClick(&test.part<QPushButton>("openEverything"), Qt::LeftButton);
    QVERIFY(test.settles());
    QCOMPARE(test.events(), events);
  }

  void aLoadIsGivenUpWhenMemoryRunsLowAndWhatArrivedStays() {
    GatedLoad load;
    PartTest test(load.function());
    test.open();
    QTRY_VERIFY_WITH_TIMEOUT(test.trace() != nullptr, kTimeoutMs);
    test.available = memoryReserve(kPlenty) - 1;
    QTRY_VERIFY_WITH_TIMEOUT(!test.window.document().loading().running(), kTimeoutMs);
    QVERIFY(test.settles());
    MessageBanner& banner = test.window.banner();
    QVERIFY(banner.isVisible());
    QVERIFY2(banner.text().startsWith(QString("Opening stopped: low memory\nOnly %1 of memory was left.")
                                          .arg(QString::fromStdString(bytesText(
                                              static_cast<std::int64_t>(memoryReserve(kPlenty) - 1))))),
             qPrintable(banner.text()));
    QCOMPARE(test.trace()->ranks().size(), std::size_t{1});
    QVERIFY(!test.window.findChild<LoadBar*>()->isVisible());

    for (QPushButton* button : banner.findChildren<QPushButton*>()) QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(test.settles());
    QVERIFY(test.page().isVisible());
    QCOMPARE(test.textOf("startTitle"), QString("Out of memory while opening llama"));
    load.gate.release();
    test.operators().setChecked(true);
    QTest::mouseClick(&test.openButton(), Qt::LeftButton);
    QVERIFY(test.settles());
    QCOMPARE(test.trace()->ranks().size(), std::size_t{2});
    QVERIFY(!banner.isVisible());
    QVERIFY(test.summary().startsWith("without CPU operators · 2 ranks"));
  }

  void memoryThatOnlyShrinksALittleStopsNothing() {
    GatedLoad load;
    PartTest test(load.function());
    test.open();
    QSignalSpy progressed(&test.window.document().loading(), &LoadJob::progressed);
    test.available = memoryReserve(kPlenty);
    QTRY_VERIFY_WITH_TIMEOUT(progressed.count() > 11, kTimeoutMs);
    QVERIFY(test.window.document().loading().running());
    load.gate.release();
    QVERIFY(test.settles());
    QCOMPARE(test.trace()->ranks().size(), std::size_t{2});
  }

  void aRunningLoadIsReplacedByAPartOfTheJob() {
    GatedLoad load;
    PartTest test(load.function());
    test.open();
    QTRY_VERIFY_WITH_TIMEOUT(test.trace() != nullptr, kTimeoutMs);
    auto* button = test.window.findChild<LoadBar*>()->findChild<QPushButton*>("openPart");
    QVERIFY(button->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(test.page().isVisible(), kTimeoutMs);
    QVERIFY(test.window.document().loading().running());
    load.gate.release(2);
    QTRY_VERIFY_WITH_TIMEOUT(!test.window.document().loading().running(), kTimeoutMs);
    QVERIFY(test.page().isVisible());
    QVERIFY(holdsFocus(test.python()));
    test.python().setChecked(true);
    QTest::mouseClick(&test.openButton(), Qt::LeftButton);
    QVERIFY(test.settles());
    QVERIFY(test.summary().startsWith("without Python stack · "));
  }

  // Two of them do not fit, one does.
  void theOpenJobIsClosedIfMemoryIsShort() {
    PartTest test;
    test.open();
    QVERIFY(test.settles());
    const std::uint64_t held = heldBytes(*test.trace());
    test.available = freeFor(test.need(kNoPython)) - 4;
    test.window.document().choosePart();
    QVERIFY(test.settles());
    test.python().setChecked(true);
    QVERIFY(test.page().needed(kNoPython) <= test.available + held);
    QVERIFY(test.textOf("partVerdict").endsWith("fits in memory."));
    bool wasClosed = false;
    connect(&test.window.document().loading(), &LoadJob::started, this, [&] { wasClosed = !test.trace(); });
    QTest::mouseClick(&test.openButton(), Qt::LeftButton);
    QVERIFY(wasClosed);
    QVERIFY(test.settles());
    QCOMPARE(test.trace()->ranks().size(), std::size_t{2});
    QVERIFY(timelineOf(test.window).isVisible());
  }

  void withoutAFigureForFreeMemoryAPartCanStillBeChosen() {
    PartTest test;
    test.window.document().setMemory({});
    test.open();
    QVERIFY(test.settles());
    test.window.document().choosePart();
    QVERIFY(test.settles());
    QVERIFY(!test.textOf("startText").contains("free"));
    QVERIFY(test.textOf("partVerdict").startsWith("Needs about "));
    QCOMPARE(test.part<QPushButton>("openEverything").text(), QString("Open everything"));
  }

  void everyControlIsReachedByKeysAndHasAName() {
    PartTest test;
    test.open();
    QVERIFY(test.settles());
    test.window.document().choosePart();
    QVERIFY(test.settles());
    test.python().setChecked(true);
    QSet<QWidget*> reached;
    for (QWidget* widget = &test.python(); !reached.contains(widget); widget = QApplication::focusWidget()) {
      reached << widget;
      QTest::keyClick(widget, Qt::Key_Tab);
    }
    int controls = 0;
    for (QWidget* widget : test.page().findChildren<QWidget*>()) {
      const auto* button = qobject_cast<QAbstractButton*>(widget);
      const auto* box = qobject_cast<QSpinBox*>(widget);
      if (!button && !box) continue;
      ++controls;
      QVERIFY(reached.contains(widget));
      QVERIFY(!(button ? button->text() : box->accessibleName()).isEmpty());
    }
    QCOMPARE(controls, 9);
    QVERIFY(reached.contains(&test.part<QLineEdit>("rankList")));
  }

  void someRanksCanBeOpened() {
    PartTest test;
    test.open();
    QVERIFY(test.settles());
    test.window.document().choosePart();
    QVERIFY(test.settles());
    auto& ranks = test.part<QCheckBox>("onlyRanks");
    auto& list = test.part<QLineEdit>("rankList");
    QTRY_COMPARE(test.textOf("ranksFigure"), QString("ranks 0, 1"));
    QCOMPARE(list.text(), QString("0, 1"));
    list.setFocus();
    list.selectAll();
    QTest::keyClicks(&list, "x");
    QCOMPARE(test.textOf("ranksFigure"), QString("write ranks as 0-3, 8"));
    QVERIFY(ranks.isChecked());
    QVERIFY(!test.openButton().isEnabled());
    list.selectAll();
    QTest::keyClicks(&list, "7");
    QCOMPARE(test.textOf("ranksFigure"), QString("the job has ranks 0, 1"));
    QVERIFY(!test.openButton().isEnabled());
    list.selectAll();
    QTest::keyClicks(&list, "1");
    QVERIFY2(test.textOf("ranksFigure").startsWith("ranks 0, 1 · saves "),
             qPrintable(test.textOf("ranksFigure")));
    const std::uint64_t needed = test.page().needed(test.page().chosen());
    QVERIFY(needed > test.need({}) / 3 && needed < test.need({}) * 2 / 3);
    QTest::keyClick(&list, Qt::Key_Return);
    QVERIFY(test.settles());
    QVERIFY(!test.page().isVisible());
    QCOMPARE(test.trace()->ranks().size(), std::size_t{1});
    QCOMPARE(test.trace()->rank(RankIndex(0)).rank, 1);
    QVERIFY2(test.summary().startsWith("rank 1 · 1 of 2 ranks"), qPrintable(test.summary()));
    // Asked again, the page shows the open part.
    test.window.document().choosePart();
    QVERIFY(test.settles());
    QVERIFY(ranks.isChecked());
    QCOMPARE(list.text(), QString("1"));
  }

  void aPartIsNamedInAFewWords() {
    QCOMPARE(partText({}), QString());
    QCOMPARE(partText({{true, true, LoadFilter::Steps{3, 5}}, {}}),
             QString("without Python stack · without CPU operators · steps 3 to 5"));
    QCOMPARE(partText({{false, false, LoadFilter::Steps{4, 4}}, {}}), QString("step 4"));
    QCOMPARE(partText({{.ranks = {0, 1, 2, 8}}, {}}), QString("ranks 0-2, 8"));
    QCOMPARE(partText({{.ranks = {3}}, 2}), QString("rank 3 · capture 2"));
  }
};

RANKSCOPE_UI_TEST(LoadPartTest)
#include "load_part_test.moc"
