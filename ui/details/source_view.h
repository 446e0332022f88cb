// SPDX-License-Identifier: GPL-3.0-or-later
// A source file to read, at one of its lines, for who has set no editor. UI thread; reads the file at once,
// so not one that is very large.
#pragma once

#include <QString>

class QWidget;

namespace rankscope::ui {

// False when the file cannot be read, or is too large or no text. line: counted from 1.
bool showSourceView(QWidget& parent, const QString& path, int line);

} // namespace rankscope::ui
