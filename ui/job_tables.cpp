// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job_tables.h"

#include "core/base/parallel_for.h"
#include "core/base/unit_text.h"
#include "core/report/job_totals.h"
#include "ui/counted.h"
#include "ui/file_names.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace rankscope::ui {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("JobTables", text);
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
  if (reason.contains(QStringLiteral("byte "))) return reason;
  return tr("byte %1: %2").arg(shown.byteOffset).arg(reason);
}

// What became of a file; nothing when that is no news. A folder holds other JSON beside its traces: that it
// was left out is none unless its name promised a trace.
std::optional<TroubleKind> troubleOf(const FileRecord& file) {
  if (file.rank) return file.skipped > 0 ? std::optional(TroubleKind::Damaged) : std::nullopt;
  if (file.note.starts_with("another job")) return TroubleKind::OtherJob;
  static const QRegularExpression promising(QStringLiteral("trace|rank|worker|\\.gz$"),
                                            QRegularExpression::CaseInsensitiveOption);
  const bool expected = promising.match(QFileInfo(QString::fromStdString(file.path)).fileName()).hasMatch();
  const bool isTrace = file.note.find("not a trace") == std::string::npos;
  return expected || isTrace ? std::optional(TroubleKind::Unreadable) : std::nullopt;
}

} // namespace

JobTables jobTables(std::shared_ptr<const TraceSet> trace, const std::shared_ptr<const Analysis>& previous,
                    bool alignClocks) {
  auto analysis =
      std::make_shared<const Analysis>(std::move(trace), previous.get(), AnalysisOptions{alignClocks});
  analysis->computeAll(defaultThreadCount());
  JobTables tables;
  tables.steps = jobTotals(*analysis).steps;
  tables.drawn = onJobClock(analysis->sharedTrace(), analysis->clocks());
  tables.drawnAnalysis =
      tables.drawn == analysis->sharedTrace()
          ? analysis
          : std::make_shared<const Analysis>(tables.drawn, analysis.get(), AnalysisOptions{false});
  tables.highlights = std::make_shared<const JobHighlights>(analysis);
  tables.analysis = std::move(analysis);
  return tables;
}

QString jobSummary(const TraceSet& trace, std::int64_t steps, TimeNs openedIn) {
  std::set<int> ranks;
  for (const RankEntry& entry : trace.ranks()) ranks.insert(entry.rank);
  const auto rankCount = static_cast<qint64>(ranks.size());
  QStringList parts;
  if (trace.worldSize() && *trace.worldSize() > rankCount)
    parts << tr("%1 of %2 ranks").arg(rankCount).arg(*trace.worldSize());
  else
    parts << counted(rankCount, tr("1 rank"), tr("%1 ranks"));
  if (trace.hostCount() > 0)
    parts << counted(static_cast<qint64>(trace.hostCount()), tr("1 node"), tr("%1 nodes"));
  if (steps > 0) parts << counted(steps, tr("1 step"), tr("%1 steps"));
  const QString events = counted(static_cast<qint64>(trace.eventCount()), tr("1 event"), tr("%1 events"));
  std::uint64_t leftOut = 0;
  for (const RankEntry& entry : trace.ranks()) leftOut += entry.trace->leftOut;
  const auto loaded = static_cast<std::int64_t>(trace.eventCount() - leftOut);
  parts << (leftOut > 0 ? tr("%1 of %2").arg(QString::fromStdString(countText(loaded)), events) : events);
  std::uint64_t bytes = 0;
  for (const FileRecord& file : trace.files())
    if (file.rank) bytes += file.bytes;
  parts << QString::fromStdString(bytesText(static_cast<std::int64_t>(bytes)));
  if (openedIn >= 0) {
    const QString text = trace.origin().cached ? tr("opened in %1 from the cache") : tr("opened in %1");
    parts << text.arg(QString::fromStdString(durationText(openedIn)));
  }
  return parts.join(QStringLiteral(" · "));
}

std::vector<FileTrouble> fileTroubles(const TraceSet& trace) {
  const FileNames names(trace);
  std::vector<FileTrouble> troubles;
  for (const FileRecord& file : trace.files()) {
    const auto kind = troubleOf(file);
    if (!kind) continue;
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

} // namespace rankscope::ui
