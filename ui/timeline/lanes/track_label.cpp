// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/track_label.h"

#include "core/base/unit_text.h"
#include "ui/base/ui_text.h"

#include <QStringList>

#include <algorithm>

namespace rankscope::ui {
namespace {

// Thread names often repeat the number: "thread 41007 (python3)", "stream 7".
QString threadName(const Track& track) {
  const QString id = textOf(track.thread);
  QString name = textOf(track.threadName);
  if (track.mainThread) return tr("main thread") + ' ' + id;
  name.remove(id);
  name.remove(QStringLiteral("()"));
  name = name.simplified();
  if (name.isEmpty() || name == QLatin1String("thread")) return tr("thread") + ' ' + id;
  return name.startsWith(QLatin1String("thread")) ? tr("thread") + ' ' + id + name.mid(6) : name + ' ' + id;
}

// The process group of a communication stream, if all its collectives have the same one.
QString groupOf(const RankTrace& trace, const StringTable& names, const Track& track) {
  auto at = std::ranges::lower_bound(trace.collectives, track.firstEvent, {}, &CollectiveDetail::event);
  QString group;
  for (; at != trace.collectives.end() && at->event < track.endEvent; ++at) {
    const std::string_view description = names[at->groupDescription];
    const std::string_view name =
        description.empty() || description == "undefined" ? names[at->groupName] : description;
    if (name.empty()) continue;
    const QString next = textOf(name);
    if (!group.isEmpty() && next != group) return tr("several groups");
    group = next;
  }
  return group;
}

// "stream 7"; some profilers already name the row that way.
QString streamName(const Track& track) {
  const QString id = textOf(track.thread);
  return id.startsWith(QLatin1String("stream"), Qt::CaseInsensitive) ? id : tr("stream") + ' ' + id;
}

QString streamRole(const RankTrace& trace, const StringTable& names, const Track& track) {
  switch (track.role) {
  case StreamRole::Compute:
    return tr("compute");
  case StreamRole::Copy:
    return tr("memcpy");
  case StreamRole::Communication: {
    const QString group = groupOf(trace, names, track);
    const auto kinds = trace.events.kind.span().subspan(track.firstEvent.value,
                                                        track.endEvent.value - track.firstEvent.value);
    const auto first = std::ranges::find(kinds, EventKind::Collective);
    if (first == kinds.end()) return tr("communication");
    const EventIndex event(track.firstEvent.value + static_cast<std::size_t>(first - kinds.begin()));
    const bool isNccl =
        textOf(names[trace.events.name[event]]).startsWith(QLatin1String("nccl"), Qt::CaseInsensitive);
    return (isNccl ? QStringLiteral("NCCL") : tr("communication")) + (group.isEmpty() ? group : ' ' + group);
  }
  case StreamRole::None:
    break;
  }
  return {};
}

QString deviceName(const RankTrace& trace, const Track& track) {
  return trace.devices.size() > 1 && track.device >= 0 ? QStringLiteral("GPU %1  ").arg(track.device)
                                                       : QString();
}

QString kindName(TrackKind kind) {
  switch (kind) {
  case TrackKind::Annotations:
    return tr("annotations");
  case TrackKind::Thread:
    return tr("operators");
  case TrackKind::Python:
    return tr("Python stack");
  case TrackKind::Stream:
    return tr("stream");
  case TrackKind::GpuAnnotations:
    return tr("GPU annotations");
  case TrackKind::Sync:
    return tr("synchronization");
  case TrackKind::Instants:
    return tr("instants");
  case TrackKind::Overhead:
    return tr("profiler overhead");
  case TrackKind::Other:
    break;
  }
  return tr("other");
}

} // namespace

QString rankTitle(const TraceSet& traces, RankIndex rank) {
  const RankEntry& entry = traces.rank(rank);
  const QString title = tr("Rank %1").arg(entry.rank);
  return traces.severalCaptures() ? title + tr(" · capture %1").arg(entry.capture) : title;
}

QString trackLabel(const RankTrace& trace, const StringTable& names, const Track& track, bool namesThread) {
  switch (track.kind) {
  case TrackKind::Annotations:
  case TrackKind::Thread:
    return namesThread ? threadName(track) : kindName(track.kind);
  case TrackKind::Python:
    return namesThread ? tr("Python") + ' ' + threadName(track) : kindName(track.kind);
  case TrackKind::Stream:
    return deviceName(trace, track) + streamName(track) + QStringLiteral("  ") +
           streamRole(trace, names, track);
  case TrackKind::GpuAnnotations:
    return deviceName(trace, track) + tr("annotations on") + ' ' + streamName(track);
  case TrackKind::Sync:
    return deviceName(trace, track) + tr("sync on") + ' ' + streamName(track);
  case TrackKind::Instants:
  case TrackKind::Overhead:
    return kindName(track.kind) + ' ' + textOf(track.thread);
  case TrackKind::Other:
    break;
  }
  return track.threadName.empty() ? textOf(track.process) + ' ' + textOf(track.thread)
                                  : textOf(track.threadName);
}

QString trackDescription(const RankTrace& trace, const StringTable& names, const Track& track) {
  QStringList lines{trackLabel(trace, names, track, true)};
  lines += kindName(track.kind) + QStringLiteral(" · ") +
           QString::fromStdString(countText(track.endEvent.value - track.firstEvent.value)) + ' ' +
           tr("events") + QStringLiteral(" · ") + QString::number(track.rowCount) + ' ' +
           (track.rowCount == 1 ? tr("row") : tr("rows"));
  if (!track.threadName.empty()) lines += textOf(track.threadName);
  lines += tr("process") + ' ' + textOf(track.process) +
           (track.processName.empty() ? QString() : QStringLiteral(" (") + textOf(track.processName) + ')');
  return lines.join('\n');
}

} // namespace rankscope::ui
