// SPDX-License-Identifier: GPL-3.0-or-later
// Search by the user: typing, Enter, the list, and the dimmed timeline.
#include "core/query/event_search.h"
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/actions/actions.h"
#include "ui/base/contrast.h"
#include "ui/base/theme.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/find_tools.h"
#include "ui/details/search_field.h"
#include "ui/details/search_hits_model.h"
#include "ui/details/search_panel.h"
#include "ui/job/event_finder.h"
#include "ui/timeline/picture/search_marks.h"
#include "ui/window/title_bar.h"

#include <QFile>
#include <QHeaderView>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>

#include <random>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

// The timeline with everything that belongs to searching.
struct Searching : Shown {
  QMenu menu;
  TitleBar title{&menu, &menu};
  BottomPanel bottom;
  EventFinder finder{session};
  SearchField field{session, finder};
  FindTools find{session, finder, field, view, bottom, view.actions()};

  explicit Searching(std::shared_ptr<const TraceSet> trace) : Shown(std::move(trace)) {
    title.addSearch(&field);
    title.show();
    bottom.resize(1000, 300);
    bottom.show();
  }

  void type(const QString& text) {
    field.setFocus();
    field.selectAll();
    QTest::keyClicks(&field, text);
  }
  [[nodiscard]] bool settles() { return ui::settles(session.pending()); }
  void look(const QString& text) {
    type(text);
    QVERIFY(settles());
  }
  [[nodiscard]] std::uint64_t count() { return finder.sums().count; }
};

} // namespace

class SearchTest : public QObject {
  Q_OBJECT

 private slots:
  void typingFindsWhileOneTypes();
  void slashBringsTheKeyboardIntoTheFieldAndEscapeBack();
  void theHintOfTheFieldIsReadAndWhole();
  void enterWalksTheHitsOfAllRanksInOrderOfTime();
  void enterWaitsForASearchThatRuns();
  void theTimelineWalksHitsByEnterToo();
  void theLineAboveTheListSumsTheHits();
  void theListIsSortedByAnyColumnAndGoesToAHit();
  void aBadQueryShowsErrorAndPosition();
  void whatIsNoHitStepsBackAndHitsCarryALine();
  void overviewAndRulerShowWhereHitsAre();
  void marksCoverExactlyThePixelsOfHits();
  void hitsFollowRanksThatArriveAndEndWithTheJob();
  void theListHoldsNoTexts();
  void allHitsAreExportedWithExactTimesInTheOrderOfTheList();
};

void SearchTest::typingFindsWhileOneTypes() {
  Searching shown(loadRanks(2));
  shown.look(QStringLiteral("sgem"));
  QCOMPARE(shown.count(), 4u);
  shown.look(QStringLiteral("sgemm dur>1ms"));
  QCOMPARE(shown.count(), 2u);
  shown.look(QStringLiteral("sgemm dur>1ms rank:1"));
  QCOMPARE(shown.count(), 1u);
  QCOMPARE(shown.field.countText(), QStringLiteral("1"));
  shown.look(QStringLiteral("nothing like this"));
  QCOMPARE(shown.count(), 0u);
  QVERIFY(shown.find.panel().summary().contains(QStringLiteral("No matches")));
}

void SearchTest::slashBringsTheKeyboardIntoTheFieldAndEscapeBack() {
  Searching shown(loadRanks(1));
  QVERIFY(shown.view.actions().run(QStringLiteral("search.focus")));
  shown.look(QStringLiteral("aten"));
  QVERIFY(shown.finder.active());
  QSignalSpy left(&shown.field, &SearchField::left);
  QTest::keyClick(&shown.field, Qt::Key_Escape);
  QVERIFY(!shown.finder.active());
  QCOMPARE(left.count(), 1);
}

