// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/flow_layout.h"

#include <QWidget>

#include <algorithm>

namespace rankscope::ui {

FlowLayout::FlowLayout(QWidget* parent, int gap) : QLayout(parent), m_gap(gap) {
  setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() {
  for (const Item& item : m_items) delete item.item;
}

void FlowLayout::addItem(QLayoutItem* item) {
  m_items.push_back({item});
}

void FlowLayout::addFilling(QWidget* widget) {
  addWidget(widget);
  m_items.back().fills = true;
}

QLayoutItem* FlowLayout::itemAt(int index) const {
  return index >= 0 && index < count() ? m_items[static_cast<std::size_t>(index)].item : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
  QLayoutItem* const item = itemAt(index);
  if (item) m_items.erase(m_items.begin() + index);
  return item;
}

int FlowLayout::heightForWidth(int width) const {
  const QMargins margins = contentsMargins();
  return layOut({0, 0, width - margins.left() - margins.right(), 0}, false) + margins.top() +
         margins.bottom();
}

QSize FlowLayout::sizeHint() const {
  QSize all(0, 0);
  for (const Item& item : m_items) {
    if (item.item->isEmpty()) continue;
    const QSize size = item.item->sizeHint();
    all = {all.width() + size.width() + (all.width() > 0 ? m_gap : 0), std::max(all.height(), size.height())};
  }
  return all.grownBy(contentsMargins());
}

QSize FlowLayout::minimumSize() const {
  QSize least(0, 0);
  for (const Item& item : m_items)
    if (!item.item->isEmpty()) least = least.expandedTo(item.item->minimumSize());
  return least.grownBy(contentsMargins());
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  layOut(rect.marginsRemoved(contentsMargins()), true);
}

int FlowLayout::layOut(const QRect& rect, bool place) const {
  int y = rect.top();
  int used = 0;
  std::vector<Item> line;
  const auto end = [&] {
    if (line.empty()) return;
    if (y > rect.top()) y += m_gap / 2;
    y += placeLine(line, {rect.left(), y, rect.width(), 0}, place);
    line.clear();
    used = 0;
  };
  for (const Item& item : m_items) {
    if (item.item->isEmpty()) continue;
    const int wide = item.item->sizeHint().width();
    if (!line.empty() && used + m_gap + wide > rect.width()) end();
    used += (line.empty() ? 0 : m_gap) + wide;
    line.push_back(item);
  }
  end();
  return y - rect.top();
}

int FlowLayout::placeLine(const std::vector<Item>& line, const QRect& room, bool place) const {
  int high = 0;
  int spare = room.width() - m_gap * (static_cast<int>(line.size()) - 1);
  std::vector<int> widths;
  for (const Item& item : line) {
    widths.push_back(std::min(item.item->sizeHint().width(), room.width()));
    spare -= widths.back();
  }
  for (std::size_t i = 0; i < line.size(); ++i) {
    QLayoutItem& item = *line[i].item;
    if (line[i].fills && spare > 0) {
      const int more = std::clamp(item.maximumSize().width() - widths[i], 0, spare);
      widths[i] += more;
      spare -= more;
    }
    high =
        std::max(high, item.hasHeightForWidth() ? item.heightForWidth(widths[i]) : item.sizeHint().height());
  }
  int x = room.left() + (m_centered ? std::max(0, spare / 2) : 0);
  for (std::size_t i = 0; place && i < line.size(); ++i) {
    QLayoutItem& item = *line[i].item;
    const int own = item.hasHeightForWidth() ? item.heightForWidth(widths[i]) : item.sizeHint().height();
    item.setGeometry({x, room.top() + (high - own) / 2, widths[i], own});
    x += widths[i] + m_gap;
  }
  return high;
}

} // namespace rankscope::ui
