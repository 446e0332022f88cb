// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/source_opener.h"

#include "ui/base/ui_text.h"
#include "ui/details/source_view.h"

#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QProcess>
#include <QSettings>

namespace rankscope::ui {
namespace {

const QString kEditorKey = QStringLiteral("editor/command");
const QString kRulesKey = QStringLiteral("editor/paths");

QString withoutEndSlash(QString path) {
  while (path.size() > 1 && path.endsWith(QLatin1Char('/'))) path.chop(1);
  return path;
}

} // namespace

const QList<KnownEditor>& knownEditors() {
  static const QList<KnownEditor> editors{
      {QStringLiteral("VS Code"), QStringLiteral("code -g %f:%l")},
      {QStringLiteral("VSCodium"), QStringLiteral("codium -g %f:%l")},
      {QStringLiteral("PyCharm"), QStringLiteral("pycharm --line %l %f")},
      {QStringLiteral("IntelliJ IDEA"), QStringLiteral("idea --line %l %f")},
      {QStringLiteral("Emacs"), QStringLiteral("emacsclient -n +%l %f")},
      {QStringLiteral("Vim (GVim)"), QStringLiteral("gvim +%l %f")},
      {QStringLiteral("Vim in a terminal"), QStringLiteral("x-terminal-emulator -e vim +%l %f")},
      {QStringLiteral("Sublime Text"), QStringLiteral("subl %f:%l")},
      {QStringLiteral("Kate"), QStringLiteral("kate -l %l %f")},
  };
  return editors;
}

QList<PathRule> pathRules(const QSettings& settings) {
  QList<PathRule> rules;
  // Two texts per rule.
  const QStringList texts = settings.value(kRulesKey).toStringList();
  for (qsizetype i = 0; i + 1 < texts.size(); i += 2) rules.append({texts[i], texts[i + 1]});
  return rules;
}

void setPathRules(QSettings& settings, const QList<PathRule>& rules) {
  QStringList texts;
  for (const PathRule& rule : rules) texts << rule.from << rule.to;
  settings.setValue(kRulesKey, texts);
}

QString pathHere(const QList<PathRule>& rules, const QString& recorded) {
  const PathRule* best = nullptr;
  qsizetype length = -1;
  for (const PathRule& rule : rules) {
    const QString from = withoutEndSlash(rule.from);
    const bool relative = from.isEmpty() && QDir::isRelativePath(recorded);
    const bool within = !from.isEmpty() && recorded.startsWith(from) &&
                        (recorded.size() == from.size() || from == QLatin1String("/") ||
                         recorded[from.size()] == QLatin1Char('/'));
    if ((!relative && !within) || from.size() <= length) continue;
    best = &rule;
    length = from.size();
  }
  if (best == nullptr) return recorded;
  return QDir::cleanPath(best->to + QLatin1Char('/') + recorded.mid(length));
}

QString editorTemplate(const QSettings& settings) {
  return settings.value(kEditorKey).toString();
}

void setEditorTemplate(QSettings& settings, const QString& command) {
  settings.setValue(kEditorKey, command.trimmed());
}

QStringList editorCommand(const QString& commandTemplate, const SourcePlace& place) {
  QStringList parts = QProcess::splitCommand(commandTemplate);
  // Inserted after splitting, because a file name may contain spaces and quotes.
  for (QString& part : parts) {
    part.replace(QLatin1String("%l"), QString::number(place.line));
    part.replace(QLatin1String("%f"), QString::fromStdString(place.file));
  }
  return parts;
}

QString openSource(const QSettings& settings, const SourcePlace& place, QWidget* parent) {
  const QString recorded = QString::fromStdString(place.file);
  const QFileInfo file(pathHere(pathRules(settings), recorded));
  const bool here = file.isFile();
  const SourcePlace shown{here ? file.absoluteFilePath().toStdString() : place.file, place.line};
  const QString text = QStringLiteral("%1:%2").arg(QString::fromStdString(shown.file)).arg(shown.line);
  QStringList command = editorCommand(editorTemplate(settings), shown);
  if (here && !command.isEmpty()) {
    const QString program = command.takeFirst();
    if (QProcess::startDetached(program, command)) return tr("Opened %1").arg(text);
  }
  if (here && parent != nullptr && showSourceView(*parent, file.absoluteFilePath(), shown.line)) return {};
  QGuiApplication::clipboard()->setText(text);
  if (here) return tr("Copied %1. Choose an editor in the menu.").arg(text);
  return tr("Copied %1: the file is not on this machine. Set its path on this machine in the menu (Source "
            "editor).")
      .arg(text);
}

} // namespace rankscope::ui
