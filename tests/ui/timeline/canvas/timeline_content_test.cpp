// SPDX-License-Identifier: GPL-3.0-or-later
// When the cached picture of the lanes is repainted, and that it contains nothing stale. Covers
// ui/base/appearance, ui/base/revision, ui/timeline/lanes/span_labels and ui/timeline/picture/label_cache
// too.
#include "tests/ui/highlight_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/timeline/canvas/timeline_content.h"

#include <optional>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

// Reuses one address for consecutive objects, as an allocator may.
template <class T> class Place {
 public:
  template <class... Arguments> std::shared_ptr<const T> put(Arguments&&... arguments) {
    m_held.emplace(std::forward<Arguments>(arguments)...);
    return {std::shared_ptr<void>(), &*m_held};
  }

 private:
  std::optional<T> m_held;
};

std::shared_ptr<const TraceSet> loadKernel(const char* name) {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(0, 1);
  trace.addKernel(0, 7, kMs, 8 * kMs, name).addKernel(0, 7, 0, kMs / 2, "first");
  return load({trace.text()});
}

bool shows(const QImage& picture, QRgb color) {
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x)
      if (picture.pixel(x, y) == color) return true;
  return false;
}

} // namespace

class TimelineContentTest : public QObject {
  Q_OBJECT

 private slots:
  void anotherTraceAtTheSameAddressHasItsOwnColorsAndLabels();
  void otherHighlightsAtTheSameAddressArePainted();
  void anotherPaletteIsPaintedAlthoughTheNamesAreTheSame();
  void aKernelForAllOperationsHasTheNameOfItsOwn();
};

void TimelineContentTest::anotherTraceAtTheSameAddressHasItsOwnColorsAndLabels() {
  const auto before = loadKernel("ampere_sgemm_128x64");
  const auto after = loadKernel("flash_fwd_kernel");
  Place<TraceSet> place;
  Shown shown(place.put(*before));
  const QImage first = shown.picture();
  shown.session.setTrace(nullptr);
  shown.session.setTrace(place.put(*after));
  drawAll(shown.view, shown.session);
  const QImage second = shown.picture();
  QVERIFY(first != second);
  QCOMPARE(second, Shown(after).picture());
}

void TimelineContentTest::otherHighlightsAtTheSameAddressArePainted() {
  Shown shown(loadWaitingRanks(2));
  Shown other(loadWaitingRanks(3)); // the same ranks, of which the second one waits too
  Place<JobHighlights> place;
  shown.session.setHighlights(place.put(std::make_shared<const JobReport>(shown.session.analysis())));
  const QImage waiting = shown.picture();
  shown.session.setHighlights(place.put(std::make_shared<const JobReport>(other.session.analysis())));
  QVERIFY(shown.picture() != waiting);
}

void TimelineContentTest::anotherPaletteIsPaintedAlthoughTheNamesAreTheSame() {
  Shown shown(loadKernel("copy_kernel"));
  PendingWork pending;
  RankSummaries summaries(pending);
  TimelineContent content(shown.view.trackLayout(), summaries);
  Theme palette = Theme::of(ThemeName::Dark);
  ContentView view;
  view.trace = shown.session.trace().get();
  view.traceRevision = shown.session.traceRevision();
  view.theme = &palette;
  view.themeRevision = nextRevision();
  view.window = shown.window();
  view.size = QSize(400, 200);
  QVERIFY(!shows(content.picture(view), qRgb(255, 0, 255)));
  palette.kernel = QColor(255, 0, 255);
  view.themeRevision = nextRevision();
  const QRgb shade = SpanColors(palette, view.trace->names(), ColorBy::Kind)
                         .of(*view.trace->rank(RankIndex(0)).trace, shown.find("copy_kernel").event, nullptr);
  QVERIFY(shows(content.picture(view), shade));
  const std::uint64_t painted = content.paintCount();
  static_cast<void>(content.picture(view));
  QCOMPARE(content.paintCount(), painted);
}

// RCCL has one kernel for all.
void TimelineContentTest::aKernelForAllOperationsHasTheNameOfItsOwn() {
  const auto pictureOf = [](const std::string& kernel, const std::string& operation) {
    test::TraceText trace;
    trace.baseTime(kBase).distributedInfo(0, 2);
    trace.addKernel(0, 20, 0, 8 * kMs, kernel, -1,
                    "\"Collective name\": \"" + operation + "\", \"Group size\": 2");
    return Highlighted(load({trace.text()})).picture();
  };
  const QImage named = pictureOf("ncclDevKernel_AllReduce", "allreduce");
  QCOMPARE(pictureOf("ncclDevKernel_Generic", "allreduce"), named);
  QVERIFY(pictureOf("ncclDevKernel_Generic", "") != named);
}

RANKSCOPE_UI_TEST(TimelineContentTest)
#include "timeline_content_test.moc"
