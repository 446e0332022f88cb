// SPDX-License-Identifier: GPL-3.0-or-later
// The window's first row: name and summary of the open job, and the menu buttons. Display only; actions are
// in the menus.
#pragma once

#include <QFrame>

class QHBoxLayout;
class QMenu;
class QToolButton;

namespace rankscope::ui {

class ElidedLabel;

class TitleBar : public QFrame {
  Q_OBJECT
 public:
  // The caller keeps ownership of the menus.
  TitleBar(QMenu* openMenu, QMenu* mainMenu, QWidget* parent = nullptr);

  // summary: "8 ranks · 2 nodes · 5 steps …"; both empty if nothing is open.
  void setJob(const QString& name, const QString& summary);
  [[nodiscard]] QString summary() const;
  // Inserted left of the buttons; takes ownership.
  void addSearch(QWidget* field);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fitSearch();

  ElidedLabel* m_name;
  ElidedLabel* m_summary;
  QHBoxLayout* m_row;
  QWidget* m_search = nullptr;
};

} // namespace rankscope::ui
