// SPDX-License-Identifier: GPL-3.0-or-later
// All keys and gestures on one sheet, by group, made from the action table. Closed like any dialog, or by
// the key that opened it. As many columns as fit beside each other.
#pragma once

#include <QDialog>
#include <QString>

#include <vector>

class QScrollArea;

namespace rankscope::ui {

class ActionRegistry;
struct Theme;

class KeySheet : public QDialog {
  Q_OBJECT

 public:
  KeySheet(const ActionRegistry& actions, const Theme& theme, QWidget* parent = nullptr);

  // As text, for printing: "group", then "keys <tab> title".
  [[nodiscard]] static QString plainText(const ActionRegistry& actions);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct GroupText {
    QString html;
    int rows = 0;
  };

  [[nodiscard]] QWidget* pageOf(int count) const;

  std::vector<GroupText> m_groups;
  QScrollArea* m_scroll;
};

} // namespace rankscope::ui
