// SPDX-License-Identifier: GPL-3.0-or-later
// Arranges items in as many lines as the width requires, so that a bar of controls can be as narrow as its
// widest control. An item may fill the rest of its line. UI thread; O(items).
#pragma once

#include <QLayout>

#include <vector>

namespace rankscope::ui {

class FlowLayout : public QLayout {
 public:
  explicit FlowLayout(QWidget* parent, int gap);
  ~FlowLayout() override;

  void addItem(QLayoutItem* item) override;
  // Centers the lines.
  void setCentered() { m_centered = true; }
  // Adds an item that fills the rest of its line, up to its maximum width.
  void addFilling(QWidget* widget);

  [[nodiscard]] int count() const override { return static_cast<int>(m_items.size()); }
  [[nodiscard]] QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
  [[nodiscard]] bool hasHeightForWidth() const override { return true; }
  [[nodiscard]] int heightForWidth(int width) const override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSize() const override;
  void setGeometry(const QRect& rect) override;

 private:
  struct Item {
    QLayoutItem* item;
    bool fills = false;
  };

  // The height of all lines at this width; optionally places the items.
  int layOut(const QRect& rect, bool place) const;
  int placeLine(const std::vector<Item>& line, const QRect& room, bool place) const;

  std::vector<Item> m_items;
  int m_gap;
  bool m_centered = false;
};

} // namespace rankscope::ui
