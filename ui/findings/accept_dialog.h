// SPDX-License-Identifier: GPL-3.0-or-later
// Asks for the note with which a finding is accepted. UI thread.
#pragma once

#include <QDialog>
#include <QString>

class QLineEdit;

namespace rankscope::ui {

class AcceptDialog : public QDialog {
  Q_OBJECT
 public:
  AcceptDialog(const QString& title, const QString& note, QWidget* parent);

  [[nodiscard]] QString note() const;

 private:
  QLineEdit* m_note;
};

} // namespace rankscope::ui
