// SPDX-License-Identifier: GPL-3.0-or-later
// Asks for the address of a remote, with the forms there are. Checks the form only; nothing is looked up.
#pragma once

#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;

namespace rankscope::ui {

class RemoteDialog : public QDialog {
  Q_OBJECT
 public:
  // last: the address of the last time, selected so that typing replaces it.
  explicit RemoteDialog(const QString& last = {}, QWidget* parent = nullptr);

  [[nodiscard]] QString address() const;

 private:
  [[nodiscard]] QWidget* makeForms() const;
  void check();

  QLineEdit* m_address;
  QLabel* m_note;
  QLabel* m_problem;
  QStackedWidget* m_said = nullptr; // the note or the problem
  QPushButton* m_list;
};

} // namespace rankscope::ui
