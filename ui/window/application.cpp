// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/application.h"

#include "core/base/caught.h"
#include "ui/base/work_failures.h"

#include <QEvent>
#include <QToolTip>

#include <cstdio>

namespace rankscope::ui {

// All event handlers are called from here, so exceptions do not propagate through Qt.
bool Application::notify(QObject* receiver, QEvent* event) {
  try {
    // It tells of what was under the mouse before the key moved it.
    if (event->type() == QEvent::KeyPress && QToolTip::isVisible()) QToolTip::hideText();
    return QApplication::notify(receiver, event);
  } catch (...) {
    const Error error = caughtError("to show this");
    // Falls back to stderr if there is no memory for the message in the window.
    if (attempt([&] { reportFailure(error); })) std::fputs("rankscope: not enough memory\n", stderr);
    return false;
  }
}

} // namespace rankscope::ui
