// SPDX-License-Identifier: GPL-3.0-or-later
// The demo job: a small generated training job with known problems, built and installed next to the
// program. Any thread; a few look-ups of files.
#pragma once

#include <QString>

namespace rankscope::ui {

// The folder with its traces for a program that lies in this folder: where an installation has it, else where
// the build does. Empty when there is none.
[[nodiscard]] QString demoJobFolder(const QString& programFolder);

} // namespace rankscope::ui
