// SPDX-License-Identifier: GPL-3.0-or-later
// The memory tab: metrics of the device with the highest peak, its curve, and live blocks at the cursor.
// Covers ui/tabs/memory/memory_columns and ui/tabs/memory/memory_data too.
#include "core/io/load/job_loader.h"
#include "tests/support/shared_data.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/chart_card.h"
#include "ui/tabs/memory/memory_columns.h"
#include "ui/tabs/memory/memory_panel.h"
#include "ui/tabs/memory/model_sizes.h"
#include "ui/tabs/memory/role_bands.h"
#include "ui/widgets/figure_card.h"
#include "ui/window/tab_pages.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include <algorithm>
#include <fstream>
#include <numeric>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

struct MemoryTest : TestWindow {
  MemoryTest() { writeSmallJob(folder.path() / "job"); }
  [[nodiscard]] bool opensMemory() { return opens(pathOf(folder.path() / "job")) && shows("memory"); }
  [[nodiscard]] MemoryPanel& panel() { return memoryOf(window.tabs()); }
  [[nodiscard]] const Analysis& analysis() { return *panel().analysis(); }
  // The bytes of all rows of a table.
  [[nodiscard]] static std::int64_t sumOf(const TableCard& card, const char* column) {
    const auto& table = card.model().table();
    std::int64_t sum = 0;
    for (std::size_t row = 0; table && row < table->rowCount(); ++row) {
      const Cell cell = table->at(row, *table->columnNamed(column));
      if (const auto* bytes = std::get_if<std::int64_t>(&cell)) sum += *bytes;
    }
    return sum;
  }
};

} // namespace

class MemoryTests : public QObject {
  Q_OBJECT
 private slots:
  // Of a range, its levels alone: what was there before stays, what comes after is not seen.
  void rolesOfARangeAreWithinIt() {
    DeviceRoles device;
    constexpr auto kRole = MemoryRole::Activation;
    device.extent = {0, 1001};
    device.changes = {{0, 50, kRole}, {400, 20, kRole}, {1000, 900, kRole}};
    const auto bytesOf = [](const RoleLevel& level) { return level.bytes[static_cast<std::size_t>(kRole)]; };
    const std::vector<RoleLevel> levels = levelsWithin(device, {100, 500}, 4);
    QCOMPARE(levels.front().x, 100.0);
    QCOMPARE(bytesOf(levels.front()), std::int64_t{50});
    QCOMPARE(levels.back().x, 500.0);
    QCOMPARE(bytesOf(levels.back()), std::int64_t{70});
    for (const RoleLevel& level : levels) QVERIFY(bytesOf(level) <= 70);
    const std::vector<RoleLevel> none = levelsWithin(device, {500, 900}, 4);
    QCOMPARE(none.size(), std::size_t{2});
    QCOMPARE(bytesOf(none.front()), std::int64_t{70});
    QCOMPARE(levelsWithin(device, kAllTime, 4).back().x, 1000.0);
  }

  void noPeakOfRolesIsLostAndLevelsAreSteps() {
    constexpr auto kRole = MemoryRole::Activation;
    const auto place = static_cast<std::size_t>(kRole);
    // Ten peaks of 100 bytes over 10, each for an instant of a second.
    constexpr TimeNs kApart = 100'000'000;
    std::vector<RoleChange> changes{{0, 10, kRole}};
    for (TimeNs peak = 1; peak <= 10; ++peak) {
      changes.push_back({peak * kApart - 1, 90, kRole});
      changes.push_back({peak * kApart, -90, kRole});
    }
    constexpr std::size_t kParts = 50;
    const std::vector<RoleLevel> levels = thinnedRoles({}, changes, kParts);
    for (TimeNs peak = 1; peak <= 10; ++peak) {
      // From its level to the next one it is as wide as a part.
      const auto above = std::ranges::find_if(levels, [&](const RoleLevel& level) {
        return level.bytes[place] == 100 && level.x > static_cast<double>((peak - 1) * kApart);
      });
      QVERIFY(above != levels.end() && above + 1 != levels.end());
      QVERIFY(above->x < static_cast<double>(peak * kApart));
      QVERIFY((above + 1)->x - above->x > static_cast<double>(10 * kApart / kParts) * 0.99);
    }
    // What holds between them stays, and nothing is a slope.
    const auto low = [&](const RoleLevel& level) { return level.bytes[place] == 10; };
    QVERIFY(std::ranges::count_if(levels, low) >= 10);
    Curves curves;
    std::vector<LegendItem> legend;
    addRoleBands(levels, curves, legend);
    QCOMPARE(curves.bands.size(), std::size_t{1});
    const QList<QPointF>& upper = curves.bands.front().upper;
    for (qsizetype i = 1; i < upper.size(); ++i)
      QVERIFY(upper[i].x() == upper[i - 1].x() || upper[i].y() == upper[i - 1].y());
    QCOMPARE(curves.bands.front().lower.size(), upper.size());
  }

