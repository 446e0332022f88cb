// SPDX-License-Identifier: GPL-3.0-or-later
// The window's first row: what is open, in one line of figures, and the buttons that open and set things. It
// shows what it is told and asks for nothing but through its buttons' menus.
#pragma once

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QMenu;
class QToolButton;

namespace rankscope::ui {

class ElidedLabel;

class TitleBar : public QFrame {
  Q_OBJECT
 public:
  // The menus stay the caller's.
  TitleBar(QMenu* openMenu, QMenu* mainMenu, QWidget* parent = nullptr);

  // summary: "8 ranks · 2 nodes · 5 steps …"; both empty when nothing is open.
  void setJob(const QString& name, const QString& summary);
  [[nodiscard]] QString summary() const;
  // Left of the buttons; takes it over.
  void addSearch(QWidget* field);

 private:
  ElidedLabel* m_name;
  ElidedLabel* m_summary;
  QHBoxLayout* m_row;
};

} // namespace rankscope::ui
