// SPDX-License-Identifier: GPL-3.0-or-later
// Lane kinds are pluggable: a kind defined by this test is laid out, painted, hovered and arranged like
// the others. Covers ui/timeline/lanes/lane, ui/timeline/lanes/lane_kind, ui/timeline/lanes/lane_kinds,
// ui/timeline/lanes/lane_facts, ui/timeline/lanes/lane_picture, ui/timeline/lanes/straggler_badge and
// ui/timeline/lanes/group_lane too.
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/timeline/canvas/timeline_content.h"
#include "ui/timeline/canvas/timeline_hit.h"
#include "ui/timeline/lanes/lane_header.h"
#include "ui/timeline/lanes/straggler_badge.h"

#include <algorithm>
#include <set>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

constexpr QRgb kPaint = qRgb(1, 2, 3);

// One lane about the job, and one of each rank beside its counters.
class PlannedLanes : public LaneKind {
 public:
  PlannedLanes() : LaneKind({.id = "planned"}) {}

  void addItems(const TraceSet& traces, RankIndex rank, std::vector<LaneItem>& items) const override {
    LaneItem item;
    item.kind = this;
    item.place = LanePlace::Counters;
    item.label = QStringLiteral("planned");
    item.key = rank.valid() ? keyOf(traces, rank, "planned") : TrackKey{-1, 0, "planned"};
    items.push_back(item);
  }
  int height() const override { return 30; }
  void paint(LanePicture& picture, const Lane& lane) const override {
    const auto [top, bottom] = picture.linesOf(lane);
    picture.raster.fillLines(top, bottom - top, kPaint);
  }
  LaneHit hitAt(const LaneFacts&, const Lane& lane, const PixelScale& scale, std::int32_t column,
                int y) const override {
    LaneHit hit{.lane = &lane, .event = {}, .idle = std::nullopt};
    if (y < 10) hit.idle = TimeRange{scale.timeAt(column), scale.timeAt(column) + 1};
    return hit;
  }
  QString textAt(const LaneFacts&, const Lane& lane, TimeRange) const override {
    return lane.rank.valid() ? QStringLiteral("as planned") : QStringLiteral("the whole job");
  }
};

// A job laid out with that kind too.
struct WithPlans {
  PlannedLanes planned;
  std::vector<const LaneKind*> kinds{&planned};
  std::shared_ptr<const TraceSet> trace = loadRanks(2);
  TraceSession session;
  RankSummaries summaries{session.pending()};
  TimelineChoice choice;
  std::optional<TrackLayout> layout;
  std::optional<TrackLayout> pinned;

  WithPlans() {
    kinds.insert(kinds.end(), laneKinds().begin(), laneKinds().end());
    layout.emplace(LayoutPart::All, kinds);
    pinned.emplace(LayoutPart::Pinned, kinds);
    session.setTrace(trace);
    summaries.setAnalysis(session.analysis());
    if (!settles(session.pending())) qFatal("the summaries do not settle");
    update();
  }
  void update() {
    layout->update(trace, choice);
    pinned->update(trace, choice);
  }
  [[nodiscard]] QStringList ids(const TrackLayout& of) const {
    QStringList ids;
    for (const Section& section : of.sections()) ids << QLatin1String(section.kind->traits().id.data());
    return ids;
  }
  [[nodiscard]] const Lane& lane(RankIndex rank) const {
    return *std::ranges::find_if(
        layout->lanes(), [&](const Lane& lane) { return lane.kind == &planned && lane.rank == rank; });
  }
};

} // namespace

class LanesTest : public QObject {
  Q_OBJECT

 private slots:
  void everyKindHasATitle();
  void aNewKindAppearsAtItsPosition();
  void itIsHiddenPinnedAndFilteredLikeOthers();
  void itPaintsItsLines();
  void itAnswersTheMouse();
  void theLaneOfAGroupSaysWhatItShows();
  void whatStandsBesideTheBadgeOfAStragglerIsWhole();
  void everyFigureOfTheBadgeIsPerStep();
};

void LanesTest::everyKindHasATitle() {
  std::set<std::string_view> ids;
  for (const LaneKind* const kind : laneKinds()) ids.insert(kind->traits().id);
  QCOMPARE(ids.size(), laneKinds().size());
}

void LanesTest::aNewKindAppearsAtItsPosition() {
  const WithPlans plans;
  const QStringList ids = plans.ids(*plans.layout);
  // Of the job above all ranks, then the open rank with the counters below its rows, then the folded one.
  QCOMPARE(ids.first(), QStringLiteral("planned"));
  QVERIFY(!plans.layout->sections().front().rank.valid());
  QCOMPARE(ids.at(1), QStringLiteral("expanded rank"));
  QCOMPARE(ids.last(), QStringLiteral("collapsed rank"));
  const auto ofRank = ids.indexOf(QStringLiteral("planned"), 1);
  QCOMPARE(ids.at(ofRank - 1), QStringLiteral("row"));
  QCOMPARE(ids.at(ofRank + 1), QStringLiteral("busy"));
  QCOMPARE(plans.lane(RankIndex(0)).height, 30);
  QVERIFY(!plans.layout->rankAt(plans.lane({}).top).valid());
}

