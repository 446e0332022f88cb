// SPDX-License-Identifier: GPL-3.0-or-later
// A row of buttons of which one is chosen, such as the grouping of a table. Arrow keys move between them. UI
// thread.
#pragma once

#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace rankscope::ui {

class ChoiceRow : public QWidget {
  Q_OBJECT
 public:
  // The first one is chosen.
  ChoiceRow(const QString& name, const QStringList& titles, QWidget* parent = nullptr);

  [[nodiscard]] int chosen() const;
  [[nodiscard]] QString chosenText() const;
  // Like a click.
  void choose(int index);
  void setTip(int index, const QString& tip);

 signals:
  void chosenChanged(int index);

 private:
  QButtonGroup* m_buttons;
};

} // namespace rankscope::ui
