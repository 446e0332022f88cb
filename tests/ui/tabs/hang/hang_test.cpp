// SPDX-License-Identifier: GPL-3.0-or-later
// The hang tab, and files that lie beside traces or are opened alone. Covers ui/tabs/hang/hang_data,
// ui/tabs/memory/snapshot_section, ui/tabs/memory/snapshot_columns, ui/tabs/memory/block_scene,
// ui/tabs/memory/block_plot, ui/tabs/memory/address_map, ui/tabs/memory/snapshot_data,
// ui/tabs/memory/roles_section, ui/tabs/memory/role_bands.
#include "core/io/load/job_loader.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/training_snapshot.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/actions/actions.h"
#include "ui/tabs/hang/hang_panel.h"
#include "ui/tabs/memory/memory_panel.h"
#include "ui/tabs/tab_registry.h"
#include "ui/widgets/figure_card.h"
#include "ui/widgets/recipe_card.h"
#include "ui/widgets/tab_row.h"
#include "ui/window/tab_pages.h"

#include <QAbstractItemModel>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QPushButton>
#include <QTabBar>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

// The dump of a rank of three that enqueued and completed so much.
std::string dump(int enqueued, int completed) {
  std::string text =
      R"({"version":"2.9","pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1, 2]"}},)"
      R"("pg_status":{"0":{"last_enqueued_collective":")";
  text += std::to_string(enqueued);
  text += R"(","last_started_collective":"-1","last_completed_collective":")";
  text += std::to_string(completed);
  text += R"("}},"entries":[)";
  for (int sequence = completed + 1; sequence <= enqueued; ++sequence) {
    if (text.back() != '[') text += ',';
    text += R"({"record_id":)" + std::to_string(sequence);
    text +=
        R"(,"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":)" + std::to_string(sequence);
    text +=
        R"(,"profiling_name":"nccl:all_reduce","input_sizes":[[8]],"output_sizes":[[8]],"state":"scheduled",)"
        R"("time_created_ns":1700000000000000000,"retired":false,"is_p2p":false})";
  }
  return text + "]}";
}

struct SideTest : TestWindow {
  SideTest() : TestWindow(loadJob) {}
  void write(const char* name, const std::string& text) const {
    std::ofstream(folder.path() / name, std::ios::binary) << text;
  }
  void writeDumps() const {
    write("nccl_trace_rank_0.json", dump(5, 4));
    write("nccl_trace_rank_1.json", dump(4, 4));
    write("nccl_trace_rank_2.json", dump(5, 4));
  }
  void writeSnapshot() const {
    std::ofstream file(folder.path() / "rank1_snapshot.pickle", std::ios::binary);
    test::writeSnapshot({.entries = 400, .stacks = 20, .frames = 4},
                        [&](std::string_view part) { file << part; });
  }
  [[nodiscard]] HangPanel& hang() { return window.tabs().page<HangPanel>("hang"); }
  [[nodiscard]] MemoryPanel& memory() { return memoryOf(window.tabs()); }
};

} // namespace

class HangTests : public QObject {
  Q_OBJECT
 private slots:
  void dumpsAloneNameTheRankThatNeverCame() {
    SideTest test;
    test.writeDumps();
    QVERIFY(test.opens(pathOf(test.folder.path())));
    QCOMPARE(test.window.tabs().currentPage(), &test.hang());
    QVERIFY(test.settles());
    QCOMPARE(test.hang().verdict(),
             QStringLiteral("Rank 1 never entered all_reduce #5 of default_pg; 2 ranks wait for it."));
    QCOMPARE(test.hang().groups().shownRows(), 3);
    const QAbstractItemModel& groups = test.hang().groups().model();
    QStringList shown;
    for (int column = 0; column < groups.columnCount(); ++column)
      for (int row = 0; row < groups.rowCount(); ++row) shown << groups.index(row, column).data().toString();
    QVERIFY2(shown.contains(QStringLiteral("collective not called")), qPrintable(shown.join(u' ')));
    QCOMPARE(test.hang().waits().shownRows(), 2);
    QCOMPARE(test.hang().stands().shownRows(), 2);
    QVERIFY(test.hang().stack().contains(QStringLiteral("no calls")));
    // All tabs have to do without a recording.
    for (TabPage* const page : test.window.tabs().pages()) QVERIFY(page != nullptr);
    test.window.tabs().prepareAll();
    QVERIFY(test.settles());
  }

