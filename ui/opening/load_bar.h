// SPDX-License-Identifier: GPL-3.0-or-later
// How far a load has come: stage, files, bytes and events, a thin bar, and buttons to cancel it or to choose
// a part of the job instead. Shows itself at the first news of a load, so that what opens in a blink does not
// make it flicker.
#pragma once

#include "ui/job/load_job.h"

#include <QFrame>

class QLabel;
class QProgressBar;
class QPushButton;

namespace rankscope::ui {

class LoadBar : public QFrame {
  Q_OBJECT
 public:
  // Follows the job and cancels it when asked.
  explicit LoadBar(LoadJob& job, QWidget* parent = nullptr);

  [[nodiscard]] QString text() const;

 signals:
  void partWanted();

 private:
  void showSnapshot(const LoadSnapshot& snapshot);

  QLabel* m_text;
  QProgressBar* m_bar;
  QPushButton* m_cancel;
};

// "Reading · 3 of 8 files · 412.0 MB of 812.0 MB · 2.1 M events"
[[nodiscard]] QString loadText(const LoadSnapshot& snapshot);

} // namespace rankscope::ui
