// SPDX-License-Identifier: GPL-3.0-or-later
// Every key and gesture on one sheet, by group, made from the table of actions; what has neither key nor
// gesture is not on it. Closed by any key that closes a dialog, or by the one that opened it.
#pragma once

#include <QDialog>

namespace rankscope::ui {

class ActionRegistry;
struct Theme;

class KeySheet : public QDialog {
  Q_OBJECT

 public:
  KeySheet(const ActionRegistry& actions, const Theme& theme, QWidget* parent = nullptr);

  // As text, for people who print it: "group", then "keys <tab> what they do".
  [[nodiscard]] static QString plainText(const ActionRegistry& actions);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
};

} // namespace rankscope::ui
