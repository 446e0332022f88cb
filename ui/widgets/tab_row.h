// SPDX-License-Identifier: GPL-3.0-or-later
// The row of tabs with buttons at its right end. Tabs that do not fit are in a menu after the last visible
// one; the current tab is always visible, and so is a pinned one. A tab that is absent is nowhere, unless it
// is the current one. Knows titles and positions only. UI thread.
#pragma once

#include <QFrame>

#include <set>
#include <vector>

class QTabBar;
class QToolButton;

namespace rankscope::ui {

class TabRow : public QFrame {
  Q_OBJECT
 public:
  explicit TabRow(QWidget* parent = nullptr);
  ~TabRow() override;

  // Appends a tab. keys: its shortcut, for the tooltip; may be empty.
  void addTab(const QString& title, const QString& keys = {});
  // Appends a button at the right; takes ownership.
  void addButton(QToolButton* button);

  [[nodiscard]] int current() const;
  void setCurrent(int position);
  // A tab that is never in the menu; -1: none.
  void setPinned(int position);
  // Whether a tab is left out because there is nothing for it to show.
  void setAbsent(int position, bool absent);
  [[nodiscard]] bool isAbsent(int position) const;
  // The previous (-1) or next (1) tab that is not absent, cyclic.
  void step(int by);
  // Positions of the tabs that are in the menu.
  [[nodiscard]] std::vector<int> hidden() const;

  [[nodiscard]] QTabBar& bar();
  [[nodiscard]] QToolButton& moreButton() { return *m_more; }

  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  void currentChanged(int position);
  // Emitted also for the current tab.
  void chosen(int position);

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  class Bar;

  // Decides which tabs are visible and places everything.
  void arrange();
  void showFitting(int space, int spaceWithMenu);
  void fillMenu();

  Bar* m_bar;
  QToolButton* m_more;
  std::vector<QToolButton*> m_buttons;
  int m_pinned = -1;
  std::set<int> m_absent;
  bool m_arranging = false;
};

} // namespace rankscope::ui
