// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/application.h"

#include "core/base/caught.h"
#include "ui/base/text_scale.h"
#include "ui/base/work_failures.h"

#include <QEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QToolTip>
#include <QTreeView>

#include <cstdio>

namespace rankscope::ui {

namespace {

// Qt's own dialog, for desktops without one, cuts dates and times.
void widenColumns(QFileDialog& dialog) {
  constexpr int kRoomForNames = 320;
  const auto* const list = dialog.findChild<QTreeView*>(QStringLiteral("treeView"));
  if (list == nullptr) return; // the desktop's
  QHeaderView& header = *list->header();
  int others = 0;
  for (int column = 1; column < header.count(); ++column) {
    header.setSectionResizeMode(column, QHeaderView::ResizeToContents);
    if (!header.isSectionHidden(column)) others += header.sectionSize(column);
  }
  header.setSectionResizeMode(0, QHeaderView::Stretch);
  const int missing = scaledToText(kRoomForNames) + others - list->viewport()->width();
  if (missing > 0) dialog.resize(dialog.width() + missing, dialog.height());
}

} // namespace

// All event handlers are called from here, so exceptions do not propagate through Qt.
bool Application::notify(QObject* receiver, QEvent* event) {
  try {
    // It tells of what was under the mouse before the key moved it.
    if (event->type() == QEvent::KeyPress && QToolTip::isVisible()) QToolTip::hideText();
    const bool handled = QApplication::notify(receiver, event);
    if (event->type() == QEvent::Show)
      if (auto* const dialog = qobject_cast<QFileDialog*>(receiver)) widenColumns(*dialog);
    return handled;
  } catch (...) {
    const Error error = caughtError("to show this");
    // Falls back to stderr if there is no memory for the message in the window.
    if (attempt([&] { reportFailure(error); })) std::fputs("rankscope: not enough memory\n", stderr);
    return false;
  }
}

} // namespace rankscope::ui
