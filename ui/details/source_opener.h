// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a place in a source file: in the editor whose command the settings hold, else in a view of the
// program's own, else, where the file is not on this machine, by putting "file:line" on the clipboard. Paths
// as they were where the job ran are turned into paths here by rules of the settings. No shell is asked and a
// file's name is never read as an option: it is one argument, an absolute path. UI thread; never waits for
// the editor.
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

// What begins with `from` where the job ran begins with `to` here. An empty `from`: paths that are relative.
struct PathRule {
  QString from;
  QString to;

  bool operator==(const PathRule&) const = default;
};
[[nodiscard]] QList<PathRule> pathRules(const QSettings& settings);
void setPathRules(QSettings& settings, const QList<PathRule>& rules);

// By the rule with the longest `from` that is a whole part of the path; the path itself when none is.
[[nodiscard]] QString pathHere(const QList<PathRule>& rules, const QString& recorded);

[[nodiscard]] QString editorTemplate(const QSettings& settings);
void setEditorTemplate(QSettings& settings, const QString& command);

// Program and arguments for a place; empty for an empty template. %f is the file, %l the line.
[[nodiscard]] QStringList editorCommand(const QString& commandTemplate, const SourcePlace& place);

// What it did, as a sentence; empty when that is seen. parent: of the view; null: without one.
QString openSource(const QSettings& settings, const SourcePlace& place, QWidget* parent = nullptr);

} // namespace rankscope::ui
