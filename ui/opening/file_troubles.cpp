// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/file_troubles.h"

#include "ui/base/counted.h"
#include "ui/base/file_names.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope::ui {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("FileTroubles", text);
}

QString reasonOf(const FileRecord& file) {
  QString reason = QString::fromStdString(file.note);
  const auto& items = file.diagnostics.items();
  if (items.empty()) return reason;
  const auto worst = std::find_if(items.begin(), items.end(), [](const Diagnostic& item) {
    return item.kind == DiagnosticKind::Skipped;
  });
  const Diagnostic& shown = worst == items.end() ? items.front() : *worst;
  if (reason.isEmpty()) reason = QString::fromStdString(shown.text);
  // A note tells the first of them.
  const QString told = QString::fromStdString(items.front().where);
  if (shown.where.empty() || (!told.isEmpty() && reason.contains(told))) return reason;
  return tr("%1: %2").arg(QString::fromStdString(shown.where), reason);
}

// What became of a file; nothing when that is no news. A folder holds other JSON beside its traces: that it
// was left out is none unless its name promised a trace.
std::optional<TroubleKind> troubleOf(const FileRecord& file) {
  switch (file.fate) {
  case FileFate::Shown:
    return file.skipped > 0 ? std::optional(TroubleKind::Damaged) : std::nullopt;
  case FileFate::OtherJob:
    return TroubleKind::OtherJob;
  case FileFate::LeftOut:
    return TroubleKind::Unreadable;
  case FileFate::NotATrace:
    break;
  }
  static const QRegularExpression promising(QStringLiteral("trace|rank|worker|\\.gz$"),
                                            QRegularExpression::CaseInsensitiveOption);
  const bool expected = promising.match(QFileInfo(QString::fromStdString(file.path)).fileName()).hasMatch();
  return expected ? std::optional(TroubleKind::Unreadable) : std::nullopt;
}

} // namespace

std::vector<FileTrouble> fileTroubles(const TraceSet& trace) {
  const FileNames names(trace);
  std::vector<FileTrouble> troubles;
  std::set<std::pair<TroubleKind, std::string_view>> told; // once of a file, however many recordings it holds
  for (const FileRecord& file : trace.files()) {
    const auto kind = troubleOf(file);
    if (!kind || !told.emplace(*kind, file.path).second) continue;
    const QString name = QString::fromStdString(names.of(file.path));
    troubles.push_back(
        {*kind, QString::fromStdString(file.path), name, tr("%1: %2").arg(name, reasonOf(file))});
  }
  std::ranges::stable_sort(troubles, {}, &FileTrouble::kind);
  return troubles;
}

QStringList troubleLines(const std::vector<FileTrouble>& troubles) {
  constexpr qsizetype kLines = 4;
  constexpr qsizetype kNames = 6;
  QStringList lines;
  QStringList others;
  for (const FileTrouble& trouble : troubles) {
    if (trouble.kind == TroubleKind::OtherJob)
      // Files of a folder go together.
      others << (trouble.name.contains(QLatin1Char('/')) ? trouble.name.section(QLatin1Char('/'), 0, -2)
                                                         : trouble.name);
    else
      lines << trouble.line;
  }
  if (lines.size() > kLines) {
    const qsizetype more = lines.size() - kLines;
    lines = lines.mid(0, kLines) << tr("and %1 more").arg(more);
  }
  others.removeDuplicates();
  if (others.size() > kNames) {
    const qsizetype more = others.size() - kNames;
    others = others.mid(0, kNames) << tr("%1 more").arg(more);
  }
  if (!others.isEmpty()) lines << tr("Of other jobs: %1").arg(others.join(QStringLiteral(", ")));
  return lines;
}

QString troubleTitle(const std::vector<FileTrouble>& troubles) {
  const auto count = [&](TroubleKind kind) { return std::ranges::count(troubles, kind, &FileTrouble::kind); };
  QStringList parts;
  const auto add = [&](TroubleKind kind, const QString& one, const QString& many) {
    if (const auto files = count(kind); files > 0) parts << counted(files, one, many);
  };
  add(TroubleKind::Unreadable, tr("1 file could not be read"), tr("%1 files could not be read"));
  add(TroubleKind::OtherJob, tr("1 file belongs to another job and is not shown"),
      tr("%1 files belong to other jobs and are not shown"));
  add(TroubleKind::Damaged, tr("1 file is damaged: what could be read of it is shown"),
      tr("%1 files are damaged: what could be read of them is shown"));
  return parts.join(QStringLiteral(" · "));
}

} // namespace rankscope::ui
