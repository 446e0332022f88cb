// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/job_tables.h"

#include "core/base/parallel_for.h"
#include "core/base/unit_text.h"
#include "core/model/rank_digest.h"
#include "core/model/retimed.h"
#include "core/model/side_files.h"
#include "core/report/job_totals.h"
#include "ui/base/counted.h"
#include "ui/base/ui_text.h"

#include <set>
#include <utility>

namespace rankscope::ui {

JobTables jobTables(std::shared_ptr<const TraceSet> trace, const std::shared_ptr<const Analysis>& previous,
                    bool alignClocks, NetworkInput network) {
  auto analysis =
      std::make_shared<const Analysis>(std::move(trace), previous.get(), AnalysisOptions{alignClocks});
  JobTables tables;
  tables.report = std::make_shared<const JobReport>(analysis, EfficiencySettings(), GainMethod::Replay,
                                                    std::move(network));
  tables.report->computeAll(defaultThreadCount());
  tables.steps = jobTotals(*analysis).steps;
  tables.drawn = onJobClock(analysis->sharedTrace(), analysis->clocks());
  tables.drawnAnalysis =
      tables.drawn == analysis->sharedTrace()
          ? analysis
          : std::make_shared<const Analysis>(tables.drawn, analysis.get(), AnalysisOptions{false});
  tables.highlights = std::make_shared<const JobHighlights>(tables.report);
  return tables;
}

namespace {

// What there is beside recordings, where there are none.
QStringList sideParts(const TraceSet& trace) {
  const SideFiles& side = trace.side();
  QStringList parts;
  const auto add = [&](std::size_t count, const QString& one, const QString& many) {
    if (count > 0) parts << counted(static_cast<qint64>(count), one, many);
  };
  add(side.flightRecords.size(), tr("1 Flight Recorder dump"), tr("%1 Flight Recorder dumps"));
  add(side.snapshots.size(), tr("1 memory snapshot"), tr("%1 memory snapshots"));
  add(side.timelines.size(), tr("1 memory timeline"), tr("%1 memory timelines"));
  std::int64_t bytes = 0;
  for (const FileRecord& file : trace.files())
    if (file.status == FileStatus::Beside) bytes += static_cast<std::int64_t>(file.bytes);
  parts << QString::fromStdString(bytesText(bytes));
  return parts;
}

// Of recordings.
QStringList recordedParts(const TraceSet& trace, std::int64_t steps) {
  std::set<int> ranks;
  for (const RankEntry& entry : trace.ranks()) ranks.insert(entry.rank);
  const auto rankCount = static_cast<qint64>(ranks.size());
  QStringList parts;
  if (trace.worldSize() && *trace.worldSize() > rankCount)
    parts << tr("%1 of %2 ranks").arg(rankCount).arg(*trace.worldSize());
  else
    parts << counted(rankCount, tr("1 rank"), tr("%1 ranks"));
  if (trace.hostCount() > 0)
    parts << counted(static_cast<qint64>(trace.hostCount()), tr("1 host"), tr("%1 hosts"));
  if (steps > 0) parts << counted(steps, tr("1 step"), tr("%1 steps"));
  const QString events = counted(static_cast<qint64>(trace.eventCount()), tr("1 event"), tr("%1 events"));
  std::uint64_t leftOut = 0;
  for (const RankEntry& entry : trace.ranks()) leftOut += entry.trace->leftOut;
  const auto loaded = static_cast<std::int64_t>(trace.eventCount() - leftOut);
  parts << (leftOut > 0 ? tr("%1 of %2").arg(QString::fromStdString(countText(loaded)), events) : events);
  parts << QString::fromStdString(bytesText(static_cast<std::int64_t>(trace.shownBytes())));
  return parts;
}

} // namespace

QString jobSummary(const TraceSet& trace, std::int64_t steps, TimeNs openedIn) {
  QStringList parts;
  if (!trace.ranks().empty())
    parts = recordedParts(trace, steps);
  else if (!trace.side().empty() || isDigest(trace))
    parts = sideParts(trace);
  else // a job without recordings and files beside them is that of logs
    parts << tr("NCCL logs or nccl-tests tables without traces");
  if (openedIn >= 0) {
    const QString text = trace.origin().cached ? tr("opened in %1 from cache") : tr("opened in %1");
    parts << text.arg(QString::fromStdString(durationText(openedIn)));
  }
  return parts.join(QStringLiteral(" · "));
}

} // namespace rankscope::ui
