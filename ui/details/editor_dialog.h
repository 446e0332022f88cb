// SPDX-License-Identifier: GPL-3.0-or-later
// Asks for the editor of source lines, and where source folders of other machines are on this one. UI thread.
#pragma once

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QSettings;
class QTableWidget;

namespace rankscope::ui {

class EditorDialog : public QDialog {
  Q_OBJECT
 public:
  // Shows the settings, and saves them when accepted.
  EditorDialog(QSettings& settings, QWidget* parent = nullptr);

  void accept() override;

 private:
  void choose(int index);
  void showProblem();

  QSettings& m_settings;
  QComboBox* m_editors;
  QLineEdit* m_command;
  QLabel* m_problem;
  QTableWidget* m_rules;
};

} // namespace rankscope::ui
