// SPDX-License-Identifier: GPL-3.0-or-later
// The row of tabs with the buttons at its right end. Tabs that do not fit between stand in a menu behind the
// last one that does; the one that is looked at always has its place in the row. It knows titles and
// positions only. UI thread.
#pragma once

#include <QFrame>

#include <vector>

class QTabBar;
class QToolButton;

namespace rankscope::ui {

class TabRow : public QFrame {
  Q_OBJECT
 public:
  explicit TabRow(QWidget* parent = nullptr);
  ~TabRow() override;

  // Behind the tabs that are there. keys: that turn to it, for its tip; empty: none.
  void addTab(const QString& title, const QString& keys = {});
  // Right of the buttons that are there; takes it over.
  void addButton(QToolButton* button);

  [[nodiscard]] int current() const;
  void setCurrent(int position);
  // The tab before (-1) or after (1), around the ends.
  void step(int by);
  // Positions of the tabs that have no place in the row now.
  [[nodiscard]] std::vector<int> hidden() const;

  [[nodiscard]] QTabBar& bar();
  [[nodiscard]] QToolButton& moreButton() { return *m_more; }

  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  void currentChanged(int position);
  // Also of the one that is current already.
  void chosen(int position);

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  class Bar;

  // Which tabs have a place, and where everything stands.
  void arrange();
  void showFitting(int space, int spaceWithMenu);
  void fillMenu();

  Bar* m_bar;
  QToolButton* m_more;
  std::vector<QToolButton*> m_buttons;
  bool m_arranging = false;
};

} // namespace rankscope::ui