  void aTimelineAloneShowsItsPeakAndCategories() {
    TestWindow test(loadJob);
    // Two categories: 100 bytes of parameters all the time, 50 of activations from 1 to 2 ms.
    std::ofstream(test.folder.path() / "memory.raw.json")
        << "[[-1, 1, 100, 0], [1000000, 2, 50, 4], [2000000, 4, -50, 4], [3000000, 2, 10, 4]]";
    QVERIFY(test.opens(pathOf(test.folder.path() / "memory.raw.json")) && test.shows("memory"));
    MemoryPanel& panel = memoryOf(test.window.tabs());
    QCOMPARE(panel.peakAllocated().figure().value, QString::fromStdString(bytesText(150)));
    QVERIFY(!panel.curve().isVisible());
    QVERIFY(panel.roles().roles().isVisible());
    QVERIFY(!panel.roles().expected().isVisible());
  }

  void theDeviceWithTheHighestPeakComesFirstAndItsFiguresAreTheTables() {
    MemoryTest test;
    QVERIFY(test.opensMemory());
    std::int64_t highest = 0;
    for (const RankIndex rank : test.analysis().ranks())
      highest = std::max(highest, test.analysis().memory(rank).peakAllocatedBytes().value_or(0));
    QVERIFY(highest > 0);
    QCOMPARE(test.panel().peakAllocated().figure().value, QString::fromStdString(bytesText(highest)));
    QVERIFY(test.panel().devices().count() >= 3);
    QCOMPARE(test.panel().devices().currentIndex(), 0);
    // The curve reaches the peak and never goes beyond it.
    double maximum = 0;
    for (const QPointF& point : test.panel().curve().curves().curves.front().points)
      maximum = std::max(maximum, point.y());
    QCOMPARE(maximum, static_cast<double>(highest));
  }

  void anotherDeviceIsAnotherCurveAndItsRows() {
    MemoryTest test;
    QVERIFY(test.opensMemory());
    const auto places = memoryPlaces(test.analysis());
    test.panel().devices().setCurrentIndex(1);
    QVERIFY(test.settles());
    const MemoryPlace other = places[1];
    std::int64_t allocated = 0;
    for (const OperatorMemory& op : test.analysis().memory(other.rank).operators)
      if (op.device == other.device) allocated += op.selfAllocationBytes;
    QVERIFY(allocated > 0);
    QCOMPARE(MemoryTest::sumOf(test.panel().operators(), "self_allocation_bytes"), allocated);
    QCOMPARE(test.panel().devices().currentIndex(), 1);
    // A saved picture names the device once.
    QWidget* card = &test.panel().curve();
    while (qobject_cast<ChartCard*>(card) == nullptr) card = card->parentWidget();
    const QString where = test.panel().devices().currentText().section(QStringLiteral(" · "), 0, 1);
    QCOMPARE(QString::fromUtf8(static_cast<ChartCard*>(card)->svg()).count(where), 1);
  }