void LanesTest::itIsHiddenPinnedAndFilteredLikeOthers() {
  WithPlans plans;
  const TrackKey ofJob{-1, 0, "planned"};
  const TrackKey ofRank = keyOf(*plans.trace, RankIndex(0), "planned");
  QVERIFY(plans.layout->sectionOf(ofJob) && plans.layout->sectionOf(ofRank));
  plans.choice.pinned = {ofJob, ofRank};
  plans.choice.setHidden(ofRank, true);
  plans.update();
  QVERIFY(!plans.layout->sectionOf(ofRank));
  QCOMPARE(plans.layout->hiddenCount(), 1);
  QCOMPARE(plans.ids(*plans.pinned), QStringList({"planned", "planned"}));
  QCOMPARE(plans.pinned->sections().front().label, QStringLiteral("planned"));
  QCOMPARE(plans.pinned->sections().back().label, QStringLiteral("R0  planned"));
  plans.choice = {};
  plans.choice.filter = QStringLiteral("stream");
  plans.update();
  QVERIFY(!plans.layout->sectionOf(ofJob));
}

void LanesTest::itPaintsItsLines() {
  const WithPlans plans;
  TimelineContent content(*plans.layout, plans.summaries);
  ContentView view;
  view.trace = plans.trace.get();
  view.traceRevision = plans.session.traceRevision();
  view.window = plans.session.window();
  view.size = QSize(300, plans.layout->height());
  const QImage picture = content.picture(view);
  for (const RankIndex rank : {RankIndex(), RankIndex(0)}) {
    const Lane& lane = plans.lane(rank);
    QCOMPARE(picture.pixel(150, lane.top), kPaint);
    QCOMPARE(picture.pixel(150, lane.bottom() - 1), kPaint);
    QVERIFY(picture.pixel(150, lane.bottom()) != kPaint);
  }
}

void LanesTest::itAnswersTheMouse() {
  const WithPlans plans;
  const LaneFacts facts = laneFacts(plans.session, plans.summaries);
  const PixelScale scale(plans.session.window(), 1000);
  const auto textAt = [&](RankIndex rank, int y) {
    const LaneHit hit = hitAt(facts, *plans.layout, scale, 400, plans.lane(rank).top + y);
    return describe(facts, hit, scale, 400);
  };
  QCOMPARE(textAt({}, 20), QStringLiteral("the whole job"));
  QCOMPARE(textAt(RankIndex(0), 20), QStringLiteral("as planned"));
  QVERIFY(textAt(RankIndex(0), 5).startsWith(QStringLiteral("GPU idle")));
}

void LanesTest::theLaneOfAGroupSaysWhatItShows() {
  Shown shown(loadRanks(2));
  shown.session.editChoice([](TimelineChoice& choice) { choice.grouping = QStringLiteral("host"); });
  const Section& group = shown.view.trackLayout().sections().front();
  QCOMPARE(group.kind->traits().id, "group");
  shown.hover({400, group.top + group.height / 2});
  QVERIFY(shown.canvas().hoverText().contains(QStringLiteral("ranks 0-1")));
  QVERIFY(shown.canvas().hoverText().contains(QStringLiteral("mean of the ranks")));
  shown.click({400, group.top + group.height / 2});
  QVERIFY(!shown.session.selection().valid());
}

// A text that is cut to a letter says nothing, so the badge becomes shorter or stands alone.
void LanesTest::whatStandsBesideTheBadgeOfAStragglerIsWhole() {
  Shown shown(loadRanks(2));
  const RankSummaries summaries(shown.session.pending());
  const LaneFacts facts{*shown.session.trace(), summaries};
  const Theme& theme = shown.session.theme();
  TextCache titles(textFont(12));
  TextCache texts(textFont(11));
  const Gain gain{2'000'000, 2'000'000};
  // The rightmost column that is painted, from the end of the room on.
  const auto endOf = [&](int room, const QStringList& beside) {
    QImage image(600, 24, QImage::Format_RGB32);
    image.fill(Qt::black);
    QPainter painter(&image);
    HeaderPicture picture{painter, theme, facts, {}, titles, titles, texts};
    paintStraggler(picture, gain, {0, 0, 600, 24}, {100, 1, room, 22}, beside);
    painter.end();
    for (int x = image.width() - 1; x > 0; --x)
      for (int y = 0; y < image.height(); ++y)
        if (image.pixel(x, y) != qRgb(0, 0, 0)) return x;
    return 0;
  };
  const QStringList host{QStringLiteral("node-with-a-name"), QStringLiteral("H100")};
  const int alone = endOf(480, {});
  const int whole = endOf(480, host);
  const int hostEnd = endOf(480, {host.front()});
  QVERIFY(alone < hostEnd && hostEnd < whole && whole < 580);
  // All of it, then the first text, then a shorter badge before it, then the badge alone.
  QCOMPARE(endOf(whole - 100 + 2, host), whole);
  QCOMPARE(endOf(hostEnd - 100 + 2, host), hostEnd);
  const int shorter = endOf(hostEnd - 100 - 10, host);
  QVERIFY(alone < shorter && shorter < hostEnd);
  QCOMPARE(endOf(alone - 100 + 2, host), alone);
}

void LanesTest::everyFigureOfTheBadgeIsPerStep() {
  for (const QString& text : stragglerBadges({172'000'000, 172'000'000}))
    QVERIFY2(text == QStringLiteral("straggler") || text.endsWith(QStringLiteral("172 ms/step")),
             qPrintable(text));
}

RANKSCOPE_UI_TEST(LanesTest)
#include "lanes_test.moc"
