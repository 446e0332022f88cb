// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks tab: widths add up, keys and clicks do what the guide says, and a search says what it found.
// Covers ui/flames/flame_layout, ui/flames/flame_style, ui/flames/flame_view, ui/tabs/stacks/stacks_data and
// ui/tabs/stacks/stacks_panel.
#include "ui/tabs/stacks/stacks_panel.h"

#include "tests/ui/analysis_fixture.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "ui/flames/flame_view.h"
#include "ui/job/job_beside.h"
#include "ui/job/occurrences.h"
#include "ui/widgets/choice_row.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>

#include <algorithm>
#include <optional>
#include <string>

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
    panel().modes().choose(5);
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
    for (const int mode : {0, 1, 2, 3, 4}) {
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
    panel().weights().choose(1);
    QVERIFY(m_job->settles());
  }

  void callersAndCalleesAreOfTheSelectedFrame() {
    FlameView& view = panel().flames();
    std::uint32_t deepest = shown().rows.back().front().node;
    const std::string frame = shown().tree.frameAt(deepest).text;
    const std::int64_t total = shown().totals[deepest].weight;
    view.select(deepest);
    for (const int mode : {3, 4}) {
      panel().modes().choose(mode);
      QVERIFY(m_job->settles());
      QCOMPARE(shown().rows.front().size(), std::size_t{1});
      QCOMPARE(shown().tree.frameAt(shown().rows.front().front().node).text, frame);
      QVERIFY(shown().whole >= total);
    }
    panel().modes().choose(0);
    QVERIFY(m_job->settles());
    view.clearSelection();
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
  [[nodiscard]] const FlameLayout& shown() const { return *panel().flames().layoutShown(); }

  std::unique_ptr<OpenJob> m_job;
};

RANKSCOPE_UI_TEST(StacksTest)
#include "stacks_test.moc"
