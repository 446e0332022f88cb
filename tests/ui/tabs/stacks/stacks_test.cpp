// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks tab: widths add up, keys and clicks do what the guide says, and a search says what it found.
// Covers ui/flames/flame_layout, ui/flames/flame_labels, ui/flames/flame_style, ui/flames/flame_view,
// ui/tabs/stacks/stacks_data, ui/tabs/stacks/stacks_export, ui/tabs/stacks/filter_chips,
// ui/tabs/stacks/stacks_menu, ui/tabs/stacks/stacks_columns, ui/tabs/stacks/stacks_panel,
// ui/job/range_preview and ui/window/stacks_bench.
#include "ui/tabs/stacks/stacks_panel.h"

#include "tests/support/shared_data.h"
#include "tests/ui/analysis_fixture.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/stacked_bars.h"
#include "ui/flames/flame_labels.h"
#include "ui/flames/flame_view.h"
#include "ui/job/job_beside.h"
#include "ui/job/occurrences.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/stacks/filter_chips.h"
#include "ui/widgets/choice_row.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_analysis;

class StacksTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { m_job = std::make_unique<OpenJob>(jobWithFaults()); }
  void cleanupTestCase() { m_job.reset(); }
  void init() {
    m_job->window.showTab("stacks");
    QVERIFY(m_job->settles());
  }

  void everyRowLiesWithinTheOneAbove() {
    for (int mode = 0; mode < 3; ++mode) {
      panel().modes().choose(mode);
      QVERIFY(m_job->settles());
      const FlameLayout& layout = shown();
      QVERIFY(layout.whole > 0);
      for (std::size_t row = 0; row < layout.rows.size(); ++row) {
        std::int64_t end = 0;
        for (const FlameBox& box : layout.rows[row]) {
          QVERIFY(box.begin >= end && box.end > box.begin);
          end = box.end;
          if (row == 0) continue;
          const FlameBox* const above = layout.boxAt(row - 1, box.begin);
          QVERIFY(above != nullptr && above->end >= box.end);
        }
        QVERIFY(end <= layout.whole);
      }
    }
    panel().modes().choose(0);
    QVERIFY(m_job->settles());
  }

  void theDifferenceToAnotherJobAddsUp() {
    panel().modes().choose(4);
    QVERIFY(m_job->settles());
    QVERIFY(shown().rows.empty()); // which says what to do
    test::JobOptions slower = jobWithFaults();
    slower.straggler = {1, 9'000'000, 0, test::StragglerKind::Compute};
    OpenJob other(slower);
    JobBeside::of(m_job->session())
        .setReport(std::make_shared<const JobReport>(other.report().sharedAnalysis()));
    QVERIFY(m_job->settles());
    const FlameLayout& layout = shown();
    QVERIFY(layout.isDifference());
    QVERIFY(layout.change(StackTree::kRoot) != 0);
    std::int64_t sum = 0;
    for (std::uint32_t node = 1; node < layout.tree.size(); ++node) {
      if (layout.tree.nodes()[node].parent == StackTree::kRoot) sum += layout.change(node);
      QVERIFY(layout.totals[node].weight >= layout.totalsA[node].weight);
      QVERIFY(layout.totals[node].weight >= layout.totalsB[node].weight);
    }
    QCOMPARE(sum, layout.change(StackTree::kRoot));
    QVERIFY(panel().flames().tipOf(layout.rows[0][0].node).contains("A "));
    // A frame that this job has leads to its calls; one that only the other has to none.
    std::optional<std::uint32_t> ofBoth;
    std::optional<std::uint32_t> onlyB;
    for (std::uint32_t node = 1; node < layout.tree.size(); ++node) {
      const bool inA = std::int64_t{layout.totalsA[node].weight} > 0;
      if (inA && !ofBoth) ofBoth = node;
      if (!inA && std::int64_t{layout.totalsB[node].weight} > 0 && !onlyB) onlyB = node;
    }
    QVERIFY(ofBoth.has_value());
    panel().flames().select(*ofBoth);
    QVERIFY(m_job->settles());
    QVERIFY(panel().calls()->calls() != nullptr && !panel().calls()->calls()->calls.empty());
    if (onlyB) {
      panel().flames().select(*onlyB);
      QVERIFY(m_job->settles());
      QVERIFY(panel().calls()->calls() == nullptr || panel().calls()->calls()->calls.empty());
    }
    panel().flames().clearSelection();
    const Theme& theme = m_job->session().theme();
    const QColor same = changeColor(theme, 0);
    const auto distance = [](const QColor& one, const QColor& two) {
      return std::abs(one.red() - two.red()) + std::abs(one.blue() - two.blue());
    };
    QVERIFY(distance(changeColor(theme, 0.05), theme.exposed) < 6);
    QVERIFY(distance(changeColor(theme, -0.3), theme.accent) < 6);
    QVERIFY(distance(changeColor(theme, 0.01), same) < distance(changeColor(theme, 0.04), same));
    JobBeside::of(m_job->session()).setReport(nullptr);
    QVERIFY(m_job->settles());
    panel().modes().choose(0);
    QVERIFY(m_job->settles());
  }

  void everyOrderIsEquallyWide() {
    std::vector<std::int64_t> widths;
    for (const int mode : {1, 2, 0}) {
      panel().modes().choose(mode);
      QVERIFY(m_job->settles());
      widths.push_back(shown().whole);
    }
    QCOMPARE(widths[0], widths[2]);
    QCOMPARE(widths[1], widths[2]);
  }

  void deviceTimeComesFirstWhereThereIsADevice() {
    QVERIFY(panel().choice().weight == StackWeight::Device);
    ExactSum durations;
    for (const RankEntry& rank : m_job->session().trace()->ranks()) {
      for (EventIndex event = rank.trace->deviceBegin; event < rank.trace->deviceEnd; ++event.value)
        durations += rank.trace->events.duration[event];
    }
    QCOMPARE(shown().whole, std::int64_t{durations});
  }

  void aSearchSaysWhatItFinds() {
    panel().searchField().setText("no such frame");
    QVERIFY(panel().matched().text().contains("0"));
    panel().searchField().setText("/./");
    QVERIFY2(panel().matched().text().contains("100"), qPrintable(panel().matched().text()));
    panel().searchField().clear();
    QVERIFY(panel().matched().isHidden());
  }

  void keysWalkAndZoom() {
    FlameView& view = panel().flames();
    view.setFocus();
    view.clearSelection();
    QTest::keyClick(&view, Qt::Key_Down);
    QVERIFY(view.selected().has_value());
    const std::uint32_t top = *view.selected();
    QTest::keyClick(&view, Qt::Key_Down);
    QVERIFY(*view.selected() != top);
    QTest::keyClick(&view, Qt::Key_Up);
    QCOMPARE(*view.selected(), top);
    const auto whole = view.range();
    QTest::keyClick(&view, Qt::Key_Right);
    QTest::keyClick(&view, Qt::Key_F);
    QVERIFY(view.range() != whole);
    QTest::keyClick(&view, Qt::Key_Backspace);
    QCOMPARE(view.range(), whole);
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!view.selected().has_value());
  }

  void aClickFindsTheCalls() {
    FlameView& view = panel().flames();
    view.fit();
    const std::uint32_t node = shown().rows.front().front().node;
    const QRectF box = view.boxOf(node);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, Qt::NoModifier, box.center().toPoint());
    QVERIFY(view.selected() == node);
    QVERIFY(m_job->settles());
    QVERIFY(!view.tipOf(node).isEmpty());
    QVERIFY(panel().calls()->calls() != nullptr);
    QVERIFY(!panel().calls()->calls()->calls.empty());
    view.clearSelection();
  }

  // In every order a click finds the calls that the box stands for.
  void everyOrderLeadsToItsCalls() {
    const std::string leaf = [&] {
      const FlameLayout& layout = shown();
      for (std::uint32_t node = 1; node < layout.tree.size(); ++node)
        if (layout.tree.frameAt(node).kind == FrameKind::Kernel) return layout.tree.frameAt(node).text;
      return std::string();
    }();
    QVERIFY(!leaf.empty());
    for (const int mode : {0, 1, 2, 3}) {
      panel().modes().choose(mode);
      QVERIFY(m_job->settles());
      const FlameLayout& layout = shown();
      std::size_t calls = 0;
      for (std::uint32_t node = 1; node < layout.tree.size(); ++node) {
        if (layout.tree.frameAt(node).text != leaf || std::int64_t{layout.totals[node].weight} == 0) continue;
        panel().flames().select(node);
        QVERIFY(m_job->settles());
        QVERIFY(panel().calls()->calls() != nullptr);
        calls = panel().calls()->calls()->calls.size();
        break;
      }
      QVERIFY2(calls > 0, qPrintable(QString::number(mode)));
    }
    panel().modes().choose(0);
    QVERIFY(m_job->settles());
    panel().flames().clearSelection();
  }

  void modulesAreShownToADepth() {
    ResultTable modules("module_tree", {{"module", Unit::Text}, {"calls", Unit::Count}});
    for (const char* const name : {"Net_0", "  Block_0", "    Linear_0", "  Block_1", "[no module]"})
      modules.addRow({Cell(std::string_view(name)), Cell(std::int64_t{1})});
    QCOMPARE(modulesToDepth(modules, 1)->rowCount(), std::size_t{2});
    QCOMPARE(modulesToDepth(modules, 2)->rowCount(), std::size_t{4});
    QCOMPARE(modulesToDepth(modules, 3)->rowCount(), std::size_t{5});
  }

  void colorsAreOfKindsOrModules() {
    const Theme& theme = m_job->session().theme();
    QCOMPARE(moduleColor(theme, "Linear"), moduleColor(theme, "Linear"));
    QVERIFY(moduleColor(theme, "Linear") != moduleColor(theme, "LayerNorm"));
    QVERIFY(moduleColor(theme, "Linear") != moduleColor(theme, ""));
    const QImage byKind = panel().flames().viewport()->grab().toImage();
    panel().flames().setColorByModule(true);
    QVERIFY(panel().flames().viewport()->grab().toImage() != byKind);
    panel().flames().setColorByModule(false);
    QCOMPARE(panel().flames().viewport()->grab().toImage(), byKind);
  }

  void everyWeightIsShownOrSaysWhyNot() {
    for (int weight = 8; weight >= 0; --weight) {
      panel().weights().choose(weight);
      QVERIFY(m_job->settles());
      QVERIFY(panel().flames().layoutShown() != nullptr);
    }
    // Host time may be more than a step in each step.
    const auto notes = panel().findChildren<QLabel*>(QStringLiteral("figureNote"));
    QVERIFY(std::ranges::any_of(
        notes, [](const QLabel* note) { return note->text().contains("sum over threads"); }));
    panel().weights().choose(1);
    QVERIFY(m_job->settles());
  }

  void callersAreAboveAndCalleesBelowTheSelectedFrame() {
    FlameView& view = panel().flames();
    // An operator in the middle of a stack.
    const std::uint32_t node = shown().rows[1].front().node;
    const std::string frame = shown().tree.frameAt(node).text;
    const std::string outer = shown().tree.frameAt(shown().tree.nodes()[node].parent).text;
    view.select(node);
    panel().modes().choose(3);
    QVERIFY(m_job->settles());
    const FlameLayout& layout = shown();
    QVERIFY(layout.middle > 0 && layout.middle + 1 < layout.rows.size());
    QCOMPARE(layout.rows[layout.middle].size(), std::size_t{1});
    QCOMPARE(layout.tree.frameAt(layout.rows[layout.middle][0].node).text, frame);
    bool hasOuter = false;
    for (std::size_t row = 0; row < layout.rows.size(); ++row) {
      std::int64_t end = 0;
      for (const FlameBox& box : layout.rows[row]) {
        QVERIFY(box.begin >= end && box.end <= layout.whole);
        end = box.end;
        if (row == layout.middle) continue;
        QCOMPARE(layout.isAbove(box.node), row < layout.middle);
        QCOMPARE(layout.rowOf(box.node), row);
        // What called or was called lies within it.
        const FlameBox* const nearer = layout.boxAt(row < layout.middle ? row + 1 : row - 1, box.begin);
        QVERIFY(nearer != nullptr && nearer->end >= box.end);
        hasOuter = hasOuter || (row < layout.middle && layout.tree.frameAt(box.node).text == outer);
      }
    }
    QVERIFY(hasOuter);
    // Every stack of the frame has a caller or begins with it: callers add up to no more than it.
    QCOMPARE(layout.rows[layout.middle][0].end, layout.whole);
    // Keys walk over the middle, and a caller has the calls of the frame below it.
    view.setFocus();
    view.clearSelection();
    QTest::keyClick(&view, Qt::Key_Down);
    QVERIFY(view.selected() == layout.rows[layout.middle][0].node);
    QTest::keyClick(&view, Qt::Key_Up);
    QVERIFY(view.selected() && layout.isAbove(*view.selected()));
    QVERIFY(m_job->settles());
    QVERIFY(panel().calls()->calls() != nullptr && !panel().calls()->calls()->calls.empty());
    QTest::keyClick(&view, Qt::Key_Down);
    QTest::keyClick(&view, Qt::Key_Down);
    QVERIFY(view.selected() && !layout.isAbove(*view.selected()));
    view.clearSelection();
    wholeGraph();
  }

  // The table beside the graph has all frames; a row puts its frame into the middle.
  void aRowOfTheFramesIsPutIntoTheMiddle() {
    QVERIFY(panel().frames().isHidden());
    panel().modes().choose(3);
    QVERIFY(m_job->settles());
    TableCard& frames = panel().frames();
    QVERIFY(frames.isVisible());
    QVERIFY(frames.shownRows() > 3);
    const int row = frames.tableRow(2);
    const std::string text = frames.model().textOf(row, "frame").toStdString();
    emit frames.rowSelected(row);
    QVERIFY(m_job->settles());
    QCOMPARE(shown().tree.frameAt(shown().rows[shown().middle][0].node).text, text);
    QCOMPARE(frames.selectedRow(), row);
    wholeGraph();
    QVERIFY(panel().frames().isHidden());
  }

  void filtersAreChipsThatCanBeRemoved() {
    const std::int64_t all = shown().whole;
    QTest::keyClick(&panel().flames(), Qt::Key_Slash);
    QLineEdit& field = panel().searchField();
    field.setText("SS: allreduce");
    QTest::keyClick(&field, Qt::Key_Return);
    QVERIFY(m_job->settles());
    QVERIFY(field.text().isEmpty());
    QCOMPARE(panel().chips().texts(), QStringList{"Show stack: allreduce"});
    const std::int64_t some = shown().whole;
    QVERIFY(some > 0 && some < all);
    field.setText("HS: allreduce");
    QTest::keyClick(&field, Qt::Key_Return);
    QVERIFY(m_job->settles());
    QCOMPARE(shown().whole, std::int64_t{0}); // and says why
    QTest::mouseClick(panel().chips().findChildren<QToolButton*>().first(), Qt::LeftButton);
    QVERIFY(m_job->settles());
    QTRY_COMPARE(panel().chips().texts(), QStringList{"Hide stack: allreduce"});
    QVERIFY(m_job->settles());
    QCOMPARE(shown().whole, all - some); // both parts are all of it
    panel().chips().clear();
    QVERIFY(m_job->settles());
    QCOMPARE(shown().whole, all);
    QVERIFY(panel().chips().isHidden());
  }

  // Everything that the menu of a frame offers, by its entries; a right click and the menu key open it.
  void theMenuOfAFrameActsOnIt() {
    FlameView& view = panel().flames();
    const std::uint32_t node = shown().rows[1].front().node;
    const std::string frame = shown().tree.frameAt(node).text;
    std::vector<std::uint32_t> wanted;
    const auto opened =
        connect(&view, &FlameView::menuWanted, this, [&](std::uint32_t of, QPoint) { wanted.push_back(of); });
    const QPoint at = view.boxOf(node).center().toPoint();
    QContextMenuEvent click(QContextMenuEvent::Mouse, at, view.viewport()->mapToGlobal(at));
    QApplication::sendEvent(view.viewport(), &click);
    closePopup();
    QContextMenuEvent key(QContextMenuEvent::Keyboard, at, view.viewport()->mapToGlobal(at));
    QApplication::sendEvent(&view, &key);
    closePopup();
    disconnect(opened);
    QCOMPARE(wanted, (std::vector<std::uint32_t>{node, node}));
    QVERIFY(view.selected() == node);
    QVERIFY(m_job->settles());
    const auto run = [&](const QString& title) {
      const auto menu = panel().menuOf(*view.selected());
      for (QAction* const action : menu->actions()) {
        if (action->text() != title) continue;
        QVERIFY2(action->isEnabled(), qPrintable(title));
        action->trigger();
        QVERIFY(m_job->settles());
        return;
      }
      QFAIL(qPrintable("no entry " + title));
    };
    view.fit();
    const auto whole = view.range();
    run("Zoom to frame");
    QVERIFY(view.range() != whole || view.boxOf(node).width() >= view.viewport()->width() - 1);
    run("Zoom out to everything");
    QCOMPARE(view.range(), whole);
    run("Copy frame");
    QCOMPARE(QApplication::clipboard()->text().toStdString(), frame);
    run("Copy stack");
    QCOMPARE(QApplication::clipboard()->text().count('\n'), 1);
    const std::int64_t all = shown().whole;
    const std::int64_t ofFrame = shown().totals[node].weight;
    run("Focus: show from this frame");
    QCOMPARE(shown().tree.frameAt(shown().rows[0][0].node).text, frame);
    QVERIFY(shown().whole >= ofFrame && shown().whole <= all);
    panel().chips().clear();
    QVERIFY(m_job->settles());
    for (const auto& [title, count] :
         {std::pair("Show only stacks with this frame", 1), std::pair("Hide stacks with this frame", 0),
          std::pair("Hide this frame", 0)}) {
      view.select(node);
      run(title);
      std::int64_t found = 0;
      for (std::uint32_t n = 1; n < shown().tree.size(); ++n)
        found += shown().tree.frameAt(n).text == frame ? 1 : 0;
      QVERIFY2((found > 0) == (count > 0), title);
      panel().chips().clear();
      QVERIFY(m_job->settles());
    }
    QCOMPARE(shown().whole, all);
    view.select(shown().rows[1].front().node);
    run("Show its callers and callees");
    QCOMPARE(shown().tree.frameAt(shown().rows[shown().middle][0].node).text, frame);
    wholeGraph();
    view.select(shown().rows[1].front().node);
    QVERIFY(m_job->settles());
    run("Show first call in the timeline");
    QVERIFY(m_job->window.currentTab() == "timeline");
    m_job->window.showTab("stacks");
    view.clearSelection();
  }

  void whatIsShownIsWrittenByItsName() {
    QTemporaryDir folder;
    for (const char* const name : {"s.folded", "s.csv", "s.svg", "s.speedscope.json", "s.pb.gz"}) {
      const QString path = folder.filePath(name);
      panel().exportTo(path);
      QVERIFY(m_job->settles());
      QFile file(path);
      QVERIFY2(file.open(QIODevice::ReadOnly), name);
      const QByteArray bytes = file.readAll();
      QVERIFY2(bytes.size() > 100, name);
      if (QByteArray(name) != "s.folded") continue;
      std::int64_t sum = 0; // of what is shown
      for (const QByteArray& line : bytes.trimmed().split('\n')) sum += line.split(' ').last().toLongLong();
      QCOMPARE(sum, shown().whole);
    }
  }

  void theOutermostFrameMayLieAtTheBottom() {
    wholeGraph();
    FlameView& view = panel().flames();
    QVERIFY(shown().rows.size() >= 2);
    const std::uint32_t outer = shown().rows[0].front().node;
    const std::uint32_t inner = shown().rows[1].front().node;
    QVERIFY(view.boxOf(outer).bottom() <= view.boxOf(inner).top());
    view.setFlipped(true);
    QVERIFY(view.boxOf(inner).bottom() <= view.boxOf(outer).top());
    QVERIFY(view.boxOf(outer).bottom() <= view.viewport()->height());
    // Clicks and arrows go where they point.
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.boxOf(outer).center().toPoint());
    QCOMPARE(view.selected(), std::optional(outer));
    QTest::keyClick(&view, Qt::Key_Up);
    QVERIFY(view.selected() && view.boxOf(*view.selected()).bottom() <= view.boxOf(outer).top());
    view.setFlipped(false);
    view.clearSelection();
  }

  // A frame of a moving view measures and lays out few labels; what it had no time for comes with a later
  // one.
  void labelsOfAMovingViewComeLater() {
    StackTree tree;
    FlameLabels labels(QApplication::font());
    const auto frame = [&](const char* name) {
      return tree.nodes()[tree.below(StackTree::kRoot, name, FrameKind::Operator)].frame;
    };
    const std::uint32_t first = frame("aten::addmm");
    const std::uint32_t second = frame("aten::mm");
    const std::uint32_t narrow = frame("aten::native_layer_norm");
    const auto label = [&](std::uint32_t of) { return labels.label(of, tree.frames()[of], 500); };
    labels.beginFrame(2);
    QVERIFY(label(first) != nullptr && !labels.isIncomplete());
    QVERIFY(label(second) == nullptr && labels.isIncomplete());
    labels.beginFrame(0);
    QVERIFY(label(first) != nullptr && !labels.isIncomplete()); // known already
    QVERIFY(labels.withWeight(1, first, tree.frames()[first], 500, [] { return QString("1 ms"); }) ==
                nullptr &&
            labels.isIncomplete());
    labels.beginFrame(3);
    QVERIFY(label(second) != nullptr && label(second)->text() == "aten::mm");
    QVERIFY(labels.withWeight(1, first, tree.frames()[first], 500, [] { return QString("1 ms"); }) !=
            nullptr);
    QVERIFY(!labels.isIncomplete());
    // A text for which there is no room has to be measured and cut all the same.
    const auto cut = [&] { return labels.label(narrow, tree.frames()[narrow], 20); };
    labels.beginFrame(1);
    QVERIFY(cut() == nullptr && labels.isIncomplete());
    labels.beginFrame(1);
    QVERIFY(cut() == nullptr && !labels.isIncomplete());
  }

  // The legend names the parts of the bars that layers have.
  void theColorsOfLayersAreNamed() {
    const auto folder = test::sharedFolder() / "traces/h100-bert-small";
    RANKSCOPE_QSKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    OpenJob job(pathOf(folder), QSize(1500, 1000));
    job.window.showTab("stacks");
    QVERIFY(job.settles());
    StackedBars& layers = job.tabs().page<StacksPanel>("stacks").layers();
    QCOMPARE(layers.bars().rows.size(), std::size_t{4});
    QWidget* card = &layers;
    while (qobject_cast<ChartCard*>(card) == nullptr) card = card->parentWidget();
    const QByteArray picture = qobject_cast<ChartCard*>(card)->svg();
    QVERIFY(picture.contains("forward"));
    QVERIFY2(!picture.contains("backward"), "inference");
  }

  void aMillionBoxesArePiecesOfPixels() {
    FlameLayout layout;
    layout.rows.resize(1);
    const std::uint32_t node = layout.tree.below(StackTree::kRoot, "f", FrameKind::Operator);
    for (std::int64_t i = 0; i < 1'000'000; ++i) layout.rows[0].push_back({3 * i, 3 * i + 2, node});
    layout.whole = 3'000'000;
    const auto pieces = visiblePieces(layout, 0, 0, 3'000'000 / 1'000.0, 1'000);
    QVERIFY(pieces.size() <= 1'000);
    std::uint64_t boxes = 0;
    for (const FlamePiece& piece : pieces) boxes += piece.boxes;
    QCOMPARE(boxes, std::uint64_t{1'000'000});
    QCOMPARE(visiblePieces(layout, 0, 30, 0.1, 100).size(), std::size_t{4});
  }

 private:
  [[nodiscard]] StacksPanel& panel() const { return m_job->tabs().page<StacksPanel>("stacks"); }
  void wholeGraph() {
    panel().modes().choose(0);
    QVERIFY(m_job->settles());
  }
  static void closePopup() {
    if (QWidget* const popup = QApplication::activePopupWidget()) popup->close();
  }
  [[nodiscard]] const FlameLayout& shown() const { return *panel().flames().layoutShown(); }

  std::unique_ptr<OpenJob> m_job;
};

RANKSCOPE_UI_TEST(StacksTest)
#include "stacks_test.moc"
