// SPDX-License-Identifier: GPL-3.0-or-later
// The widgets of the compare tab and how they are laid out.
#include "ui/tabs/compare/compare_panel.h"

#include "ui/base/text_scale.h"
#include "ui/charts/chart_card.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/compare/compare_columns.h"
#include "ui/tabs/compare/row_choice.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/tab_context.h"
#include "ui/widgets/wrapped_label.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QStackedWidget>
#include <QStyle>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace rankscope::ui {

namespace {

// The letter of a side, told apart by ink: A hollow, B solid.
QLabel* chip(const QString& letter) {
  auto* label = new QLabel(letter);
  label->setObjectName(letter == QStringLiteral("A") ? QStringLiteral("sideA") : QStringLiteral("sideB"));
  label->setAlignment(Qt::AlignCenter);
  label->setFixedSize(scaledToText(22), scaledToText(20));
  return label;
}

} // namespace

QWidget* ComparePanel::makeEmptyPage() {
  auto* page = new QWidget;
  page->setObjectName(QStringLiteral("page"));
  auto* title = new QLabel(tr("Compare"));
  title->setObjectName(QStringLiteral("cardTitle"));
  auto* folder = new QPushButton(tr("Compare with a folder …"));
  auto* files = new QPushButton(tr("Compare with files …"));
  m_emptyPart->setMinimumContentsLength(14);
  connect(folder, &QPushButton::clicked, this, [this] { chooseOther(true); });
  connect(files, &QPushButton::clicked, this, [this] { chooseOther(false); });
  connect(m_emptyPart, &QComboBox::activated, this, [this](int row) {
    if (!m_data || row <= 0) return;
    // A part of the job with its next one of that kind.
    const std::vector<PartOption>& parts = m_data->partsA;
    const auto at = static_cast<std::size_t>(row);
    if (at >= parts.size()) return;
    const auto isLike = [&](std::size_t i) { return parts[i].part.kind == parts[at].part.kind; };
    std::size_t next = at + 1;
    if (next >= parts.size() || !isLike(next)) next = at - 1;
    if (isLike(next)) choose(parts[at].part, parts[next].part);
  });
  auto* row = new QVBoxLayout;
  row->setSpacing(8);
  for (QWidget* one : std::initializer_list<QWidget*>{folder, files, m_emptyPart})
    row->addWidget(one, 0, Qt::AlignHCenter);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(32, 32, 32, 32);
  column->setSpacing(12);
  column->addStretch(1);
  title->setAlignment(Qt::AlignCenter);
  m_empty->setAlignment(Qt::AlignCenter);
  column->addWidget(title);
  column->addWidget(m_empty);
  column->addLayout(row);
  column->addStretch(2);
  return page;
}

QWidget* ComparePanel::makeHead() {
  auto* head = new QFrame;
  head->setObjectName(QStringLiteral("card"));
  auto* swap = new QPushButton(tr("⇅ Swap"));
  swap->setToolTip(tr("Exchange A and B"));
  connect(swap, &QPushButton::clicked, this, &ComparePanel::swapSides);
  connect(m_close, &QPushButton::clicked, this, &ComparePanel::closeOther);
  auto* with = new QPushButton(tr("Compare with …"));
  with->setToolTip(tr("Open another job as side B"));
  connect(with, &QPushButton::clicked, this, [this] { chooseOther(true); });
  auto* sides = new QGridLayout;
  sides->setHorizontalSpacing(8);
  sides->setVerticalSpacing(6);
  for (const bool ofB : {false, true}) {
    const int row = ofB ? 1 : 0;
    sides->addWidget(chip(ofB ? QStringLiteral("B") : QStringLiteral("A")), row, 0, Qt::AlignTop);
    sides->addWidget(ofB ? m_titleB : m_titleA, row, 1);
    sides->addWidget(ofB ? m_partB : m_partA, row, 2, Qt::AlignTop);
    (ofB ? m_titleB : m_titleA)->setWordWrap(true);
    (ofB ? m_titleB : m_titleA)->setMinimumWidth(scaledToText(120));
  }
  sides->setColumnStretch(1, 1);
  auto* save = new QPushButton(tr("Export …"));
  save->setToolTip(tr("All tables as CSV, a page with everything and pictures of the charts"));
  connect(save, &QPushButton::clicked, this, &ComparePanel::askExport);
  connect(this, &ComparePanel::exported, save, [save](const QString& folder, const QString& problem) {
    const QString said =
        problem.isEmpty() ? tr("Written to %1").arg(folder) : tr("Not written: %1").arg(problem);
    save->setToolTip(said);
    QToolTip::showText(save->mapToGlobal(QPoint(0, save->height())), said, save);
  });
  auto* buttons = new QHBoxLayout;
  for (QPushButton* button : {swap, with, save, m_close}) buttons->addWidget(button);
  buttons->addStretch(1);
  m_sentence->setObjectName(QStringLiteral("cardTitle"));
  m_explanation->setObjectName(QStringLiteral("figureNote"));
  m_notes->setObjectName(QStringLiteral("figureNote"));
  m_verdict->setObjectName(QStringLiteral("verdict"));
  auto* said = new QHBoxLayout;
  said->addWidget(m_sentence, 1);
  said->addWidget(m_verdict, 0, Qt::AlignTop);
  auto* left = new QVBoxLayout;
  left->addLayout(sides);
  left->addLayout(buttons);
  left->addStretch(1);
  auto* right = new QVBoxLayout;
  right->addLayout(said);
  right->addWidget(m_explanation);
  right->addWidget(m_dots);
  right->addStretch(1);
  m_across->setSpacing(24);
  m_across->addLayout(left, 2);
  m_across->addLayout(right, 3);
  auto* column = new QVBoxLayout(head);
  column->setContentsMargins(18, 12, 18, 12);
  column->setSpacing(6);
  column->addLayout(m_across);
  column->addWidget(m_notes);
  return head;
}