  void aClickOnTheCurveListsWhatIsAliveThere() {
    MemoryTest test;
    QVERIFY(test.opensMemory());
    LinePlot& curve = test.panel().curve();
    // A little before the peak.
    const QList<QPointF> points = curve.curves().curves.front().points;
    const QPointF peak = *std::ranges::max_element(points, {}, &QPointF::y);
    const QPoint at = curve.placeOf(peak.x(), 0).toPoint() - QPoint(2, 20);
    const auto before = test.panel().blocks().model().table();
    QTest::mouseClick(curve.viewport(), Qt::LeftButton, Qt::NoModifier, at);
    // A worker looks for them: the click is over before they are known.
    QVERIFY(!test.window.pending().idle());
    QVERIFY(test.panel().blocks().model().table() == before);
    QVERIFY(test.settles());
    const MemoryPlace place = memoryPlaces(test.analysis()).front();
    const RankTrace& trace = *test.analysis().trace().rank(place.rank).trace;
    const auto blocks = memoryBlocks(trace, test.analysis().memoryOwners(place.rank));
    const RankTime time = test.analysis()
                              .clocks()
                              .of(place.rank)
                              .fromJob(test.analysis().extent().begin + std::llround(curve.xAt(at.x())));
    const auto live =
        liveBlocks(blocks, test.analysis().memory(place.rank).devices[place.device].device, time.ns());
    QVERIFY(!live.empty());
    QCOMPARE(static_cast<std::size_t>(test.panel().blocks().model().rowCount()), live.size());
    const auto bytes =
        std::accumulate(live.begin(), live.end(), std::int64_t{0},
                        [](std::int64_t sum, const MemoryBlock& block) { return sum + block.bytes; });
    QCOMPARE(MemoryTest::sumOf(test.panel().blocks(), "bytes"), bytes);
    QVERIFY(curve.tipAt(at).contains("live block"));
  }

  void aClickOnARanksPeakShowsThatRank() {
    MemoryTest test;
    QVERIFY(test.opensMemory());
    LinePlot& peaks = test.panel().peaks();
    QCOMPARE(peaks.curves().curves.front().points.size(), qsizetype{3});
    QTest::mouseClick(peaks.viewport(), Qt::LeftButton, Qt::NoModifier,
                      (peaks.placeOf(2, 0) - QPointF(3, 15)).toPoint());
    QVERIFY(test.settles());
    QVERIFY2(test.panel().devices().currentText().startsWith("rank 2"),
             qPrintable(test.panel().devices().currentText()));
  }

