// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of a rank as lanes: memory that PyTorch recorded (ui/timeline/lanes/memory_lane) and counters that
// the file has (ui/timeline/lanes/file_counter_lane, ui/timeline/lanes/level_lane).
#include "core/base/unit_text.h"
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"

#include <QImage>
#include <QTest>

#include <string>
#include <string_view>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

// A step of 10 ms. From 1 ms on 512 MiB of 1 GiB reserved are allocated, from 5 ms on 128 MiB; a counter of
// the file is 5 from 2 ms and 20 from 6 ms on.
std::string countersText(int worldSize = 1) {
  test::TraceText trace;
  trace.distributedInfo(0, worldSize).addStep(1, 0, 10 * kMs).addKernel(0, 7, kMs, 8 * kMs, "gemm");
  trace.addMemory(100, kMs, 512 * kMiB, 512 * kMiB, 1024 * kMiB);
  trace.addMemory(100, 5 * kMs, -384 * kMiB, 128 * kMiB, 1024 * kMiB);
  trace.addRaw(R"({"ph":"C","name":"depth","pid":0,"tid":0,"ts":2000,"args":{"value":5}})");
  trace.addRaw(R"({"ph":"C","name":"depth","pid":0,"tid":0,"ts":6000,"args":{"value":20}})");
  return trace.text();
}

struct Counters : Shown {
  explicit Counters(const std::vector<std::string>& ranks = {countersText()}) : Shown(load(ranks)) {
    drawAll(view, session);
  }

  const Lane* laneOf(const char* kind) {
    for (const Lane& lane : view.trackLayout().lanes())
      if (lane.kind->traits().id == std::string_view(kind)) return &lane;
    return nullptr;
  }
  QPoint at(const Lane& lane, TimeNs time) {
    return {static_cast<int>(canvas().xOf(origin() + time)) + 1,
            lane.top + lane.height / 2 - canvas().scrollTop()};
  }
  QString textAt(const Lane& lane, TimeNs time) {
    hover(at(lane, time));
    return canvas().hoverText();
  }
};

QString bytes(std::int64_t size) {
  return QString::fromStdString(bytesText(size));
}

} // namespace

class CounterLanesTest : public QObject {
  Q_OBJECT

 private slots:
  void memoryTellsWhatIsAllocatedAndReserved() {
    Counters shown;
    const Lane* const lane = shown.laneOf("memory");
    QVERIFY(lane);
    const QString high = shown.textAt(*lane, 3 * kMs);
    QVERIFY2(high.contains(bytes(512 * kMiB)) && high.contains(bytes(1024 * kMiB)), qPrintable(high));
    const QString low = shown.textAt(*lane, 7 * kMs);
    QVERIFY2(low.contains(bytes(128 * kMiB)) && low.contains(bytes(1024 * kMiB)), qPrintable(low));
  }

  void memoryOfTheHostIsNamedSo() {
    test::TraceText host;
    host.distributedInfo(0, 1).addStep(1, 0, 10 * kMs).addKernel(0, 7, kMs, 8 * kMs, "gemm");
    host.addRaw(R"({"ph":"i","name":"[memory]","cat":"cpu_instant_event","s":"t","pid":1,"tid":1,"ts":1000,)"
                R"("args":{"Total Allocated":8,"Total Reserved":0,"Bytes":8,"Addr":16,"Device Type":0,)"
                R"("Device Id":-1}})");
    Counters shown({host.text()});
    const Lane* const lane = shown.laneOf("memory");
    QVERIFY(lane);
    QVERIFY(shown.textAt(*lane, 5 * kMs).startsWith(QStringLiteral("CPU memory")));
    Counters device;
    QVERIFY(device.textAt(*device.laneOf("memory"), 5 * kMs).startsWith(QStringLiteral("memory")));
  }

  void memoryIsPaintedAsHighAsItsShareOfThePeak() {
    Counters shown;
    const Lane* const lane = shown.laneOf("memory");
    QVERIFY(lane);
    const QImage picture = shown.picture();
    const int third = lane->bottom() - lane->height / 3 - shown.canvas().scrollTop();
    const int ground = lane->bottom() - 2 - shown.canvas().scrollTop();
    const auto colorAt = [&](TimeNs time, int y) { return picture.pixelColor(shown.at(*lane, time).x(), y); };
    QVERIFY(colorAt(3 * kMs, third) != colorAt(7 * kMs, third)); // a half reaches it, an eighth does not
    QCOMPARE(colorAt(3 * kMs, ground), colorAt(7 * kMs, ground));
    QVERIFY(colorAt(3 * kMs, ground) != colorAt(kMs / 2, ground)); // before the first record is nothing
  }

  void aCounterOfTheFileHoldsItsValueUntilTheNext() {
    Counters shown;
    const Lane* const lane = shown.laneOf("file counter");
    QVERIFY(lane);
    const QString first = shown.textAt(*lane, 4 * kMs);
    QVERIFY2(first.contains(QStringLiteral("depth")) && first.endsWith(QStringLiteral("\n5")),
             qPrintable(first));
    const QString second = shown.textAt(*lane, 8 * kMs);
    QVERIFY2(second.endsWith(QStringLiteral("\n20")), qPrintable(second));
  }

  // The second rank's recording goes on to 20 ms, so the picture does too.
  void valuesEndWithTheirRecording() {
    test::TraceText longer;
    longer.distributedInfo(1, 2).addStep(1, 0, 20 * kMs).addKernel(0, 7, kMs, 18 * kMs, "gemm");
    Counters shown({countersText(2), longer.text()});
    const QImage picture = shown.picture();
    for (const char* kind : {"memory", "file counter"}) {
      const Lane* const lane = shown.laneOf(kind);
      QVERIFY(lane);
      const int ground = lane->bottom() - 2 - shown.canvas().scrollTop();
      const auto colorAt = [&](TimeNs time) { return picture.pixelColor(shown.at(*lane, time).x(), ground); };
      QVERIFY(colorAt(8 * kMs) != colorAt(15 * kMs));
      QCOMPARE(colorAt(15 * kMs), colorAt(kMs / 2)); // as before the first record
      QVERIFY(!shown.textAt(*lane, 15 * kMs).contains(QStringLiteral("20")));
      QVERIFY(!shown.textAt(*lane, 15 * kMs).contains(bytes(128 * kMiB)));
    }
  }
};

RANKSCOPE_UI_TEST(CounterLanesTest)
#include "counter_lanes_test.moc"
