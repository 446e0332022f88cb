// SPDX-License-Identifier: GPL-3.0-or-later
// Asks which editor shows source lines, and where sources of other machines lie on this one. UI thread.
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
  // Takes over what the settings hold, and keeps what is accepted there.
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
