// SPDX-License-Identifier: GPL-3.0-or-later
// A viewer of a source file at a line, used if no editor is configured. UI thread; reads the whole file,
// which must not be very large.
#pragma once

#include <QString>

class QWidget;

namespace rankscope::ui {

// False if the file cannot be read, is too large or is not text. line: counted from 1.
bool showSourceView(QWidget& parent, const QString& path, int line);

} // namespace rankscope::ui
