// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes of all ranks of a job of many ranks with captures that are an hour apart. Covers
// ui/timeline/lanes/band_lane too.
#include "ui/timeline/ranks/rank_bands.h"

#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

constexpr TimeNs kHour = 3'600'000 * kMs;
constexpr int kManyRanks = static_cast<int>(kRanksForBands);

// Compute from 1 to 4 ms, exposed communication from 6 to 9 ms; the odd rank computes all the time.
std::string captureText(int rank, int capture, int ranks, bool odd) {
  test::TraceText trace;
  trace.baseTime(kBase + capture * kHour).distributedInfo(rank, ranks);
  trace.addStep(capture + 1, 0, 10 * kMs);
  trace.addKernel(0, 7, kMs, odd ? 8 * kMs : 3 * kMs, "gemm");
  trace.addCollective(0, 20, 6 * kMs, 3 * kMs, "allreduce", 1024, ranks);
  return trace.text();
}

std::shared_ptr<const TraceSet> jobOfCaptures(int ranks, int captures, int odd = -1) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < ranks; ++rank)
    for (int capture = 0; capture < captures; ++capture)
      texts.push_back(captureText(rank, capture, ranks, rank == odd));
  return load(texts);
}

} // namespace

class RankBandsTest : public QObject {
  Q_OBJECT

 private slots:
  void areOfManyRanksAndNotOfManyRecordings() {
    QVERIFY(hasBands(*jobOfCaptures(kManyRanks, 1)));
    QVERIFY(!hasBands(*jobOfCaptures(kManyRanks / 2, 2)));
  }

  void everyCaptureHasTheSharesOfAllRanks() {
    Shown shown(jobOfCaptures(kManyRanks, 2, 5));
    const RankBands bands = rankBands(*shown.session.analysis(), 1);
    const RankBand& compute = bands.of(BandOf::Compute);
    const RankBand& exposed = bands.of(BandOf::ExposedCommunication);
    for (const RankIndex recording : {RankIndex(0), RankIndex(1)}) {
      const TimeNs begin = shown.session.trace()->rank(recording).trace->extent.begin;
      const std::size_t computes = bands.partAt(begin + 2 * kMs);
      QCOMPARE(int(compute.least[computes]), 255);
      QCOMPARE(int(exposed.most[computes]), 0);
      const std::size_t communicates = bands.partAt(begin + 8 * kMs);
      QCOMPARE(int(exposed.median[communicates]), 255);
      QCOMPARE(int(exposed.least[communicates]), 0);
      QCOMPARE(exposed.leastRank[communicates], 5);
      QCOMPARE(int(compute.median[communicates]), 0);
      QCOMPARE(compute.mostRank[communicates], 5);
    }
    // Shares of what was recorded of the rank, in both captures, and one outlier.
    QCOMPARE(exposed.odd.size(), std::size_t{1});
    QCOMPARE(exposed.odd.front().rank, 5);
    QVERIFY(std::abs(exposed.meanShare - 3.0 / 8) < 0.01);
  }

  void theLaneShowsEveryCapture() {
    Shown shown(jobOfCaptures(kManyRanks, 2));
    const auto& layout = shown.view.trackLayout();
    const auto section = std::ranges::find(layout.sections(), std::string("band/exposed"),
                                           [](const Section& of) { return of.key.id; });
    QVERIFY(section != layout.sections().end());
    const QImage picture = shown.picture();
    const double ratio = picture.devicePixelRatio();
    const int bottom = static_cast<int>((section->top + section->height - 3) * ratio);
    const QRgb ground = shown.session.theme().background.rgb();
    for (const RankIndex recording : {RankIndex(0), RankIndex(1)}) {
      const TraceSet& traces = *shown.session.trace();
      const RankTrace& trace = *traces.rank(recording).trace;
      const auto xOf = [&](TimeNs time) {
        return static_cast<int>(shown.canvas().xOf(time + shown.session.shiftOf(recording)));
      };
      const int communicates = xOf(trace.extent.begin + 8 * kMs);
      const int computes = xOf(trace.extent.begin + 3 * kMs);
      QVERIFY(picture.pixel(static_cast<int>(communicates * ratio), bottom) != ground);
      QCOMPARE(picture.pixel(static_cast<int>(computes * ratio), bottom), ground);
      shown.hover({communicates, section->top + section->height / 2});
      QVERIFY2(shown.canvas().hoverText().contains("median 100 %"), qPrintable(shown.canvas().hoverText()));
    }
  }
};

RANKSCOPE_UI_TEST(RankBandsTest)
#include "rank_bands_test.moc"
