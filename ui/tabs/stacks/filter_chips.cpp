// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/stacks/filter_chips.h"

#include "ui/widgets/flow_layout.h"

#include <QToolButton>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kLongestWords = 40;

QString titleOf(StackFilterKind kind) {
  switch (kind) {
  case StackFilterKind::ShowStack:
    return FilterChips::tr("Show stack: %1");
  case StackFilterKind::HideStack:
    return FilterChips::tr("Hide stack: %1");
  case StackFilterKind::ShowFrom:
    return FilterChips::tr("Show from frame: %1");
  case StackFilterKind::HideFrame:
    break;
  }
  return FilterChips::tr("Hide frame: %1");
}

QString textOf(const StackFilter& filter) {
  QString words = QString::fromStdString(filter.words);
  if (words.size() > kLongestWords) words = QStringLiteral("… ") + words.right(kLongestWords);
  return titleOf(filter.kind).arg(words);
}

} // namespace

FilterChips::FilterChips(QWidget* parent) : QWidget(parent), m_row(new FlowLayout(this, 8)) {
  hide();
}

void FilterChips::add(const StackFilter& filter) {
  if (std::ranges::find(m_filters, filter) != m_filters.end()) return;
  m_filters.push_back(filter);
  refresh();
}

void FilterChips::remove(std::size_t at) {
  if (at >= m_filters.size()) return;
  m_filters.erase(m_filters.begin() + static_cast<std::ptrdiff_t>(at));
  refresh();
}

void FilterChips::clear() {
  if (m_filters.empty()) return;
  m_filters.clear();
  refresh();
}

QStringList FilterChips::texts() const {
  QStringList texts;
  for (const StackFilter& filter : m_filters) texts << textOf(filter);
  return texts;
}

void FilterChips::refresh() {
  while (QLayoutItem* const item = m_row->takeAt(0)) {
    item->widget()->deleteLater();
    item->widget()->hide();
    delete item;
  }
  for (std::size_t i = 0; i < m_filters.size(); ++i) {
    auto* chip = new QToolButton;
    chip->setObjectName(QStringLiteral("viewChip"));
    chip->setText(textOf(m_filters[i]) + QStringLiteral("   ✕"));
    chip->setToolTip(tr("%1\nClick to remove this filter").arg(QString::fromStdString(m_filters[i].words)));
    chip->setAccessibleName(tr("Remove filter %1").arg(textOf(m_filters[i])));
    // The click rebuilds this row, so it runs queued, after the chip's own code has returned.
    connect(
        chip, &QToolButton::clicked, this, [this, i] { remove(i); }, Qt::QueuedConnection);
    m_row->addWidget(chip);
    chip->show();
  }
  setVisible(!m_filters.empty());
  updateGeometry();
  emit filtersChanged();
}

} // namespace rankscope::ui
