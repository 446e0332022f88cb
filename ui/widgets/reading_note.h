// SPDX-License-Identifier: GPL-3.0-or-later
// Progress of reading files again for a table, with a cancel button. Hidden otherwise. UI thread; polls the
// progress ten times per second.
#pragma once

#include "core/base/progress.h"

#include <QTimer>
#include <QWidget>

#include <memory>

class QLabel;

namespace rankscope::ui {

class ReadingNote : public QWidget {
  Q_OBJECT
 public:
  explicit ReadingNote(QWidget* parent = nullptr);

  // Progress of new work, in bytes; cancels the previous work.
  [[nodiscard]] std::shared_ptr<Progress> watchNew();
  // The work is done.
  void stop();
  // Cancels the work.
  void giveUp();

 signals:
  void cancelWanted();

 private:
  void refresh();

  QLabel* m_text;
  QTimer m_timer;
  std::shared_ptr<Progress> m_progress;
};

} // namespace rankscope::ui