void SearchTest::theHintOfTheFieldIsReadAndWhole() {
  Searching shown(loadRanks(1));
  const QString before = qApp->styleSheet();
  const QPalette palette = QApplication::palette();
  for (const ThemeName name : {ThemeName::Dark, ThemeName::Light}) {
    const Theme& theme = Theme::of(name);
    applyTheme(*qApp, theme);
    const QColor hint = shown.field.palette().color(QPalette::PlaceholderText);
    QCOMPARE(hint.alpha(), 255);
    QVERIFY(contrast(hint, theme.background) >= kReadable);
    QCOMPARE(shown.field.palette().color(QPalette::Text), theme.text);
    for (const int width : {160, 200, 300, 420, 630}) {
      shown.field.setFixedWidth(width);
      const QString text = shown.field.placeholderText();
      QVERIFY(text.startsWith(QStringLiteral("Search")));
      QVERIFY(shown.field.fontMetrics().horizontalAdvance(text) + 20 <= width);
    }
  }
  QApplication::setPalette(palette);
  qApp->setStyleSheet(before);
}

void SearchTest::enterWalksTheHitsOfAllRanksInOrderOfTime() {
  Searching shown(loadRanks(2));
  shown.look(QStringLiteral("kind:kernel"));
  QCOMPARE(shown.count(), 6u);
  std::vector<EventRef> walked;
  for (int i = 0; i < 6; ++i) {
    QTest::keyClick(&shown.field, Qt::Key_Return);
    walked.push_back(shown.session.selection());
    QCOMPARE(shown.field.countText(), QStringLiteral("%1 / 6").arg(i + 1));
  }
  const auto beginOf = [&](EventRef event) { return shown.session.rangeOf(event).begin; };
  QVERIFY(std::ranges::is_sorted(walked, {}, beginOf));
  QTest::keyClick(&shown.field, Qt::Key_Return);
  QCOMPARE(shown.session.selection(), walked.front());
  QTest::keyClick(&shown.field, Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(shown.session.selection(), walked.back());
  // Collapsed tracks are expanded.
  const Lane* const lane = shown.view.trackLayout().laneOf(shown.session.selection());
  QVERIFY(lane && lane->row.valid());
}

void SearchTest::enterWaitsForASearchThatRuns() {
  Searching shown(loadRanks(2));
  shown.look(QStringLiteral("aten"));
  const EventRef before = shown.Shown::find("aten::mm");
  shown.session.select(before);
  shown.type(QStringLiteral("kind:kernel rank:1"));
  QVERIFY(shown.finder.running());
  QTest::keyClick(&shown.field, Qt::Key_Return);
  QCOMPARE(shown.session.selection(), before); // what was found for the text before is no match
  QVERIFY(shown.settles());
  QVERIFY(shown.finder.place().has_value());
  QCOMPARE(shown.session.selection().rank, RankIndex(1));
  // Another text takes it back.
  shown.type(QStringLiteral("kind:kernel"));
  QTest::keyClick(&shown.field, Qt::Key_Return);
  shown.type(QStringLiteral("kind:kernel rank:0"));
  const EventRef last = shown.session.selection();
  QVERIFY(shown.settles());
  QCOMPARE(shown.session.selection(), last);
}

void SearchTest::theTimelineWalksHitsByEnterToo() {
  Searching shown(loadRanks(1));
  shown.look(QStringLiteral("aten"));
  shown.press(Qt::Key_Return);
  QCOMPARE(shown.session.selection(), shown.Shown::find("aten::linear"));
  shown.press(Qt::Key_Return);
  QCOMPARE(shown.session.selection(), shown.Shown::find("aten::mm"));
  shown.press(Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(shown.session.selection(), shown.Shown::find("aten::linear"));
}

void SearchTest::theLineAboveTheListSumsTheHits() {
  Searching shown(loadRanks(2));
  shown.look(QStringLiteral("sgemm"));
  const QString line = shown.find.panel().summary();
  for (const char* fact :
       {"4 matches", "on 2 ranks", "total 6.00 ms", "mean 1.50 ms", "min 1.00 ms", "max 2.00 ms"})
    QVERIFY2(line.contains(QLatin1String(fact)), qPrintable(line));
}

void SearchTest::theListIsSortedByAnyColumnAndGoesToAHit() {
  Searching shown(loadRanks(2));
  shown.look(QStringLiteral("kind:device"));
  QTableView& list = shown.find.panel().list();
  const auto durationAt = [&](int row) {
    return shown.session.rangeOf(shown.find.panel().model().hitAt(row)).length();
  };
  QCOMPARE(list.model()->rowCount(), 8);
  list.sortByColumn(SearchHitsModel::kDuration, Qt::DescendingOrder);
  QVERIFY(shown.settles());
  QCOMPARE(durationAt(0), 3 * kMs);
  QCOMPARE(durationAt(7), kMs);
  list.sortByColumn(SearchHitsModel::kDuration, Qt::AscendingOrder);
  QVERIFY(shown.settles());
  QCOMPARE(durationAt(0), kMs);
  const QModelIndex cell = list.model()->index(7, SearchHitsModel::kName);
  list.scrollTo(cell);
  QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(cell).center());
  QCOMPARE(shown.session.selection(), shown.find.panel().model().hitAt(7));
}

void SearchTest::aBadQueryShowsErrorAndPosition() {
  Searching shown(loadRanks(1));
  shown.look(QStringLiteral("sgemm dur>5"));
  QVERIFY(!shown.finder.active());
  QVERIFY2(shown.find.panel().summary().startsWith(QStringLiteral("At character 11: \"5\" is not a time")),
           qPrintable(shown.find.panel().summary()));
  QCOMPARE(shown.field.countText(), QStringLiteral("at 11"));
  // Characters, not bytes, are counted.
  shown.finder.setText(QStringLiteral("µµ rank:x"));
  QCOMPARE(shown.finder.problem()->at, 8);
  shown.look(QStringLiteral("sgemm dur>5us"));
  QVERIFY(!shown.finder.problem());
  QCOMPARE(shown.count(), 2u);
}

void SearchTest::whatIsNoHitStepsBackAndHitsCarryALine() {
  Searching shown(loadRanks(1));
  const QPoint hit = shown.pointOn(shown.Shown::find("void elementwise<float>(int)"), 0.9);
  const QPoint other = shown.pointOn(shown.Shown::find("void ampere_sgemm<float>(int)"), 0.9);
  const QImage before = shown.picture();
  shown.look(QStringLiteral("elementwise"));
  const QImage during = shown.picture();
  QCOMPARE(during.pixel(hit), before.pixel(hit));
  QVERIFY(during.pixel(other) != before.pixel(other));
  const Lane& lane = *shown.view.trackLayout().laneOf(shown.Shown::find("void elementwise<float>(int)"));
  QCOMPARE(during.pixel(hit.x(), lane.top), Theme::of(ThemeName::Dark).text.rgb());
  // Without matches nothing is dimmed.
  shown.look(QStringLiteral("nothing of that name"));
  QCOMPARE(shown.picture(), before);
  shown.finder.setText({});
  QCOMPARE(shown.picture(), before);
}

void SearchTest::overviewAndRulerShowWhereHitsAre() {
  Searching shown(loadRanks(1));
  const auto marked = [&] {
    const QImage all = shown.view.grab().toImage();
    int count = 0;
    const QRgb text = Theme::of(ThemeName::Dark).text.rgb();
    for (int x = 231; x < all.width() - 12; ++x) count += all.pixel(x, 43) == text ? 1 : 0;
    return count;
  };
  QCOMPARE(marked(), 0);
  shown.look(QStringLiteral("kind:kernel"));
  QCOMPARE(marked(), 3);
}

void SearchTest::marksCoverExactlyThePixelsOfHits() {
  const auto job = load({denseText()});
  const RankTrace& trace = *job->rank(RankIndex(0)).trace;
  const std::atomic<bool> goOn{false};
  const SearchHits hits = findEvents(*job, searchQueryFromText("gemm").value(), 1, goOn);
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    const TimeRange all = job->extent();
    const TimeNs from = all.begin + static_cast<TimeNs>(random() % 9'000'000);
    const PixelScale scale({from, from + 1 + static_cast<TimeNs>(random() % 3'000'000)},
                           static_cast<int>(50 + random() % 400));
    std::vector<bool> wanted(static_cast<std::size_t>(scale.width()), false);
    for (const EventIndex event : hits.ranks[0]->events) {
      const TimeRange range = trace.events.range(event);
      const int begin = scale.pixelAt(range.begin);
      for (int x = std::max(0, begin);
           x < std::min(scale.width(), std::max(begin + 1, scale.pixelAt(range.end))); ++x)
        wanted[static_cast<std::size_t>(x)] = true;
    }
    std::vector<MarkSpan> spans;
    markSpans(trace, hits.ranks[0]->events, scale, spans);
    std::vector<bool> marked(wanted.size(), false);
    int drawnTo = -1;
    for (const MarkSpan& span : spans) {
      QVERIFY(drawnTo < span.begin && span.begin < span.end);
      drawnTo = span.end;
      for (int x = span.begin; x < span.end; ++x) marked[static_cast<std::size_t>(x)] = true;
    }
    QCOMPARE(marked, wanted);
  }
}

