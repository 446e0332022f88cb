// SPDX-License-Identifier: GPL-3.0-or-later
// The second half of the gains tab: predictions for common scenarios and one's own, and the critical path,
// whose rows lead to the timeline, and the slowdown by rank and step. Covers ui/tabs/gains/what_if_data,
// ui/tabs/gains/what_if_cards, ui/tabs/gains/slowdown_data and ui/tabs/gains/slowdown_cards.
#include "ui/tabs/gains/what_if_cards.h"

#include "core/analysis/graph/what_if.h"
#include "core/base/whole_number.h"
#include "tests/ui/analysis_fixture.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "ui/charts/chart_card.h"
#include "ui/job/path_choice.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/gains/gains_panel.h"
#include "ui/tabs/gains/slowdown_cards.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_analysis;

class WhatIfCardsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    m_job = std::make_unique<OpenJob>(jobWithFaults());
    m_job->window.showTab("gains");
    QVERIFY(m_job->settles());
  }
  void cleanupTestCase() { m_job.reset(); }

  void commonScenariosArePredicted() {
    KnownAnswers known;
    const WhatIfView view = whatIfView(m_job->report(), {}, known);
    const WhatIfView again = whatIfView(m_job->report(), {}, known);
    QCOMPARE(again.texts, view.texts);
    QVERIFY(view.scenarios != nullptr);
    QCOMPARE(view.scenarios->rowCount(), defaultScenarios().size());
    QCOMPARE(cards().scenarios().model().table()->rowCount(), view.scenarios->rowCount());
    QVERIFY(rowOf("no_stragglers") >= 0);
    QVERIFY(view.caption.contains("replay"));
  }

  void theSliderPredictsWhileItMoves() {
    const std::size_t before = rows();
    cards().slider().setValue(30);
    QVERIFY(m_job->settles());
    QCOMPARE(QString::fromStdString(cards().ownScenario()), QString("kernel=0.3"));
    QCOMPARE(rows(), before + 1);
    QVERIFY(rowOf("kernel=0.3") >= 0);
    cards().slider().setValue(40);
    QVERIFY(m_job->settles());
    QCOMPARE(rows(), before + 1);
    QVERIFY(rowOf("kernel=0.3") < 0);
    cards().addButton().click();
    QVERIFY(m_job->settles());
    cards().slider().setValue(60);
    QVERIFY(m_job->settles());
    QVERIFY(rowOf("kernel=0.4") >= 0 && rowOf("kernel=0.6") >= 0);
  }

  void aScenarioThatCannotBeReadSaysWhy() {
    choose(cards().kindChoice(), 3);
    auto* field = cards().findChild<QLineEdit*>();
    QVERIFY(field != nullptr && field->isVisibleTo(&cards()));
    field->setText("faster");
    cards().addButton().click();
    QVERIFY(field->toolTip().contains("is no scenario"));
    field->setText("zero_host+transfer_zero");
    cards().addButton().click();
    QVERIFY(m_job->settles());
    QVERIFY(field->toolTip().isEmpty());
    QVERIFY(rowOf("zero_host+transfer_zero") >= 0);
    choose(cards().kindChoice(), 0);
    QVERIFY(m_job->settles());
  }

  void thePathAddsUpByEveryKeyAndLeadsToTheTimeline() {
    const double step = m_job->report().whatIf().base();
    for (int key = 0; key < static_cast<int>(kPathKeyCount); ++key) {
      choose(cards().keyChoice(), key);
      QVERIFY(m_job->settles());
      const auto& table = cards().path().model().table();
      QVERIFY(table != nullptr && table->rowCount() > 0);
      TimeNs sum = 0;
      for (std::size_t row = 0; row < table->rowCount(); ++row)
        sum += std::get<std::int64_t>(table->at(row, *table->columnNamed("on_path_us")));
      QVERIFY(std::abs(static_cast<double>(sum) - step) <= static_cast<double>(table->rowCount()));
    }
    QSignalSpy wanted(&cards(), &WhatIfCards::timelineWanted);
    emit cards().path().rowActivated(0);
    QCOMPARE(wanted.count(), 1);
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
    // The timeline shows the path, with the segment selected.
    QVERIFY(m_job->settles());
    QVERIFY(path().shown() && path().selectedSegment() != nullptr);
  }

  void theSlowdownOfRanksAndStepsLeadsToTheTimeline() {
    m_job->window.showTab("gains");
    QVERIFY(m_job->settles());
    SlowdownCards& slowdown = panel().slowdown();
    QVERIFY(slowdown.ranksCard().hasChart());
    QVERIFY(!slowdown.stagesCard().isVisibleTo(&panel()));
    const HeatContents& cells = slowdown.ranks().contents();
    QVERIFY(cells.cells != nullptr);
    QCOMPARE(cells.cells->rows, m_job->report().analysis().ranks().size());
    QCOMPARE(cells.cells->columns, m_job->report().whatIf().keptWindows().size());
    QVERIFY(slowdown.table().model().table()->rowCount() > cells.cells->columns);
    QVERIFY(slowdown.ranks().tipAt(slowdown.ranks().boxOf(0, 0).center()).contains("longer"));
    emit slowdown.ranks().cellPicked(0, 1);
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
  }

 private:
  [[nodiscard]] GainsPanel& panel() const { return gainsOf(m_job->tabs()); }
  [[nodiscard]] WhatIfCards& cards() const { return panel().whatIf(); }
  [[nodiscard]] PathChoice& path() const { return PathChoice::of(m_job->window.session()); }
  [[nodiscard]] std::size_t rows() const { return cards().scenarios().model().table()->rowCount(); }
  [[nodiscard]] int rowOf(const char* scenario) const {
    for (int row = 0; row < static_cast<int>(rows()); ++row) {
      if (cards().scenarios().model().textOf(row, "id") == QString(scenario)) return row;
    }
    return -1;
  }
  static void choose(QComboBox& box, int index) {
    box.setCurrentIndex(index);
    emit box.activated(index);
  }

  std::unique_ptr<OpenJob> m_job;
};

RANKSCOPE_UI_TEST(WhatIfCardsTest)
#include "what_if_test.moc"
