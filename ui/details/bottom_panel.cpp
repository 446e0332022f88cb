// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/bottom_panel.h"
#include "ui/base/text_scale.h"
#include "ui/widgets/tab_row.h"

#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace rankscope::ui {

namespace {

constexpr int kTabsAround = 14; // above and below the names of the tabs
constexpr int kMinOpenHeight = 110;

int tabsHeight() {
  return scaledToText(20) + kTabsAround;
}

} // namespace

BottomPanel::BottomPanel(QWidget* parent) : QFrame(parent) {
  setObjectName(QStringLiteral("bottomPanel"));
  m_tabs = new TabRow;
  m_tabs->setObjectName(QStringLiteral("bottomTabs"));
  m_tabs->setFixedHeight(tabsHeight());
  m_fold = new QToolButton;
  m_fold->setObjectName(QStringLiteral("fold"));
  m_fold->setFocusPolicy(Qt::TabFocus);
  m_stack = new QStackedWidget;

  m_tabs->addButton(m_fold);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_tabs);
  column->addWidget(m_stack, 1);

  connect(m_tabs, &TabRow::currentChanged, m_stack, &QStackedWidget::setCurrentIndex);
  connect(m_tabs, &TabRow::chosen, this, [this](int position) {
    setCollapsed(false);
    emit chosen(position);
  });
  connect(m_fold, &QToolButton::clicked, this, &BottomPanel::toggle);
  setCollapsed(false);
}

int BottomPanel::addPanel(const QString& title, QWidget* panel) {
  m_stack->addWidget(panel);
  m_tabs->addTab(title);
  return m_stack->count() - 1;
}

void BottomPanel::showPanel(int position) {
  m_tabs->setCurrent(position);
  setCollapsed(false);
}

void BottomPanel::followTo(int position) {
  m_tabs->setCurrent(position);
}

int BottomPanel::current() const {
  return m_tabs->current();
}

QWidget* BottomPanel::currentPanel() const {
  return m_stack->currentWidget();
}

void BottomPanel::setCollapsed(bool collapsed) {
  m_collapsed = collapsed;
  m_stack->setVisible(!collapsed);
  setMinimumHeight(collapsed ? tabsHeight() : scaledToText(kMinOpenHeight));
  setMaximumHeight(collapsed ? tabsHeight() : QWIDGETSIZE_MAX);
  m_fold->setText(collapsed ? QStringLiteral("▴") : QStringLiteral("▾"));
  m_fold->setToolTip(collapsed ? tr("Show this panel (Q)") : tr("Hide this panel (Q)"));
  m_fold->setAccessibleName(m_fold->toolTip());
  emit collapsedChanged(collapsed);
}

} // namespace rankscope::ui
