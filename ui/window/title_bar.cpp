// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/title_bar.h"

#include "ui/base/text_scale.h"
#include "ui/widgets/elided_label.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kButton = 26;
constexpr int kAround = 18; // height above and below the buttons
constexpr int kMaxNameKept = 200;
constexpr int kMinSearch = 200;

QToolButton* menuButton(const QString& text, QMenu* menu) {
  auto* button = new QToolButton;
  button->setText(text);
  button->setMenu(menu);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setFocusPolicy(Qt::TabFocus);
  button->setFixedHeight(scaledToText(kButton));
  return button;
}

} // namespace

TitleBar::TitleBar(QMenu* openMenu, QMenu* mainMenu, QWidget* parent) : QFrame(parent) {
  setObjectName(QStringLiteral("titleBar"));
  setFixedHeight(scaledToText(kButton) + kAround);
  m_name = new ElidedLabel;
  m_name->setObjectName(QStringLiteral("jobName"));
  m_summary = new ElidedLabel;
  m_summary->setObjectName(QStringLiteral("jobSummary"));
  m_summary->setSeparator(QStringLiteral(" · "));
  QToolButton* open = menuButton(tr("Open") + QStringLiteral(" ▾"), openMenu);
  open->setAccessibleName(tr("Open traces"));
  QToolButton* menu = menuButton(QStringLiteral("☰"), mainMenu);
  menu->setAccessibleName(tr("Menu"));
  menu->setToolTip(tr("Menu"));

  m_row = new QHBoxLayout(this);
  QHBoxLayout* const row = m_row;
  row->setContentsMargins(18, 0, 14, 0);
  row->setSpacing(8);
  row->addWidget(m_name);
  row->addSpacing(6);
  row->addWidget(m_summary, 1);
  row->addSpacing(10);
  row->addWidget(open);
  row->addWidget(menu);
  setJob({}, {});
}

void TitleBar::setJob(const QString& name, const QString& summary) {
  m_name->setText(name.isEmpty() ? QStringLiteral("Rankscope") : name);
  m_name->setMinimumWidth(0); // the hint of a label is no less
  // The search field gives way before the name is elided.
  m_name->setMinimumWidth(std::min(m_name->sizeHint().width(), scaledToText(kMaxNameKept)));
  m_summary->setText(summary);
  fitSearch();
}

void TitleBar::addSearch(QWidget* field) {
  m_search = field;
  m_row->insertWidget(m_row->count() - 2, field); // before the two menu buttons
  fitSearch();
}

void TitleBar::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  fitSearch();
}

// The search field gives way to the summary, as far as it stays useful.
void TitleBar::fitSearch() {
  if (!m_search) return;
  const int others =
      m_row->sizeHint().width() - std::min(m_search->sizeHint().width(), m_search->maximumWidth());
  m_search->setMaximumWidth(std::clamp(width() - others, scaledToText(kMinSearch),
                                       std::max(m_search->sizeHint().width(), scaledToText(kMinSearch))));
}

QString TitleBar::summary() const {
  return m_summary->text();
}

} // namespace rankscope::ui
