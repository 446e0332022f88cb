// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/compare/aligned_lanes.h"

#include "core/analysis/classify/short_name.h"
#include "core/analysis/operators/operator_tree.h"
#include "core/base/unit_text.h"
#include "ui/base/ui_text.h"

#include <QStringList>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::size_t kMaxStreams = 4;
constexpr std::uint32_t kMaxRows = 8; // of a stream with events that overlap
constexpr qsizetype kMaxName = 90;

QString duration(TimeNs time) {
  return textOf(durationText(time));
}

// The first event of a row that ends after t; one past the last if there is none.
EventIndex firstEndingAfter(const RankTrace& trace, const Row& row, TimeNs t) {
  std::uint32_t low = row.firstEvent.value;
  std::uint32_t high = row.endEvent.value;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (trace.events.range(EventIndex{middle}).end <= t)
      low = middle + 1;
    else
      high = middle;
  }
  return EventIndex{low};
}

// Number of events of a track that begin in the range.
std::size_t eventsIn(const RankTrace& trace, const Track& track, TimeRange range) {
  std::size_t count = 0;
  for (std::uint32_t r = 0; r < track.rowCount; ++r) {
    const Row& row = trace.rows[track.firstRow.value + r];
    const EventIndex first = firstEndingAfter(trace, row, range.begin);
    const EventIndex last = firstEndingAfter(trace, row, range.end);
    count += last.value - first.value;
  }
  return count;
}

AlignedLane laneOf(const Track& track, const QString& title, std::uint32_t maxRows) {
  AlignedLane lane;
  lane.title = title;
  lane.communication = track.role == StreamRole::Communication;
  for (std::uint32_t r = 0; r < std::min(track.rowCount, maxRows); ++r)
    lane.rows.emplace_back(track.firstRow.value + std::size_t{r});
  return lane;
}

// Recordings name streams by number or as "stream 7".
QString streamName(const Track& track) {
  const QString name = textOf(track.thread).trimmed();
  return name.startsWith(QLatin1String("stream")) ? name : tr("stream %1").arg(name);
}

QString streamTitle(const Track& track) {
  const QString stream = streamName(track);
  switch (track.role) {
  case StreamRole::Compute:
    return stream + QLatin1Char(' ') + tr("compute");
  case StreamRole::Communication:
    return stream + QLatin1Char(' ') + tr("comm.");
  case StreamRole::Copy:
    return stream + QLatin1Char(' ') + tr("memcpy");
  case StreamRole::None:
    break;
  }
  return stream;
}

// "ampere_sgemm · 235 us at 3.2 ms · stream 7".
QString callText(const AlignedSide& side, EventIndex event) {
  if (!event.valid()) return tr("no such call");
  const RankTrace& trace = side.trace();
  const NameId name = trace.events.name[event];
  QString text = name.valid()
                     ? textOf(shortName(trace.events.kind[event], side.analysis->trace().names()[name]))
                     : QString();
  if (text.size() > kMaxName) text = text.left(kMaxName - 1) + QStringLiteral("…");
  const Track& track = trace.tracks[trace.trackOf(event).value];
  const QString place = track.kind == TrackKind::Stream ? streamName(track)
                        : track.mainThread              ? tr("main thread")
                                                        : tr("thread %1").arg(textOf(track.thread));
  return tr("%1 · %2 at %3 · %4")
      .arg(text.toHtmlEscaped(), duration(trace.events.duration[event]),
           duration(trace.events.begin[event] - side.range.begin), place.toHtmlEscaped());
}

QString matchText(RowMatch match) {
  switch (match) {
  case RowMatch::Exact:
    return tr("same kernel");
  case RowMatch::NoTemplate:
    return tr("same kernel with other template arguments");
  case RowMatch::Family:
    return tr("other kernel of the same kind");
  case RowMatch::Operator:
    return tr("other kernel of the same operator");
  case RowMatch::NameOnly:
    return tr("same kernel of another operator");
  default:
    break;
  }
  return tr("same operator");
}

} // namespace