  void withoutDumpsTheTabSaysWhatToRecord() {
    SideTest test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(test.shows("hang"));
    QVERIFY(!test.hang().recipe().isHidden());
    test.hang().recipe().copyButton().click();
    QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("TORCH_FR_BUFFER_SIZE=")));
    QVERIFY(test.hang().groups().isHidden());
  }

  void theTabIsInTheBarOnlyWithDumps() {
    SideTest test;
    writeSmallJob(test.folder.path() / "job");
    const int hang = tabNamed(QStringLiteral("hang"));
    const QString action = QStringLiteral("window.hang");
    TabRow& row = test.window.tabRow();
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(row.isAbsent(hang));
    QVERIFY(!row.bar().isTabVisible(hang));
    const std::vector<int> inMenu = row.hidden();
    QVERIFY(std::ranges::find(inMenu, hang) == inMenu.end());
    QVERIFY(!test.window.actions().find(action)->enabled());
    test.writeDumps();
    QVERIFY(test.opens(pathOf(test.folder.path())));
    QVERIFY(!row.isAbsent(hang));
    QVERIFY(row.bar().isTabVisible(hang));
    QVERIFY(test.window.actions().find(action)->enabled());
  }

  void aSnapshotAloneShowsItsBlocksAtTheCursor() {
    SideTest test;
    test.writeSnapshot();
    QVERIFY(test.opens(pathOf(test.folder.path())));
    QCOMPARE(test.window.tabs().currentPage(), static_cast<TabPage*>(&test.memory()));
    QVERIFY(test.settles());
    SnapshotSection& section = test.memory().snapshots();
    QVERIFY(section.isVisible());
    QVERIFY(!test.memory().peakAllocated().isVisible());
    QCOMPARE(section.blocks().shownRows(), 1);
    QVERIFY(!section.plot().picture().image.isNull());
    QVERIFY(section.all().isHidden()); // a single device
    section.setMark(section.cursor());
    section.setCursor(0);
    QVERIFY(test.settles());
    QCOMPARE(section.cursor(), 0);
    QVERIFY(section.groups().shownRows() > 0);
    QCOMPARE(section.segments().shownRows(), 1);
    QVERIFY(section.addresses().contents() != nullptr);
    for (int grouping = 0; grouping < section.grouping().count(); ++grouping) {
      section.grouping().setCurrentIndex(grouping);
      QVERIFY(test.settles());
      QVERIFY(section.groups().shownRows() > 0);
    }
  }

  void blocksAreChosenWithMouseAndKeys() {
    SideTest test;
    test.writeSnapshot();
    QVERIFY(test.opens(pathOf(test.folder.path())));
    QVERIFY(test.settles());
    SnapshotSection& section = test.memory().snapshots();
    BlockPlot& plot = section.plot();
    const QRect area = plot.plot();
    // Whatever is allocated is at the bottom; at some times nothing is.
    QPoint bottom(area.center().x(), area.bottom() - 1);
    while (bottom.x() < area.right() && !plot.blockAt(bottom)) bottom.rx()++;
    QVERIFY(plot.blockAt(bottom).has_value());
    QTest::mouseClick(&plot, Qt::LeftButton, Qt::NoModifier, bottom);
    QVERIFY(test.settles());
    QCOMPARE(section.cursor(), plot.entryAt(bottom));
    QVERIFY(section.stack().contains(QLatin1Char('\n')));
    QVERIFY(plot.tipAt(bottom).contains(QStringLiteral("allocated")));
    const std::int32_t before = section.cursor();
    QTest::keyClick(&plot, Qt::Key_Right);
    QCOMPARE(section.cursor(), before + 1);
    const auto all = plot.range();
    QTest::keyClick(&plot, Qt::Key_Plus);
    QVERIFY(plot.range().second - plot.range().first < all.second - all.first);
    const auto zoomed = plot.range();
    QTest::mousePress(&plot, Qt::LeftButton, Qt::NoModifier, area.center());
    QTest::mouseMove(&plot, area.center() + QPoint(40, 0));
    QTest::mouseRelease(&plot, Qt::LeftButton, Qt::NoModifier, area.center() + QPoint(40, 0));
    QVERIFY(plot.range().first < zoomed.first);
    QTest::keyClick(&plot, Qt::Key_Home);
    QCOMPARE(plot.range(), all);
    section.colors().setCurrentIndex(1);
    section.axis().setCurrentIndex(1);
    QVERIFY(test.settles());
    QVERIFY(!plot.byTime());
    QVERIFY(!plot.picture().image.isNull());
    AddressMap& map = section.addresses();
    QVERIFY(!map.tipAt(QPointF(4, 4)).isEmpty());
    QVERIFY(test.settles());
  }

  void aTrainedModelHasItsRolesAndWhatIsExpected() {
    SideTest test;
    test.write("rank0_snapshot.pickle", test::trainingSnapshot({.outOfMemory = true}));
    QVERIFY(test.opens(pathOf(test.folder.path())));
    QVERIFY(test.settles());
    SnapshotSection& section = test.memory().snapshots();
    QVERIFY(section.sentence().startsWith(QStringLiteral("Out of memory: asked for")));
    QCOMPARE(section.expected().shownRows(), 6);
    QVERIFY(section.timelineButton().isHidden());
    section.grouping().setCurrentIndex(static_cast<int>(BlockGrouping::Role));
    QVERIFY(test.settles());
    QStringList roles;
    for (int row = 0; row < section.groups().shownRows(); ++row)
      roles << section.groups().model().textOf(row, "name");
    QVERIFY(roles.contains(QStringLiteral("optimizer state")));
    QVERIFY(roles.contains(QStringLiteral("before recording")));
    QVERIFY(section.stack().contains(QStringLiteral(".py")) || section.stack().contains(tr("before")));
  }

  void severalSnapshotsStandSideBySide() {
    SideTest test;
    test.writeSnapshot();
    std::filesystem::copy_file(test.folder.path() / "rank1_snapshot.pickle",
                               test.folder.path() / "rank2_snapshot.pickle");
    QVERIFY(test.opens(pathOf(test.folder.path())));
    QVERIFY(test.settles());
    SnapshotSection& section = test.memory().snapshots();
    QVERIFY(section.all().isVisible());
    QCOMPARE(section.all().shownRows(), 2);
    section.devices().setCurrentIndex(1);
    QVERIFY(test.settles());
    QCOMPARE(section.all().selectedRow(), 1);
  }

  void aSnapshotBesideTracesStandsAboveTheirMemory() {
    SideTest test;
    writeSmallJob(test.folder.path());
    test.writeSnapshot();
    test.writeDumps();
    QVERIFY(test.opens(pathOf(test.folder.path())));
    QVERIFY(test.shows("memory"));
    QVERIFY(test.memory().snapshots().isVisible());
    QVERIFY(test.memory().peakAllocated().isVisible());
    QVERIFY(!test.memory().roles().sentence().isEmpty());
    QVERIFY(test.memory().roles().roles().shownRows() > 0);
    QCOMPARE(test.memory().roles().expected().shownRows(), 6);
    QVERIFY(test.memory().roles().phases().shownRows() > 0);
    // The cursor of both curves is one: all roles at it are what was allocated then.
    LinePlot& curve = test.memory().roles().curve();
    emit curve.clicked(-1, (curve.curves().xBegin + curve.curves().xEnd) / 2);
    QVERIFY(test.settles());
    const ResultTableModel& roles = test.memory().roles().roles().model();
    QVERIFY(!roles.table()->isEmpty(0, *roles.table()->columnNamed("at_cursor_bytes")));
    QVERIFY(test.shows("hang"));
    QCOMPARE(test.hang().groups().shownRows(), 3);
  }
};

RANKSCOPE_UI_TEST(HangTests)
#include "hang_test.moc"
