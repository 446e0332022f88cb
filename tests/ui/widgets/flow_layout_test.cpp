// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/flow_layout.h"

#include "tests/ui/ui_test.h"

#include <QTest>
#include <QWidget>

#include <vector>

using namespace rankscope::ui;

namespace {

constexpr int kGap = 10;

// Widgets of 100 by 20 pixels in a flow layout, placed in a rectangle of some width.
struct Flow {
  QWidget parent;
  FlowLayout* layout = new FlowLayout(&parent, kGap);
  std::vector<QWidget*> items;

  QWidget* add() {
    auto* const widget = new QWidget(&parent);
    widget->setFixedSize(100, 20);
    widget->show(); // once its parent is
    layout->addWidget(widget);
    items.push_back(widget);
    return widget;
  }
  std::vector<QPoint> placesIn(int width) {
    layout->setGeometry({0, 0, width, 200});
    std::vector<QPoint> places;
    for (const QWidget* const item : items) places.push_back(item->pos());
    return places;
  }
};

using Places = std::vector<QPoint>;

} // namespace

class FlowLayoutTest : public QObject {
  Q_OBJECT

 private slots:
  void itemsThatDoNotFitStandInTheNextLine() {
    Flow flow;
    for (int i = 0; i < 3; ++i) flow.add();
    QCOMPARE(flow.placesIn(320), (Places{{0, 0}, {110, 0}, {220, 0}}));
    QCOMPARE(flow.layout->heightForWidth(320), 20);
    QCOMPARE(flow.placesIn(319), (Places{{0, 0}, {110, 0}, {0, 20 + kGap / 2}}));
    QCOMPARE(flow.layout->heightForWidth(319), 2 * 20 + kGap / 2);
    QCOMPARE(flow.layout->heightForWidth(100), 3 * 20 + 2 * (kGap / 2));
  }

  void itIsAsNarrowAsItsWidestItem() {
    Flow flow;
    flow.add();
    flow.add()->setFixedWidth(150);
    QCOMPARE(flow.layout->minimumSize(), QSize(150, 20));
    QCOMPARE(flow.layout->sizeHint(), QSize(100 + kGap + 150, 20));
  }

  void whatIsHiddenTakesNoPlace() {
    Flow flow;
    flow.add();
    flow.add()->hide();
    flow.add();
    const Places places = flow.placesIn(210);
    QCOMPARE(places[2], QPoint(110, 0));
    QCOMPARE(flow.layout->heightForWidth(210), 20);
  }

  void aFillingItemTakesTheRestOfItsLineUpToItsLargestWidth() {
    Flow flow;
    flow.add();
    auto* const field = new QWidget(&flow.parent);
    field->setMinimumSize(50, 20);
    field->setMaximumSize(300, 20);
    field->show();
    flow.layout->addFilling(field);
    static_cast<void>(flow.placesIn(260));
    QCOMPARE(field->geometry(), QRect(110, 0, 150, 20));
    static_cast<void>(flow.placesIn(1000));
    QCOMPARE(field->width(), 300);
  }
};

RANKSCOPE_UI_TEST(FlowLayoutTest)
#include "flow_layout_test.moc"
