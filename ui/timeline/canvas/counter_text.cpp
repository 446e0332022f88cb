// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/canvas/counter_text.h"

#include "core/base/unit_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("Counters", text);
}

QString bytes(std::int64_t size) {
  return QString::fromStdString(bytesText(size));
}

QString percent(double share) {
  return QString::fromStdString(percentText(100 * share));
}

// Counters of a file are whatever somebody wrote: whole numbers exactly, others to six digits.
QString number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return QString::fromStdString(groupedText(static_cast<std::int64_t>(value)));
  return QString::number(value, 'g', 6);
}

QString between(const MinMax<double>& values) {
  return values.min == values.max ? number(values.min)
                                  : tr("%1 to %2 in this pixel").arg(number(values.min), number(values.max));
}

// Allocated or reserved at the end of the column.
std::int64_t lastBefore(const MemoryCurve& memory, const std::vector<std::int64_t>& values, TimeNs end) {
  const auto after = std::ranges::lower_bound(memory.times, end);
  return after == memory.times.begin() ? 0
                                       : values[static_cast<std::size_t>(after - memory.times.begin()) - 1];
}

QString describeBusy(const RankSummaries& summaries, RankIndex rank, TimeRange column) {
  const DeviceActivity* const activity = summaries.activityOf(rank);
  if (!activity || activity->busy.empty()) return {};
  const double busy =
      static_cast<double>(activity->busy.coveredWithin(column)) / static_cast<double>(column.length());
  QStringList lines{tr("GPU busy"), tr("%1 of this pixel's time").arg(percent(busy))};
  const RankCounters* const counters = summaries.countersOf(rank);
  if (counters && !counters->smEfficiency.empty())
    lines += tr("est. SM efficiency %1").arg(percent(counters->smEfficiency.meanOver(column)));
  else if (counters)
    lines += tr("no kernel says its blocks per SM: efficiency unknown");
  return lines.join('\n');
}

QString describeMemory(const RankSummaries& summaries, RankIndex rank, TimeRange column) {
  const RankSummary* const summary = summaries.of(rank);
  if (!summary || summary->memory.times.empty()) return {};
  const MemoryCurve& memory = summary->memory;
  QStringList lines{tr("memory"),
                    tr("allocated %1").arg(bytes(lastBefore(memory, memory.allocated, column.end)))};
  if (!memory.reserved.empty())
    lines += tr("reserved %1").arg(bytes(lastBefore(memory, memory.reserved, column.end)));
  return lines.join('\n');
}

} // namespace

QString describeCounter(const TraceSet& traces, const RankSummaries& summaries, const Lane& lane,
                        TimeRange column) {
  if (column.empty()) column.end = column.begin + 1;
  if (lane.kind == LaneKind::Busy) return describeBusy(summaries, lane.rank, column);
  if (lane.kind == LaneKind::Memory) return describeMemory(summaries, lane.rank, column);
  if (lane.kind != LaneKind::Queue && lane.kind != LaneKind::File) return {};
  const RankCounters* const counters = summaries.countersOf(lane.rank);
  if (!counters) return {};
  const RankTrace& trace = *traces.rank(lane.rank).trace;
  const bool queue = lane.kind == LaneKind::Queue;
  const LevelCurve* const curve = queue ? counters->queueOf(lane.track) : &counters->file[lane.counter];
  const auto values = curve ? curve->over(column) : std::nullopt;
  const QString name = queue ? tr("launches ahead of stream %1")
                                   .arg(QString::fromStdString(trace.tracks[lane.track.value].thread))
                             : QString::fromStdString(trace.counters[lane.counter].name);
  return name + '\n' + (values ? between(*values) : tr("nothing recorded yet"));
}

QString counterNote(const TraceSet&, const RankSummaries& summaries, const Section& section) {
  if (section.kind == LaneKind::Memory) {
    const RankSummary* const summary = summaries.of(section.rank);
    if (!summary || summary->memory.peak <= 0) return {};
    const QString peak = tr("peak %1").arg(bytes(summary->memory.peak));
    if (summary->memory.reserved.empty()) return peak;
    return peak + QStringLiteral("  ·  ") + tr("reserved %1").arg(bytes(summary->memory.peakReserved));
  }
  if (section.kind != LaneKind::Queue) return {};
  const RankCounters* const counters = summaries.countersOf(section.rank);
  const LevelCurve* const queue = counters ? counters->queueOf(section.track) : nullptr;
  return queue && !queue->empty() ? tr("most %1").arg(number(queue->highest())) : QString();
}

} // namespace rankscope::ui
