// SPDX-License-Identifier: GPL-3.0-or-later
// Progress of a load: stage, files, bytes and events, a progress bar, and buttons to cancel or to open
// partially. Appears with the first progress report, so that fast loads do not flicker.
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
  // Follows the job; its button cancels it.
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
