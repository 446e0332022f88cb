// SPDX-License-Identifier: GPL-3.0-or-later
// The program's application: what an event's handler throws, memory that runs out above all, ends that event
// and not the program, and is reported as a failure of work.
#pragma once

#include <QApplication>

namespace rankscope::ui {

class Application : public QApplication {
  Q_OBJECT
 public:
  using QApplication::QApplication;

  bool notify(QObject* receiver, QEvent* event) override;
};

} // namespace rankscope::ui
