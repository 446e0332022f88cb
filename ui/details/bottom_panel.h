// SPDX-License-Identifier: GPL-3.0-or-later
// The strip under the timeline: tabs with one panel each, collapsible to the tabs alone. Clicking a tab opens
// it.
#pragma once

#include <QFrame>

class QStackedWidget;
class QToolButton;

namespace rankscope::ui {

class TabRow;

class BottomPanel : public QFrame {
  Q_OBJECT
 public:
  explicit BottomPanel(QWidget* parent = nullptr);

  // Takes ownership of the panel; returns its position.
  int addPanel(const QString& title, QWidget* panel);
  void showPanel(int position);
  // Shows the panel, but does not expand a collapsed strip: for panels that follow the selection.
  void followTo(int position);
  [[nodiscard]] int current() const;
  [[nodiscard]] QWidget* currentPanel() const;

  [[nodiscard]] bool collapsed() const { return m_collapsed; }
  void setCollapsed(bool collapsed);
  void toggle() { setCollapsed(!m_collapsed); }

 signals:
  void collapsedChanged(bool collapsed);
  // The user clicked the tab of a panel; also of the current one.
  void chosen(int position);

 private:
  TabRow* m_tabs;
  QToolButton* m_fold;
  QStackedWidget* m_stack;
  bool m_collapsed = false;
};

} // namespace rankscope::ui