QWidget* ComparePanel::makePage() {
  m_alignedCard->addControl(m_rank);
  m_alignedCard->addControl(m_step);
  m_waterfallCard->setCaption(tr("mean of kept steps"));
  auto* tables = new QWidget;
  auto* tableColumn = new QVBoxLayout(tables);
  tableColumn->setContentsMargins(0, 0, 0, 0);
  tableColumn->setSpacing(6);
  // Scrolls where large texts leave too little room for all buttons.
  auto* choice = new QScrollArea;
  choice->setFrameShape(QFrame::NoFrame);
  choice->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  choice->setWidgetResizable(true);
  choice->setWidget(m_which);
  choice->setFixedHeight(m_which->sizeHint().height() + 8);
  tableColumn->addWidget(choice);
  tableColumn->addWidget(m_tableStack, 1);
  auto* inner = new QWidget;
  inner->setObjectName(QStringLiteral("page"));
  auto* column = new QVBoxLayout(inner);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(12);
  column->addWidget(makeHead());
  auto* aligned = new QVBoxLayout;
  aligned->setSpacing(12);
  aligned->addWidget(m_alignedCard, 1);
  aligned->addWidget(makeCallStrip());
  m_middle->setSpacing(12);
  m_middle->addLayout(aligned, 3);
  column->addLayout(m_middle);
  m_bottom->setSpacing(12);
  m_bottom->addWidget(m_waterfallCard, 2);
  m_bottom->addWidget(tables, 3);
  column->addLayout(m_bottom, 1);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(inner);
  return scroll;
}

void ComparePanel::makeTables(QSettings& settings) {
  for (std::size_t i = 0; i < kCompareTableCount; ++i) {
    const auto which = static_cast<CompareTable>(i);
    auto* table =
        new TableCard(compareTableTitles().at(static_cast<int>(i)), compareColumns(which), m_session);
    table->setStretchColumn(compareStretchColumn(which));
    table->setMemoryKey(settings, QStringLiteral("compare.%1").arg(i));
    table->setFilterHint(tr("Filter"));
    table->setBarColor([table](int row, const Theme& theme) {
      const auto& shown = table->model().table();
      if (!shown) return theme.accent;
      const auto column = shown->columnNamed(changeColumn(*shown));
      if (!column) return theme.accent;
      const Cell cell = shown->at(static_cast<std::size_t>(row), *column);
      const auto* whole = std::get_if<std::int64_t>(&cell);
      const auto* number = std::get_if<double>(&cell);
      if ((whole != nullptr && *whole > 0) || (number != nullptr && *number > 0)) return theme.warn;
      return theme.accent;
    });
    m_tables[i] = table;
    m_tableStack->addWidget(table);
  }
}

} // namespace rankscope::ui
