// SPDX-License-Identifier: GPL-3.0-or-later
// All lines of a message that is too long for the banner, to read, select and copy. UI thread.
#pragma once

#include <QString>
#include <QStringList>

class QWidget;

namespace rankscope::ui {

// Shows a dialog over the window; returns at once.
void showProblemList(QWidget* window, const QString& title, const QStringList& lines);

} // namespace rankscope::ui