  void aBlockLeadsToTheCallThatAllocatedIt() {
    MemoryTest test;
    QVERIFY(test.opensMemory());
    TableCard& blocks = test.panel().blocks();
    QVERIFY(blocks.shownRows() > 0);
    emit blocks.rowActivated(blocks.tableRow(0));
    QCOMPARE(test.window.currentTab(), QString("timeline"));
    const EventRef selected = test.window.session().selection();
    QVERIFY(selected.valid());
    const TraceSet& traces = *test.window.session().trace();
    const RankTrace& trace = *traces.rank(selected.rank).trace;
    const std::string_view name = traces.names()[trace.events.name[selected.event]];
    QCOMPARE(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())),
             blocks.model().textOf(blocks.tableRow(0), "operator"));
  }

  void aRangeLimitsTheCurveAndTheBlocks() {
    MemoryTest test;
    QVERIFY(test.opensMemory());
    test.panel().setShowsAllBlocks(true);
    const int all = test.panel().blocks().model().rowCount();
    const TimeRange extent = test.window.session().trace()->extent();
    const TimeRange half{extent.begin, extent.begin + extent.length() / 2};
    test.window.session().setRange(half);
    QVERIFY(test.settles());
    const int some = test.panel().blocks().model().rowCount();
    QVERIFY2(0 < some && some < all, qPrintable(QString("%1 of %2").arg(some).arg(all)));
    QVERIFY(test.panel().curve().curves().xEnd <= static_cast<double>(half.length()));
  }

  // As PyTorch 1.x recorded: the device and the bytes of each allocation, not its address.
  void withoutAddressesOneSentenceStandsInsteadOfEmptyCards() {
    TestWindow test;
    const auto file = test.folder.path() / "rank0.json";
    std::ofstream(file) << R"({"traceEvents":[
      {"ph":"X","cat":"Operator","name":"aten::empty","pid":1,"tid":1,"ts":1,"dur":9},
      {"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":2,
       "args":{"Device Type":1,"Device Id":0,"Bytes":512}},
      {"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":8,
       "args":{"Device Type":1,"Device Id":0,"Bytes":-512}}]})";
    QVERIFY(test.opens(pathOf(file)));
    QVERIFY(test.shows("memory"));
    MemoryPanel& panel = memoryOf(test.window.tabs());
    QVERIFY(panel.curve().isVisible());
    QVERIFY(!panel.blocks().isVisible());
    QVERIFY(!panel.roles().card().isVisible());
    QVERIFY(!panel.roles().roles().isVisible());
    QVERIFY(panel.roles().sentence().contains("did not record addresses"));
  }

  void withoutRecordsTheTabShowsWhatToRecord() {
    TestWindow test;
    test::JobOptions options;
    options.ranks = 1;
    options.withMemory = false;
    test::generateJob(options, test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(test.shows("memory"));
    MemoryPanel& panel = memoryOf(test.window.tabs());
    QCOMPARE(panel.peakAllocated().figure().level, FigureLevel::Unknown);
    QCOMPARE(panel.blocks().shownRows(), 0);
    bool found = false;
    for (const QLabel* label : panel.findChildren<QLabel*>())
      found = found || (label->isVisible() && label->text().contains("profile_memory=True"));
    QVERIFY(found);
    // It may have been on: some allocators report nothing.
    const auto labels = panel.findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
      return label->isVisible() && label->text().contains("If it was on");
    }));
  }

  void ofAnInferenceNothingIsSaidOfTraining() {
    const auto folder = test::sharedFolder() / "traces" / "h100-bert-small";
    RANKSCOPE_QSKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    TestWindow test;
    QVERIFY(test.opens(pathOf(folder)) && test.shows("memory"));
    MemoryPanel& panel = memoryOf(test.window.tabs());
    QStringList items;
    QStringList notes;
    const auto& model = panel.roles().expected().model();
    for (int row = 0; row < model.rowCount(); ++row) {
      items << model.textOf(row, "item");
      notes << model.textOf(row, "note");
    }
    QCOMPARE(items, (QStringList{"weights", "activations", "other"}));
    // Fields of the window, no options of the command line.
    QVERIFY2(!notes.join(QString()).contains(QStringLiteral("--")), qPrintable(notes.join(QString())));
    QVERIFY2(notes.front().endsWith(QStringLiteral("fill in Model above")), qPrintable(notes.front()));
    // What is found is offered.
    auto& fields = *panel.findChild<ModelSizes*>();
    QCOMPARE(fields.choiceField(QStringLiteral("precision"))->itemText(0),
             QStringLiteral("fp32 (found: bf16)"));
    QVERIFY(!fields.field(QStringLiteral("hidden"))->placeholderText().isEmpty());
    QVERIFY(fields.foundButton()->isVisible());
    QTest::mouseClick(fields.foundButton(), Qt::LeftButton);
    QVERIFY(test.settles());
    QCOMPARE(fields.values().memory.precision, std::string("bf16"));
    QVERIFY(fields.values().model.hidden && fields.values().memory.batch);
  }

  void withoutMemoryOfTheGpuTheTabSaysSo() {
    const auto folder = test::sharedFolder() / "traces" / "mi300-ddp-resnet18";
    RANKSCOPE_QSKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    TestWindow test;
    QVERIFY(test.opens(pathOf(folder)) && test.shows("memory"));
    const auto* const note = memoryOf(test.window.tabs()).findChild<QLabel*>("onlyHostMemory");
    QVERIFY(note->isVisible());
    QVERIFY(note->text().startsWith(QStringLiteral("No GPU allocations were recorded: this is CPU memory.")));
    MemoryTest other;
    QVERIFY(other.opensMemory());
    QVERIFY(!other.panel().findChild<QLabel*>("onlyHostMemory")->isVisible());
  }

  void theShareIsBesideWhatItIsAShareOf() {
    const std::vector<ShownColumn> columns = memoryOperatorColumns();
    const auto share = std::ranges::find(columns, true, &ShownColumn::share);
    QVERIFY(share != columns.end() && share + 1 != columns.end());
    QCOMPARE(std::next(share)->source, share->source);
    QVERIFY(std::prev(share)->title != QStringLiteral("Self increase"));
  }
};

RANKSCOPE_UI_TEST(MemoryTests)
#include "memory_test.moc"
