// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/file_problems.h"

#include "core/analysis/job/cut_ranks.h"
#include "core/io/files/shown_paths.h"
#include "ui/base/counted.h"
#include "ui/base/file_names.h"
#include "ui/base/ui_text.h"

#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope::ui {

namespace {

QString reasonOf(const FileRecord& file) {
  QString reason = QString::fromStdString(withShownPaths(file.note));
  const auto& items = file.diagnostics.items();
  if (items.empty()) return reason;
  const auto worst = std::find_if(items.begin(), items.end(), [](const Diagnostic& item) {
    return item.kind == DiagnosticKind::Skipped;
  });
  const Diagnostic& shown = worst == items.end() ? items.front() : *worst;
  if (reason.isEmpty()) reason = QString::fromStdString(shown.text);
  // The note shows the first of them.
  const QString reported = QString::fromStdString(items.front().where);
  if (shown.where.empty() || (!reported.isEmpty() && reason.contains(reported))) return reason;
  return tr("%1: %2").arg(QString::fromStdString(shown.where), reason);
}

// The problem of a file, if any. Folders contain JSON files other than traces: skipping them is a problem
// only if the name suggests a trace.
std::optional<FileProblemKind> problemOf(const FileRecord& file) {
  switch (file.status) {
  case FileStatus::Shown:
    return file.skipped > 0 ? std::optional(FileProblemKind::Damaged) : std::nullopt;
  case FileStatus::OtherJob:
    return FileProblemKind::OtherJob;
  case FileStatus::LeftOut:
    return file.note.starts_with("read in part: ") ? FileProblemKind::Damaged : FileProblemKind::Unreadable;
  case FileStatus::Beside:
    return std::nullopt;
  case FileStatus::NotATrace:
    break;
  }
  static const QRegularExpression promising(QStringLiteral("trace|rank|worker|\\.gz$"),
                                            QRegularExpression::CaseInsensitiveOption);
  const bool expected = promising.match(QFileInfo(QString::fromStdString(file.path)).fileName()).hasMatch();
  return expected ? std::optional(FileProblemKind::Unreadable) : std::nullopt;
}

} // namespace

std::vector<FileProblem> fileProblems(const TraceSet& trace, std::span<const CutRank> cut) {
  const FileNames names(trace);
  std::vector<FileProblem> fileProblemList;
  std::set<std::pair<FileProblemKind, std::string_view>>
      reported; // once per file, even if it has several recordings
  for (const FileRecord& file : trace.files()) {
    const auto kind = problemOf(file);
    if (!kind || !reported.emplace(*kind, file.path).second) continue;
    const QString name = QString::fromStdString(names.of(file.path));
    QString line = tr("%1: %2").arg(name, reasonOf(file));
    for (const CutRank& of : cut)
      if (&trace.file(trace.rank(of.rank).file) == &file)
        line += tr(" · %1").arg(QString::fromStdString(missingText(of)));
    fileProblemList.push_back({*kind, QString::fromStdString(file.path), name, line});
  }
  std::ranges::stable_sort(fileProblemList, {}, &FileProblem::kind);
  return fileProblemList;
}

QStringList fileProblemLines(const std::vector<FileProblem>& fileProblemList) {
  constexpr qsizetype kLines = 4;
  constexpr qsizetype kNames = 6;
  QStringList lines;
  QStringList others;
  for (const FileProblem& fileProblem : fileProblemList) {
    if (fileProblem.kind == FileProblemKind::OtherJob)
      // Files of a folder have the folder as their entry.
      others << (fileProblem.name.contains(QLatin1Char('/'))
                     ? fileProblem.name.section(QLatin1Char('/'), 0, -2)
                     : fileProblem.name);
    else
      lines << fileProblem.line;
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
  if (!others.isEmpty()) lines << tr("From other jobs: %1").arg(others.join(QStringLiteral(", ")));
  return lines;
}

QString fileProblemTitle(const std::vector<FileProblem>& fileProblemList) {
  const auto count = [&](FileProblemKind kind) {
    return std::ranges::count(fileProblemList, kind, &FileProblem::kind);
  };
  QStringList parts;
  const auto add = [&](FileProblemKind kind, const QString& one, const QString& many) {
    if (const auto files = count(kind); files > 0) parts << counted(files, one, many);
  };
  add(FileProblemKind::Unreadable, tr("1 file was not loaded"), tr("%1 files were not loaded"));
  add(FileProblemKind::OtherJob, tr("1 file belongs to another job and is not shown"),
      tr("%1 files belong to other jobs and are not shown"));
  add(FileProblemKind::Damaged, tr("1 file is damaged; its readable part is shown"),
      tr("%1 files are damaged; their readable parts are shown"));
  return parts.join(QStringLiteral(" · "));
}

} // namespace rankscope::ui
