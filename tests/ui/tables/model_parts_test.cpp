// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of a part of the model, and the tables that it splits.
#include "ui/tables/model_parts.h"

#include "core/report/grouped_tables.h"
#include "tests/ui/analysis_fixture.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"

#include <QSignalSpy>

#include <algorithm>
#include <memory>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_analysis;

class ModelPartsTest : public QObject {
  Q_OBJECT

 private slots:
  void eachGroupingCanBeChosen() {
    const TraceSet traces("job", {}, {}, {});
    ModelPartChoice choice;
    QCOMPARE(choice.count(), static_cast<int>(kCallGroupings.size()));
    for (const CallGrouping grouping : kCallGroupings) {
      choice.choose(grouping);
      QVERIFY(choice.grouping() == grouping);
      QVERIFY(!whyNoModelParts(grouping, traces).isEmpty());
    }
    ModelPartChoice optional("Whole model");
    QVERIFY(!optional.grouping().has_value());
    QSignalSpy spy(&optional, &ModelPartChoice::groupingChanged);
    optional.choose(CallGrouping::Phase);
    QCOMPARE(spy.count(), 1);
    optional.choose(std::nullopt);
    QVERIFY(!optional.grouping().has_value());
  }

  void everyKeyHasAColumn() {
    const std::vector<ShownColumn> columns = modelPartColumns();
    for (const CallGrouping grouping : kCallGroupings)
      QVERIFY(std::ranges::any_of(
          columns, [&](const ShownColumn& column) { return column.source == callGroupingText(grouping); }));
  }

  void rowsAreMadeWhenTheyAreAskedFor() {
    OpenJob job(jobWithFaults());
    ModelPartRows rows(job.session().pending(), &job.window);
    const std::unique_ptr<ModelPartChoice> owner(&rows.choice()); // in the window a card's
    rows.setSource(std::make_shared<const JobReport>(job.report().sharedAnalysis()),
                   [](const JobReport& report, CallGrouping grouping) {
                     return groupedTable(report, "kernels", grouping, {.each = true, .rank = {}}, 1);
                   });
    QVERIFY(!rows.wanted());
    QVERIFY(rows.table() == nullptr);
    rows.choice().choose(CallGrouping::Phase);
    QVERIFY(rows.wanted());
    QVERIFY(job.settles());
    QVERIFY(rows.table() != nullptr && rows.table()->rowCount() > 0);
    rows.choice().choose(std::nullopt);
    QVERIFY(rows.table() == nullptr);
  }
};

RANKSCOPE_UI_TEST(ModelPartsTest)
#include "model_parts_test.moc"
