// SPDX-License-Identifier: GPL-3.0-or-later
// Every model of the window keeps the rules of Qt's models while people open, sort, filter, search and mark.
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/details/regions_model.h"
#include "ui/details/search_hits_model.h"
#include "ui/tables/result_table_model.h"
#include "ui/tables/shown_rows.h"
#include "ui/tabs/tab_registry.h"

#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QAbstractProxyModel>
#include <QSet>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

// Those that views show, and what they are made from.
QSet<QAbstractItemModel*> modelsOf(QWidget& widget) {
  QSet<QAbstractItemModel*> models;
  for (const QAbstractItemView* const view : widget.findChildren<QAbstractItemView*>()) {
    for (QAbstractItemModel* model = view->model(); model != nullptr;) {
      models << model;
      const auto* const proxy = qobject_cast<QAbstractProxyModel*>(model);
      model = proxy ? proxy->sourceModel() : nullptr;
    }
  }
  for (QAbstractItemModel* const model : widget.findChildren<QAbstractItemModel*>()) models << model;
  // Qt's own: it tells of its end when it is half gone.
  erase_if(models, [](QAbstractItemModel* model) { return model->inherits("QTreeModel"); });
  return models;
}

template <class Model> bool contains(const QSet<QAbstractItemModel*>& models) {
  return std::ranges::any_of(models, [](QAbstractItemModel* model) { return qobject_cast<Model*>(model); });
}

} // namespace

class ModelsTest : public QObject {
  Q_OBJECT
 private slots:
  void everyModelKeepsTheRules() {
    QSet<QAbstractItemModel*> tested; // those that exist
    TestWindow shown;
    writeSmallJob(shown.folder.path() / "job");
    const auto test = [&] {
      for (QAbstractItemModel* const model : modelsOf(shown.window)) {
        if (tested.contains(model)) continue;
        tested << model;
        connect(model, &QObject::destroyed, this, [&tested, model] { tested.remove(model); });
        new QAbstractItemModelTester(model, QAbstractItemModelTester::FailureReportingMode::QtTest, model);
      }
    };
    test();
    QVERIFY(shown.opens(pathOf(shown.folder.path() / "job")));
    test();
    TraceSession& session = shown.window.session();
    shown.window.finder().setText(QStringLiteral("aten"));
    QVERIFY(shown.settles());
    const TimeRange extent = session.trace()->extent();
    for (TimeNs i = 0; i < 3; ++i) {
      Region region;
      region.name = session.marks().freeName();
      region.range = {extent.begin + i * 1000, extent.begin + 500'000 + i * 1000};
      session.marks().add(region);
    }
    session.marks().remove(1);
    session.setRange(TimeRange{extent.begin, extent.begin + extent.length() / 2});
    for (const TabSpec& tab : tabSpecs()) {
      QVERIFY(shown.shows(tab.name()));
      test();
      for (TableCard* const card : shown.window.findChildren<TableCard*>()) {
        if (!card->isVisible()) continue;
        QAbstractItemModel* const rows = card->view().model();
        for (int column = 0; column < rows->columnCount(); ++column)
          rows->sort(column, column % 2 == 0 ? Qt::DescendingOrder : Qt::AscendingOrder);
        card->setFilterWords(QStringLiteral("a"));
        card->setFilterWords(QStringLiteral("nothing has this"));
        card->setFilterWords({});
      }
    }
    shown.window.finder().setText({});
    QVERIFY(shown.settles());
    QVERIFY(contains<ResultTableModel>(tested) && contains<ShownRows>(tested));
    QVERIFY(contains<RegionsModel>(tested) && contains<SearchHitsModel>(tested));
    // Another job takes the place of this one.
    writeSmallJob(shown.folder.path() / "other", 2);
    QVERIFY(shown.opens(pathOf(shown.folder.path() / "other")));
    QVERIFY(shown.shows("operators"));
  }
};

RANKSCOPE_UI_TEST(ModelsTest)
#include "models_test.moc"