void SearchTest::hitsFollowRanksThatArriveAndEndWithTheJob() {
  Searching shown(loadRanks(1));
  shown.look(QStringLiteral("sgemm"));
  QCOMPARE(shown.count(), 2u);
  shown.session.setTrace(loadRanks(3));
  QVERIFY(shown.settles());
  QCOMPARE(shown.count(), 6u);
  shown.session.setTrace(nullptr);
  QVERIFY(!shown.finder.active());
  QCOMPARE(shown.find.panel().list().model()->rowCount(), 0);
}

void SearchTest::theListHoldsNoTexts() {
  Searching shown(load({denseText()}));
  shown.look(QStringLiteral("~."));
  const SearchHitsModel& model = shown.find.panel().model();
  QCOMPARE(model.rowCount(), 1000);
  QCOMPARE(model.data(model.index(999, SearchHitsModel::kRank), Qt::DisplayRole).toString(),
           QStringLiteral("Rank 0"));
  QVERIFY(model.data(model.index(0, SearchHitsModel::kDuration), Qt::DisplayRole)
              .toString()
              .endsWith(QStringLiteral("µs")));
  QVERIFY(!model.data(model.index(1000, 0), Qt::DisplayRole).isValid());
}

void SearchTest::allHitsAreExportedWithExactTimesInTheOrderOfTheList() {
  Searching shown(loadRanks(2));
  SearchPanel& panel = shown.find.panel();
  QVERIFY(!panel.canExport());
  shown.look(QStringLiteral("kind:kernel"));
  QVERIFY(panel.canExport());
  panel.list().horizontalHeader()->setSortIndicator(SearchHitsModel::kDuration, Qt::DescendingOrder);
  QVERIFY(shown.settles());
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("hits.csv"));
  QSignalSpy written(&panel, &SearchPanel::written);
  panel.writeHits(path);
  QVERIFY(written.wait(kTimeoutMs));
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
  QCOMPARE(lines.size(), qsizetype{7});
  QVERIFY2(lines[0].startsWith("begin_us,duration_us,name,kind,rank,capture,host,process,thread"), lines[0]);
  for (qsizetype i = 1; i < lines.size(); ++i) {
    const EventRef hit = panel.model().hitAt(static_cast<int>(i) - 1);
    const TimeRange range = shown.session.rangeOf(hit);
    const auto micros = [](TimeNs time) { return QByteArray::number(time / 1000); }; // whole in this job
    const QByteArray begin = micros(range.begin - shown.origin()) + ',' + micros(range.length()) + ',';
    QVERIFY2(lines[i].startsWith(begin), lines[i]);
    QVERIFY2(lines[i].trimmed().endsWith(",0,7"), lines[i]);
  }
  QVERIFY(lines[1].contains("void ampere_sgemm<float>(int),kernel,"));
}

RANKSCOPE_UI_TEST(SearchTest)
#include "search_test.moc"
