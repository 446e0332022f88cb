// SPDX-License-Identifier: GPL-3.0-or-later
// The application object: an exception of an event handler (mostly out of memory) ends that event, not the
// program, and is reported as a work failure. Every key hides the tooltip. Qt's
// own file dialog gets columns as wide as what is in them.
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
