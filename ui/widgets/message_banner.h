// SPDX-License-Identifier: GPL-3.0-or-later
// A banner under the tabs that shows an error, with one action and a way to dismiss it.
// One message at a time; the newest counts.
#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace rankscope::ui {

class MessageBanner : public QFrame {
  Q_OBJECT
 public:
  enum class Severity { Error, Notice };

  explicit MessageBanner(QWidget* parent = nullptr);

  // details: one line each, shown under the title; empty action: no button.
  void showMessage(Severity severity, const QString& title, const QStringList& details,
                   const QString& action = {});
  [[nodiscard]] QString text() const;

 signals:
  void actionWanted();

 private:
  QLabel* m_title;
  QLabel* m_details;
  QPushButton* m_action;
};

} // namespace rankscope::ui
