// SPDX-License-Identifier: GPL-3.0-or-later
// A card with a table of five rows and seven columns, worked by mouse and keys.
#pragma once

#include "tests/ui/settling.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"

#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <memory>
#include <utility>
#include <vector>

namespace rankscope::ui::test_tables {

inline constexpr TimeNs kUs = 1'000;

inline std::vector<ShownColumn> someColumns() {
  return {
      {.source = "rank", .title = "Rank"},
      {.source = "name", .title = "Name"},
      {.source = "calls", .title = "Calls", .footer = Footer::Sum},
      {.source = "total_us", .title = "Share", .share = true, .footer = Footer::Sum},
      {.source = "total_us", .title = "Total", .footer = Footer::Sum},
      {.source = "occupancy_pct", .title = "Occup.", .footer = Footer::Mean, .hidden = true},
      {.source = "tensor_cores", .title = "TC", .words = yesOrNo},
  };
}

inline ResultTable emptyTable() {
  return {"things",
          {{"rank", Unit::Identity},
           {"name", Unit::Text},
           {"calls", Unit::Count},
           {"total_us", Unit::Nanoseconds},
           {"occupancy_pct", Unit::Percent},
           {"tensor_cores", Unit::Count}}};
}

inline std::shared_ptr<const ResultTable> someTable() {
  ResultTable table = emptyTable();
  const auto add = [&](std::int64_t rank, const char* name, std::int64_t calls, Cell total, Cell tensor) {
    table.addRow({Cell(rank), Cell(std::string_view(name)), Cell(calls), total, Cell(12.5), tensor});
  };
  add(0, "gemm_2", 10, Cell(1'625'483'125), Cell(std::int64_t{1}));
  add(0, "gemm_10", 20, Cell(std::int64_t{400 * kUs}), Cell(std::int64_t{0}));
  add(1, "Gemm_1", 30, Cell(), Cell());
  add(1, "ncclDevKernel_AllReduce", 1234, Cell(std::int64_t{2 * kUs}), Cell());
  add(2, "copy", 40, Cell(std::int64_t{400 * kUs}), Cell(std::int64_t{0}));
  return std::make_shared<const ResultTable>(std::move(table));
}

struct Card {
  TraceSession session;
  TableCard card{"Things", someColumns(), session};

  explicit Card(std::shared_ptr<const ResultTable> table = someTable(), bool withField = false) {
    if (withField) card.setFilterHint("Filter things");
    card.setStretchColumn("name");
    card.setTable(std::move(table), "There are no things.");
    card.resize(900, 360);
    card.show();
    QApplication::setActiveWindow(&card);
    QVERIFY(QTest::qWaitForWindowActive(&card, kTimeoutMs));
  }
  [[nodiscard]] int section(const char* title) const {
    for (int column = 0; column < card.model().columnCount(); ++column)
      if (card.model().column(column).title == QLatin1String(title)) return column;
    return -1;
  }
  void clickHeader(const char* title) {
    QHeaderView* header = card.view().horizontalHeader();
    const int column = section(title);
    const QPoint at(header->sectionViewportPosition(column) + header->sectionSize(column) / 2, 10);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier, at);
  }
  [[nodiscard]] QPoint onRow(int tableRow) {
    const int place = card.view().rows().order().placeOf(tableRow);
    return {60, card.view().rowViewportPosition(place) + card.view().rowHeight(place) / 2};
  }
  void clickRow(int tableRow) {
    QTest::mouseClick(card.view().viewport(), Qt::LeftButton, Qt::NoModifier, onRow(tableRow));
  }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(&card.view(), key, modifiers);
  }
  [[nodiscard]] std::vector<int> rows() const {
    std::vector<int> shown;
    shown.reserve(static_cast<std::size_t>(card.shownRows()));
    for (int place = 0; place < card.shownRows(); ++place) shown.push_back(card.tableRow(place));
    return shown;
  }
  [[nodiscard]] QString caption() const { return card.findChild<QLabel*>("caption")->text(); }
};

using Rows = std::vector<int>;

// The row of the last signal; -2 without one.
inline int sumOf(const QSignalSpy& spy) {
  return spy.empty() ? -2 : spy.back().front().toInt();
}

} // namespace rankscope::ui::test_tables
