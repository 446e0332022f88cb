// SPDX-License-Identifier: GPL-3.0-or-later
// What stands still in time moves by whole pixels when the timeline is panned, and nothing of it changes: no
// column folds differently, no shade, stripe or separator comes or goes, at the borders neither.
#include "core/io/load/trace_loader.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/settling.h"
#include "tests/ui/ui_test.h"
#include "ui/job/job_highlights.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/canvas/timeline_content.h"

#include <QApplication>
#include <QTest>

#include <algorithm>
#include <array>
#include <memory>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

constexpr int kWidth = 701;
// Of a row's lane: further down are labels, which stand where there is room for them.
constexpr int kLinesAboveLabels = 2;

std::shared_ptr<const TraceSet> generated(test::Parallelism parallelism) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 4;
  options.layers = 12;
  options.parallelism = parallelism;
  options.straggler = {2, 3'000'000, 0, test::StragglerKind::Compute};
  options.gaps = {{-1, 2, 4'000'000, test::GapCause::DataLoader}};
  test::generateJob(options, folder.path());
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded) qFatal("%s", loaded.error().text().c_str());
  return loaded.value();
}

// A job with everything known about it, its first rank open with all its tracks, and its picture in any
// window.
struct Panned {
  std::shared_ptr<const TraceSet> trace;
  TraceSession session;
  TrackLayout layout;
  RankSummaries summaries{session.pending()};
  TimelineContent content{layout, summaries};
  ContentView view;

  explicit Panned(test::Parallelism parallelism) : trace(generated(parallelism)) {
    session.setTrace(trace);
    session.setHighlights(
        std::make_shared<const JobHighlights>(std::make_shared<const JobReport>(session.analysis())));
    TimelineChoice choice;
    choice.open[keyOf(*trace, RankIndex(0))] = true;
    choice.open[keyOf(*trace, RankIndex(0), "more")] = true;
    layout.update(trace, choice);
    summaries.setAnalysis(session.analysis());
    static_cast<void>(summaries.countersOf(RankIndex(0)));
    if (!settles(session.pending())) qFatal("the summaries do not settle");
    view.trace = trace.get();
    view.traceRevision = session.traceRevision();
    view.size = QSize(kWidth, layout.height());
    view.layoutRevision = layout.revision();
    view.highlights = session.highlights().get();
    view.highlightsRevision = session.highlightsRevision();
  }

  [[nodiscard]] QImage picture(TimeRange window) {
    view.window = window;
    return content.picture(view).copy();
  }
  // Lines of the picture that hold no text.
  [[nodiscard]] std::vector<std::pair<int, int>> textlessLines() const {
    std::vector<std::pair<int, int>> lines;
    for (const Lane& lane : layout.lanes()) {
      const bool labelled = lane.row.valid() && !lane.thin;
      lines.emplace_back(lane.top, labelled ? lane.top + kLinesAboveLabels : lane.bottom());
    }
    return lines;
  }
  // Where two pictures differ that show the same columns, the later one `pixels` further on; empty when
  // nowhere.
  [[nodiscard]] QString difference(const QImage& earlier, const QImage& later, int pixels) const {
    const int first = std::max(0, -pixels);
    const int last = std::min(kWidth, kWidth - pixels);
    for (const auto& [top, bottom] : textlessLines()) {
      for (int y = top; y < bottom; ++y) {
        const auto* const before = reinterpret_cast<const QRgb*>(earlier.constScanLine(y));
        const auto* const after = reinterpret_cast<const QRgb*>(later.constScanLine(y));
        for (int x = first; x < last; ++x) {
          if (before[x + pixels] == after[x]) continue;
          return QStringLiteral("pixel %1 of line %2 (%3 lines below its lane's top, %4): %5, was %6")
              .arg(x)
              .arg(y)
              .arg(y - top)
              .arg(layout.laneAt(y)->kind->traits().id.data())
              .arg(after[x], 0, 16)
              .arg(before[x + pixels], 0, 16);
        }
      }
    }
    return {};
  }
};

} // namespace

class TimelinePanTest : public QObject {
  Q_OBJECT

 private slots:
  void whatIsPannedStaysAsItWas_data();
  void whatIsPannedStaysAsItWas();
  void aPanByPartsOfAPixelMovesWholeColumns_data() { whatIsPannedStaysAsItWas_data(); }
  void aPanByPartsOfAPixelMovesWholeColumns();
};

void TimelinePanTest::whatIsPannedStaysAsItWas_data() {
  QTest::addColumn<int>("parallelism");
  QTest::addColumn<int>("depth"); // how many windows make the job
  for (const auto& [parallelism, name] : {std::pair(test::Parallelism::Data, "data parallel"),
                                          std::pair(test::Parallelism::FullySharded, "fully sharded")}) {
    for (const int depth : {1, 2, 7, 60, 900, 20'000})
      QTest::addRow("%s, 1/%d of the job", name, depth) << static_cast<int>(parallelism) << depth;
  }
}

void TimelinePanTest::whatIsPannedStaysAsItWas() {
  QFETCH(const int, parallelism);
  QFETCH(const int, depth);
  Panned panned(static_cast<test::Parallelism>(parallelism));
  const TimeRange all = panned.trace->extent();
  const TimeNs length = all.length() / depth;
  TimeRange window{all.begin + all.length() / 3, all.begin + all.length() / 3 + length};
  QImage earlier = panned.picture(window);
  for (const int pixels : {1, 1, 2, 3, 17, -1, -5, 100, -250, 1, 400, 1, 1}) {
    window = PixelScale(window, kWidth).windowPannedBy(pixels);
    const QImage later = panned.picture(window);
    const QString difference = panned.difference(earlier, later, pixels);
    QVERIFY2(difference.isEmpty(), qPrintable(QStringLiteral("by %1: %2").arg(pixels).arg(difference)));
    earlier = later;
  }
}

void TimelinePanTest::aPanByPartsOfAPixelMovesWholeColumns() {
  QFETCH(const int, parallelism);
  QFETCH(const int, depth);
  Panned panned(static_cast<test::Parallelism>(parallelism));
  const TimeRange all = panned.trace->extent();
  const TimeNs length = all.length() / depth;
  TimeRange window{all.begin + all.length() / 3, all.begin + all.length() / 3 + length};
  QImage earlier = panned.picture(window);
  int moved = 0;
  for (const int percent : {30, 30, 30, 30, -70, -50, 140, 270, 55, -20}) {
    const TimeNs shift = length * percent / (100 * kWidth);
    const PixelScale before(window, kWidth);
    window = {window.begin + shift, window.end + shift};
    const int pixels = before.pixelAt(window.begin);
    const QImage later = panned.picture(window);
    const QString difference = panned.difference(earlier, later, pixels);
    QVERIFY2(difference.isEmpty(), qPrintable(QStringLiteral("by %1 %: %2").arg(percent).arg(difference)));
    earlier = later;
    moved += std::abs(pixels);
  }
  QVERIFY(moved >= 4);
}

RANKSCOPE_UI_TEST(TimelinePanTest)
#include "timeline_pan_test.moc"
