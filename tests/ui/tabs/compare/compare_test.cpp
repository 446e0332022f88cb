// SPDX-License-Identifier: GPL-3.0-or-later
// The compare tab: another job opened beside the first, two ranks of one job, both sides exchanged; what it
// shows adds up, its dots, rows and aligned steps lead to the timeline. Covers ui/tabs/compare/aligned_steps,
// ui/tabs/compare/compare_columns, ui/tabs/compare/compare_data, ui/tabs/compare/compare_pages,
// ui/tabs/compare/compare_panel,
// ui/tabs/compare/delta_waterfall, ui/tabs/compare/step_dots and ui/widgets/opens_beside.
#include "ui/tabs/compare/compare_panel.h"

#include "tests/ui/analysis_fixture.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "ui/tables/table_card.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/wrapped_label.h"

#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QUrl>

#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_analysis;

namespace {

constexpr std::int64_t kAdded = 8'000'000;

test::JobOptions beforeJob() {
  test::JobOptions options;
  options.ranks = 2;
  options.steps = 7;
  options.layers = 3;
  return options;
}

test::JobOptions afterJob() {
  test::JobOptions options = beforeJob();
  options.gaps.push_back({-1, -1, kAdded, test::GapCause::DataLoader});
  return options;
}

double changesOf(const DeltaWaterfall& waterfall) {
  double sum = 0;
  for (const DeltaRow& row : waterfall.rows().rows) sum += row.b - row.a;
  return sum;
}

} // namespace

class CompareTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    m_job = std::make_unique<OpenJob>(beforeJob());
    m_otherPath = m_job->folder.filePath("other");
    test::generateJob(afterJob(), m_otherPath.toStdString());
  }
  void cleanupTestCase() { m_job.reset(); }
  void init() {
    m_job->window.showTab("compare");
    QVERIFY(m_job->settles());
  }

  void withoutAnotherSideItSaysWhatToDo() {
    QVERIFY(panel().data());
    QVERIFY(!panel().data()->comparison);
    QVERIFY(!panel().waterfall().isVisible());
  }

  void anotherJobOpensBesideTheFirst() {
    panel().openBeside({m_otherPath}, {});
    QVERIFY(m_job->settles());
    QVERIFY(compared());
    QCOMPARE(data().comparison->verdict, Verdict::Regression);
    QVERIFY(panel().sentence().text().contains("slower"));
    // The first job stays open.
    QCOMPARE(m_job->session().trace()->ranks().size(), std::size_t{2});
    const DeltaRows& rows = panel().waterfall().rows();
    QVERIFY(std::abs(changesOf(panel().waterfall()) - (rows.b - rows.a)) < 1);
    QVERIFY(std::abs(rows.b - rows.a - kAdded) < 0.02 * kAdded);
    QCOMPARE(panel().dots().rows().a.size(), std::size_t{7});
    QCOMPARE(panel().dots().rows().b.size(), std::size_t{7});
    QVERIFY(panel().aligned().pair().valid());
  }

  void everyTableShowsItsRows() {
    QVERIFY(compared());
    for (int which = 0; which < static_cast<int>(kCompareTableCount); ++which) {
      panel().tableChoice().choose(which);
      QVERIFY2(panel().table().shownRows() > 0, qPrintable(QString::number(which)));
    }
    panel().tableChoice().choose(static_cast<int>(CompareTable::Operators));
    panel().showOnly("no such operator");
    QCOMPARE(panel().table().shownRows(), 0);
    panel().showOnly({});
    QVERIFY(panel().table().shownRows() > 0);
  }

  void swappedSidesNegate() {
    const double delta = data().comparison->delta();
    panel().swapSides();
    QVERIFY(m_job->settles());
    QCOMPARE(data().comparison->verdict, Verdict::Improvement);
    QVERIFY(std::abs(data().comparison->delta() + delta) < 1e-3);
    QVERIFY(panel().sentence().text().contains("faster"));
    panel().swapSides();
    QVERIFY(m_job->settles());
  }

  void theWaterfallChoosesTheClasses() {
    DeltaWaterfall& waterfall = panel().waterfall();
    QTest::mouseClick(&waterfall, Qt::LeftButton, {}, waterfall.rowBox(0).center());
    QCOMPARE(waterfall.chosenRow(), 0);
    QCOMPARE(panel().tableChoice().chosen(), static_cast<int>(CompareTable::Classes));
    QTest::keyClick(&waterfall, Qt::Key_Down);
    QCOMPARE(waterfall.chosenRow(), 1);
  }

  void stepsZoomAndPanTogether() {
    AlignedSteps& steps = panel().aligned();
    const TimeRange all = steps.view();
    QTest::keyClick(&steps, Qt::Key_W);
    QVERIFY(steps.view().length() < all.length());
    const TimeRange zoomed = steps.view();
    QTest::keyClick(&steps, Qt::Key_D);
    QVERIFY(steps.view().begin > zoomed.begin);
    QCOMPARE(steps.view().length(), zoomed.length());
    QTest::keyClick(&steps, Qt::Key_Home);
    QCOMPARE(steps.view(), all);
  }

  void ctrlRightIsTheNextStepPair() {
    const TimeRange before = panel().aligned().pair().a.range;
    QKeyEvent key(QEvent::KeyPress, Qt::Key_Right, Qt::ControlModifier);
    QVERIFY(panel().claimsKey(key));
    QVERIFY(panel().pressKey(key));
    QVERIFY(m_job->settles());
    QVERIFY(panel().aligned().pair().a.range.begin > before.begin);
  }

  void aPlaceAndADotLeadToTheTimeline() {
    AlignedSteps& steps = panel().aligned();
    QTest::mouseClick(&steps, Qt::LeftButton, {}, {steps.width() / 2, steps.height() / 4});
    QVERIFY(m_job->settles());
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
    m_job->window.showTab("compare");
    QVERIFY(m_job->settles());
    QTest::mouseClick(&panel().dots(), Qt::LeftButton, {}, panel().dots().centerOf(false, 2).toPoint());
    QVERIFY(m_job->settles());
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
  }

  void twoRanksOfTheJobAreSides() {
    panel().other().close();
    panel().choose({SidePart::Kind::Rank, 0, {}}, {SidePart::Kind::Rank, 1, {}});
    QVERIFY(m_job->settles());
    QVERIFY(compared());
    QCOMPARE(data().comparison->b.identity.ranks, (std::vector<int>{1}));
  }

  void aDroppedFolderIsSideB() {
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(m_otherPath)});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &mime, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&panel(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &mime, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&panel(), &drop);
    QVERIFY(m_job->settles());
    QVERIFY(compared());
    QCOMPARE(data().comparison->verdict, Verdict::Regression);
  }

  void whatCannotBeOpenedIsSaid() {
    panel().openBeside({m_job->folder.filePath("nothing here")}, {});
    QVERIFY(m_job->settles());
    QVERIFY(!panel().waterfall().isVisible());
  }

 private:
  [[nodiscard]] ComparePanel& panel() { return m_job->tabs().page<ComparePanel>("compare"); }
  [[nodiscard]] const CompareData& data() { return *panel().data(); }
  [[nodiscard]] bool compared() { return panel().data() && panel().data()->comparison; }

  std::unique_ptr<OpenJob> m_job;
  QString m_otherPath;
};

RANKSCOPE_UI_TEST(CompareTest)
#include "compare_test.moc"
