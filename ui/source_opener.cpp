// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/source_opener.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QFileInfo>
#include <QGuiApplication>
#include <QInputDialog>
#include <QProcess>
#include <QSettings>

namespace rankscope::ui {
namespace {

const QString kEditorKey = QStringLiteral("editor/command");

QString tr(const char* text) {
  return QCoreApplication::translate("SourceOpener", text);
}

} // namespace

QStringList editorCommand(const QString& commandTemplate, const SourcePlace& place) {
  QStringList parts = QProcess::splitCommand(commandTemplate);
  // Filled in after splitting: a file's name may have blanks and quotes.
  for (QString& part : parts) {
    part.replace(QLatin1String("%l"), QString::number(place.line));
    part.replace(QLatin1String("%f"), QString::fromStdString(place.file));
  }
  return parts;
}

QString openSource(const QSettings& settings, const SourcePlace& place) {
  const QString file = QString::fromStdString(place.file);
  const QString text = QStringLiteral("%1:%2").arg(file).arg(place.line);
  QStringList command = editorCommand(settings.value(kEditorKey).toString(), place);
  if (!command.isEmpty() && QFileInfo::exists(file)) {
    const QString program = command.takeFirst();
    if (QProcess::startDetached(program, command)) return tr("Opened %1").arg(text);
  }
  QGuiApplication::clipboard()->setText(text);
  if (command.isEmpty()) return tr("Copied %1. An editor can be set in the menu.").arg(text);
  return tr("Copied %1: it is not on this machine").arg(text);
}

void askForEditor(QWidget& parent, QSettings& settings) {
  bool accepted = false;
  const QString command = QInputDialog::getText(
      &parent, tr("Editor for source lines"), tr("Command, with %f for the file and %l for the line:"),
      QLineEdit::Normal, settings.value(kEditorKey, QStringLiteral("code -g %f:%l")).toString(), &accepted);
  if (accepted) settings.setValue(kEditorKey, command.trimmed());
}

} // namespace rankscope::ui
