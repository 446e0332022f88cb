// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/occurrence_bar.h"

#include "ui/job/occurrences.h"
#include "ui/tables/table_card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QShortcut>
#include <QToolButton>

namespace rankscope::ui {

OccurrenceBar::OccurrenceBar(Occurrences& calls, QWidget* parent)
    : QWidget(parent), m_calls(calls), m_text(new QLabel), m_back(new QToolButton), m_on(new QToolButton) {
  m_text->setObjectName(QStringLiteral("caption"));
  m_back->setObjectName(QStringLiteral("previousCall"));
  m_back->setText(QStringLiteral("‹"));
  m_back->setToolTip(tr("Select the previous call in the timeline (Shift+N)"));
  m_back->setAccessibleName(tr("Previous call"));
  m_on->setObjectName(QStringLiteral("nextCall"));
  m_on->setText(QStringLiteral("›"));
  m_on->setToolTip(tr("Select the next call in the timeline (N)"));
  m_on->setAccessibleName(tr("Next call"));
  for (QToolButton* button : {m_back, m_on}) button->setFocusPolicy(Qt::TabFocus);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  row->addWidget(m_text);
  row->addWidget(m_back);
  row->addWidget(m_on);
  connect(m_back, &QToolButton::clicked, this, [this] { m_calls.step(-1); });
  connect(m_on, &QToolButton::clicked, this, [this] { m_calls.step(1); });
  connect(&m_calls, &Occurrences::changed, this, &OccurrenceBar::refresh);
  refresh();
}

void OccurrenceBar::refresh() {
  const auto& calls = m_calls.calls();
  const std::size_t count = calls ? calls->calls.size() : 0;
  const auto at = m_calls.position();
  m_text->setText(m_calls.text());
  m_text->setToolTip(m_calls.placeText());
  m_back->setEnabled(count > 0 && (!at || *at > 0));
  m_on->setEnabled(count > 0 && (!at || *at + 1 < count));
}

void OccurrenceBar::serve(TableCard& card) {
  const auto key = [&](const QKeySequence& keys, int by) {
    auto* shortcut = new QShortcut(keys, &card.view());
    shortcut->setContext(Qt::WidgetShortcut);
    connect(shortcut, &QShortcut::activated, this, [this, by] { m_calls.step(by); });
  };
  key(Qt::Key_N, 1);
  key(Qt::SHIFT | Qt::Key_N, -1);
  connect(&card, &TableCard::menuAboutToShow, this, [this](QMenu* menu, int row) {
    if (row < 0) return;
    menu->addSeparator();
    menu->addAction(tr("Show first call in the timeline"), &m_calls, &Occurrences::showFirst);
    menu->addAction(tr("Show longest call in the timeline"), &m_calls, &Occurrences::showLongest);
    QAction* next = menu->addAction(tr("Select next call"), &m_calls, [this] { m_calls.step(1); });
    next->setShortcut(Qt::Key_N);
  });
}

} // namespace rankscope::ui
