// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/application.h"

#include "core/base/caught.h"
#include "ui/base/work_failures.h"

#include <cstdio>

namespace rankscope::ui {

// Every handler is called from here, so no exception comes further through Qt than from the handler to this.
bool Application::notify(QObject* receiver, QEvent* event) {
  try {
    return QApplication::notify(receiver, event);
  } catch (...) {
    const Error error = caughtError("to show this");
    // Without memory for the message in the window, where there may soon be some again.
    if (attempt([&] { reportFailure(error); })) std::fputs("rankscope: not enough memory\n", stderr);
    return false;
  }
}

} // namespace rankscope::ui