void fillLanes(AlignedSide& side) {
  side.lanes.clear();
  if (!side.analysis) return;
  const RankTrace& trace = side.trace();
  std::vector<std::pair<std::size_t, std::size_t>> streams; // events, track
  for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
    const Track& track = trace.tracks[t];
    if (track.kind == TrackKind::Thread && track.mainThread && eventsIn(trace, track, side.range) > 0)
      side.lanes.push_back(laneOf(track, tr("main thread"), 1));
    if (track.kind != TrackKind::Stream) continue;
    if (const std::size_t events = eventsIn(trace, track, side.range); events > 0)
      streams.emplace_back(events, t);
  }
  std::ranges::stable_sort(streams, std::greater<>(), [](const auto& stream) { return stream.first; });
  side.notShown = streams.size() - std::min(streams.size(), kMaxStreams);
  streams.resize(std::min(streams.size(), kMaxStreams));
  std::ranges::sort(streams, {}, [](const auto& stream) { return stream.second; });
  for (const auto& [events, track] : streams)
    side.lanes.push_back(laneOf(trace.tracks[track], streamTitle(trace.tracks[track]), kMaxRows));
}

AlignedCall alignedCallOf(const AlignedPair& pair, bool ofB, EventIndex event) {
  AlignedCall call;
  call.chosenInB = ofB;
  (ofB ? call.b : call.a) = event;
  const CallPair* const found = pair.calls ? pair.calls->pairOf(ofB, event) : nullptr;
  if (found == nullptr) return call;
  call.a = found->a;
  call.b = found->b;
  call.match = found->match;
  return call;
}

bool isAligned(const AlignedSide& side, EventIndex event) {
  const RankTrace& trace = side.trace();
  if (trace.isDeviceEvent(event)) return isDeviceActivity(trace.events.kind[event]);
  return isOperator(trace, side.analysis->trace().names(), event);
}

std::optional<EventIndex> callBeside(const AlignedSide& side, EventIndex event, int by) {
  const RankTrace& trace = side.trace();
  const Row& row = trace.rows[trace.rowOf(event).value];
  const std::int64_t next = static_cast<std::int64_t>(event.value) + by;
  if (next < static_cast<std::int64_t>(row.firstEvent.value) ||
      next >= static_cast<std::int64_t>(row.endEvent.value))
    return std::nullopt;
  const EventIndex other{static_cast<std::size_t>(next)};
  if (!side.range.contains(trace.events.begin[other])) return std::nullopt;
  return other;
}

QString alignedCallText(const AlignedPair& pair, const AlignedCall& call) {
  QString text = QStringLiteral("<b>A</b>&nbsp; %1<br><b>B</b>&nbsp; %2")
                     .arg(callText(pair.a, call.a), callText(pair.b, call.b));
  if (!call.match) {
    const bool tooMany = pair.calls && pair.calls->tooMany;
    return text + QStringLiteral("<br>") +
           (tooMany ? alignedCountsText(pair)
                    : tr("Only %1 has this call.").arg(call.chosenInB ? tr("B") : tr("A")));
  }
  const TimeNs a = pair.a.trace().events.duration[call.a];
  const TimeNs b = pair.b.trace().events.duration[call.b];
  QString difference = textOf(signedDurationText(b - a));
  if (a > 0)
    difference +=
        tr(" (%1)").arg(textOf(percentText(100 * static_cast<double>(b - a) / static_cast<double>(a))));
  return text + tr("<br>B − A: <b>%1</b> · %2").arg(difference, matchText(*call.match));
}

QString alignedCountsText(const AlignedPair& pair) {
  if (!pair.calls) return {};
  if (pair.calls->tooMany)
    return tr("more than %1 calls in the step: single calls are not matched")
        .arg(textOf(groupedText(static_cast<std::int64_t>(kMaxAlignedCalls))));
  const auto count = [](std::size_t number) {
    return textOf(groupedText(static_cast<std::int64_t>(number)));
  };
  const std::size_t both = pair.calls->pairs.size();
  return (both == 1 ? tr("%1 call in both, %2 only in A, %3 only in B")
                    : tr("%1 calls in both, %2 only in A, %3 only in B"))
      .arg(count(both), count(pair.calls->onlyA.size()), count(pair.calls->onlyB.size()));
}

} // namespace rankscope::ui
