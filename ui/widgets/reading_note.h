// SPDX-License-Identifier: GPL-3.0-or-later
// Says how far files have been read again for a table, with a button that gives it up. Stays away while
// nothing is read. UI thread; looks at the progress ten times a second while it is watched.
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

  // Of what is being made; gives up what was watched before. Done and total are its bytes.
  [[nodiscard]] std::shared_ptr<Progress> watchNew();
  // What was watched is done.
  void stop();
  // Nobody wants it any more.
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
