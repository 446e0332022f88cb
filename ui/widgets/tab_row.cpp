// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/tab_row.h"

#include <QEvent>
#include <QMenu>
#include <QStringList>
#include <QTabBar>
#include <QToolButton>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kMargin = 12;
constexpr int kSpacing = 8;
constexpr int kLine = 1; // separator below the row

} // namespace

// Reports the width of a tab, also of a hidden one.
class TabRow::Bar : public QTabBar {
 public:
  using QTabBar::QTabBar;
  [[nodiscard]] int widthOf(int position) const { return tabSizeHint(position).width(); }
};

TabRow::TabRow(QWidget* parent) : QFrame(parent), m_bar(new Bar(this)), m_more(new QToolButton(this)) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  m_bar->setExpanding(false);
  m_bar->setDrawBase(false);
  m_bar->setUsesScrollButtons(false);
  m_bar->setElideMode(Qt::ElideNone);
  m_bar->setFocusPolicy(Qt::TabFocus);
  auto* menu = new QMenu(m_more);
  m_more->setObjectName(QStringLiteral("moreTabs"));
  m_more->setText(tr("More") + QStringLiteral(" ▾"));
  m_more->setAccessibleName(tr("More tabs"));
  m_more->setMenu(menu);
  m_more->setPopupMode(QToolButton::InstantPopup);
  m_more->setFocusPolicy(Qt::TabFocus);
  m_more->hide();
  connect(menu, &QMenu::aboutToShow, this, &TabRow::fillMenu);
  connect(m_bar, &QTabBar::currentChanged, this, [this](int position) {
    if (m_arranging) return;
    arrange();
    emit currentChanged(position);
  });
  connect(m_bar, &QTabBar::tabBarClicked, this, &TabRow::chosen);
}

TabRow::~TabRow() = default;

QTabBar& TabRow::bar() {
  return *m_bar;
}

void TabRow::addTab(const QString& title, const QString& keys) {
  const int position = m_bar->addTab(title);
  m_bar->setTabToolTip(position, keys.isEmpty() ? title : tr("%1 (%2)").arg(title, keys));
  m_bar->setTabData(position, keys);
  arrange();
}

void TabRow::addButton(QToolButton* button) {
  button->setParent(this);
  button->show();
  m_buttons.push_back(button);
  arrange();
}

int TabRow::current() const {
  return m_bar->currentIndex();
}

void TabRow::setCurrent(int position) {
  if (position < 0 || position >= m_bar->count() || position == current()) return;
  // A hidden tab cannot become current.
  m_bar->setTabVisible(position, true);
  m_bar->setCurrentIndex(position);
}

void TabRow::setPinned(int position) {
  if (m_pinned == position) return;
  m_pinned = position;
  arrange();
}

void TabRow::setAbsent(int position, bool absent) {
  if (absent == isAbsent(position)) return;
  if (absent)
    m_absent.insert(position);
  else
    m_absent.erase(position);
  arrange();
}

bool TabRow::isAbsent(int position) const {
  return m_absent.contains(position);
}

void TabRow::step(int by) {
  const int count = m_bar->count();
  int next = current();
  for (int i = 0; i < count; ++i) {
    next = (next + by + count) % count;
    if (!isAbsent(next)) break;
  }
  setCurrent(next);
}

std::vector<int> TabRow::hidden() const {
  std::vector<int> positions;
  for (int i = 0; i < m_bar->count(); ++i)
    if (!m_bar->isTabVisible(i) && !isAbsent(i)) positions.push_back(i);
  return positions;
}

QSize TabRow::sizeHint() const {
  int height = m_bar->sizeHint().height();
  for (const QToolButton* button : m_buttons) height = std::max(height, button->sizeHint().height());
  return {minimumSizeHint().width(), height + kLine};
}

QSize TabRow::minimumSizeHint() const {
  int widest = 0;
  for (int i = 0; i < m_bar->count(); ++i) widest = std::max(widest, m_bar->widthOf(i));
  int width = 2 * kMargin + widest + kSpacing + m_more->sizeHint().width();
  for (const QToolButton* button : m_buttons) width += kSpacing + button->sizeHint().width();
  return {width, m_bar->minimumSizeHint().height() + kLine};
}

bool TabRow::event(QEvent* event) {
  switch (event->type()) {
  case QEvent::LayoutRequest:
  case QEvent::StyleChange:
  case QEvent::FontChange:
    arrange();
    updateGeometry();
    break;
  default:
    break;
  }
  return QFrame::event(event);
}

void TabRow::resizeEvent(QResizeEvent*) {
  arrange();
}

void TabRow::arrange() {
  if (m_arranging || m_bar->count() == 0) return;
  m_arranging = true;
  const int height = this->height() - kLine;
  const QSize tabs = m_bar->sizeHint();
  // Buttons are at the height of the titles; the bar lies at the bottom of a higher row.
  const auto topOf = [&](int size) { return height - (tabs.height() + size) / 2; };
  int right = width() - kMargin;
  for (auto button = m_buttons.rbegin(); button != m_buttons.rend(); ++button) {
    if ((*button)->isHidden()) continue;
    const QSize size = (*button)->sizeHint();
    (*button)->setGeometry(right - size.width(), topOf(size.height()), size.width(), size.height());
    right -= size.width() + kSpacing;
  }
  const QSize more = m_more->sizeHint();
  showFitting(right - kMargin, right - kMargin - kSpacing - more.width());
  const std::vector<int> without = hidden();
  const int shown = m_bar->sizeHint().width();
  m_bar->setGeometry(kMargin, height - tabs.height(), shown, tabs.height());
  m_more->setVisible(!without.empty());
  m_more->setGeometry(kMargin + shown + kSpacing, topOf(more.height()), more.width(), more.height());
  QStringList titles;
  for (const int position : without) titles << m_bar->tabText(position);
  m_more->setToolTip(titles.join(QStringLiteral(" · ")));
  m_arranging = false;
}

// Shows as many tabs as fit, and always the current one and the pinned one.
void TabRow::showFitting(int space, int spaceWithMenu) {
  int all = 0;
  for (int i = 0; i < m_bar->count(); ++i)
    if (!isAbsent(i) || i == current()) all += m_bar->widthOf(i);
  const int place = all <= space ? space : spaceWithMenu;
  const bool pinned = m_pinned >= 0 && m_pinned < m_bar->count();
  if (pinned && !m_bar->isTabVisible(m_pinned)) m_bar->setTabVisible(m_pinned, true);
  int used = m_bar->widthOf(current());
  if (pinned && m_pinned != current()) used += m_bar->widthOf(m_pinned);
  bool full = false;
  for (int i = 0; i < m_bar->count(); ++i) {
    if (i == current() || i == m_pinned) continue;
    if (isAbsent(i)) {
      if (m_bar->isTabVisible(i)) m_bar->setTabVisible(i, false);
      continue;
    }
    const int wide = m_bar->widthOf(i);
    full = full || used + wide > place;
    if (!full) used += wide;
    if (m_bar->isTabVisible(i) == full) m_bar->setTabVisible(i, !full);
  }
}

void TabRow::fillMenu() {
  QMenu& menu = *m_more->menu();
  menu.clear();
  for (const int position : hidden()) {
    QString text = m_bar->tabText(position);
    if (const QString keys = m_bar->tabData(position).toString(); !keys.isEmpty())
      text += QLatin1Char('\t') + keys;
    menu.addAction(text, this, [this, position] {
      setCurrent(position);
      emit chosen(position);
    });
  }
}

} // namespace rankscope::ui
