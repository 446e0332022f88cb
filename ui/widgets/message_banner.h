// SPDX-License-Identifier: GPL-3.0-or-later
// A banner under the tabs that shows an error, a notice or a success, with actions and a way to dismiss it. A
// success goes by itself, unless the mouse is over it. One message at a time; the newest counts.
#pragma once

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QTimer;
class QVBoxLayout;

namespace rankscope::ui {

class MessageBanner : public QFrame {
  Q_OBJECT
 public:
  enum class Severity { Error, Notice, Success };

  explicit MessageBanner(QWidget* parent = nullptr);

  // details: one line each, shown under the title; empty action: no button.
  void showMessage(Severity severity, const QString& title, const QStringList& details,
                   const QString& action = {});
  // With a button for each action.
  void showChoices(Severity severity, const QString& title, const QStringList& details,
                   const QStringList& actions);
  [[nodiscard]] QString text() const;
  // The number of the button that was clicked last, from 0 on.
  [[nodiscard]] int chosen() const { return m_chosen; }

 signals:
  void actionWanted();

 protected:
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void placeActions(bool below);

  QHBoxLayout* m_row;
  QVBoxLayout* m_texts;
  QLabel* m_title;
  QLabel* m_details;
  QWidget* m_actions;
  int m_chosen = -1;
  QTimer* m_goes; // runs while a success is shown
};

} // namespace rankscope::ui
