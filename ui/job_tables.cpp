// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job_tables.h"

#include "core/base/parallel_for.h"
#include "core/base/unit_text.h"
#include "core/report/job_totals.h"
#include "core/report/tables.h"
#include "ui/counted.h"
#include "ui/panels/files_panel.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>
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

// A folder holds other JSON beside its traces: that it was left out is no news unless its name promised a
// trace.
bool isNews(const FileRecord& file) {
  if (file.rank) return file.skipped > 0;
  static const QRegularExpression promising(QStringLiteral("trace|rank|worker|\\.gz$"),
                                            QRegularExpression::CaseInsensitiveOption);
  const QString name = QFileInfo(QString::fromStdString(file.path)).fileName();
  return file.note.find("not a trace") == std::string::npos || promising.match(name).hasMatch();
}

} // namespace

JobTables jobTables(std::shared_ptr<const TraceSet> trace, const std::shared_ptr<const Analysis>& previous) {
  auto analysis = std::make_shared<const Analysis>(std::move(trace), previous.get());
  analysis->computeAll(defaultThreadCount());
  JobTables tables;
  tables.ranks = std::make_shared<const ResultTable>(ranksTable(*analysis));
  tables.files = std::make_shared<const ResultTable>(filesTable(*analysis));
  tables.kernels = std::make_shared<const ResultTable>(kernelsTable(*analysis));
  tables.diagnostics = std::make_shared<const ResultTable>(diagnosticsTable(analysis->trace()));
  tables.steps = jobTotals(*analysis).steps;
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
  parts << counted(static_cast<qint64>(trace.eventCount()), tr("1 event"), tr("%1 events"));
  std::uint64_t bytes = 0;
  for (const FileRecord& file : trace.files())
    if (file.rank) bytes += file.bytes;
  parts << QString::fromStdString(bytesText(static_cast<std::int64_t>(bytes)));
  if (openedIn >= 0) parts << tr("opened in %1").arg(QString::fromStdString(durationText(openedIn)));
  return parts.join(QStringLiteral(" · "));
}

std::vector<FileTrouble> fileTroubles(const TraceSet& trace) {
  std::vector<FileTrouble> troubles;
  for (const FileRecord& file : trace.files()) {
    if (!isNews(file)) continue;
    const QString name = QFileInfo(QString::fromStdString(file.path)).fileName();
    troubles.push_back({tr("%1: %2").arg(name, reasonOf(file)), !file.rank});
  }
  std::stable_partition(troubles.begin(), troubles.end(), [](const FileTrouble& t) { return t.leftOut; });
  return troubles;
}

} // namespace rankscope::ui
