// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a place in a source file: in the editor whose command the settings hold ("code -g %f:%l"), else by
// putting "file:line" on the clipboard. Says which of the two it did. UI thread; never waits for the editor.
#pragma once

#include "ui/panels/call_stack.h"

#include <QString>
#include <QStringList>

class QSettings;
class QWidget;

namespace rankscope::ui {

// Program and arguments for a place; empty for an empty template. %f is the file, %l the line.
[[nodiscard]] QStringList editorCommand(const QString& commandTemplate, const SourcePlace& place);

// What it did, as a sentence.
QString openSource(const QSettings& settings, const SourcePlace& place);

// Asks for the editor's command.
void askForEditor(QWidget& parent, QSettings& settings);

} // namespace rankscope::ui
