// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a source line: in the configured editor, else in a built-in viewer, else, if the file is not on this
// machine, by copying "file:line" to the clipboard. Paths of the machine where the job ran are mapped by
// rules of the settings. No shell is involved and a file name is never taken for an option: it is one
// argument, an absolute path. UI thread; does not wait for the editor.
#pragma once

#include "ui/widgets/call_stack.h"

#include <QList>
#include <QString>
#include <QStringList>

class QSettings;
class QWidget;

namespace rankscope::ui {

struct KnownEditor {
  QString name;
  QString command; // with %f for the file and %l for the line
};
[[nodiscard]] const QList<KnownEditor>& knownEditors();

// Paths that begin with `from` on the job's machine begin with `to` here. An empty `from`: relative paths.
struct PathRule {
  QString from;
  QString to;

  bool operator==(const PathRule&) const = default;
};
[[nodiscard]] QList<PathRule> pathRules(const QSettings& settings);
void setPathRules(QSettings& settings, const QList<PathRule>& rules);

// Applies the rule with the longest matching `from` that ends at a path separator; the path itself if none
// matches.
[[nodiscard]] QString pathHere(const QList<PathRule>& rules, const QString& recorded);

[[nodiscard]] QString editorTemplate(const QSettings& settings);
void setEditorTemplate(QSettings& settings, const QString& command);

// Program and arguments for a place; empty for an empty template. %f is the file, %l the line.
[[nodiscard]] QStringList editorCommand(const QString& commandTemplate, const SourcePlace& place);

// What was done, as a sentence; empty if it is visible. parent: of the viewer; null: no viewer.
QString openSource(const QSettings& settings, const SourcePlace& place, QWidget* parent = nullptr);

} // namespace rankscope::ui
