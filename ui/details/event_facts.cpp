// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/event_facts.h"

#include "core/base/unit_text.h"
#include "ui/base/counted.h"
#include "ui/base/short_name.h"
#include "ui/base/ui_text.h"
#include "ui/timeline/lanes/track_label.h"

#include <QDateTime>
#include <QTimeZone>

#include <algorithm>

namespace rankscope::ui {

namespace {

QString join(const QStringList& parts) {
  return parts.join(QStringLiteral(" · "));
}

// A clock that counts from boot instead of 1970 gives no useful date.
constexpr TimeNs kPlausibleWallTime = 946'684'800'000'000'000; // 2000-01-01 UTC

QString wallTimeText(TimeNs time) {
  const QDateTime whole = QDateTime::fromSecsSinceEpoch(time / 1'000'000'000, QTimeZone::utc());
  return whole.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")) +
         QStringLiteral(".%1 UTC").arg(time % 1'000'000'000, 9, 10, QLatin1Char('0'));
}

// With nanosecond precision: "1 130 253.412 µs".
QString exactTime(TimeNs time) {
  return textOf(timeText(time, 1));
}

class FactCollector {
 public:
  FactCollector(const TraceSet& traces, EventRef ref)
      : m_traces(traces), m_ref(ref), m_trace(*traces.rank(ref.rank).trace),
        m_range(m_trace.events.range(ref.event)) {}

  EventFacts collect() {
    m_facts.name = nameOf(m_ref.event);
    m_facts.kind = m_trace.events.kind[m_ref.event];
    collectTimes();
    collectPlace();
    if (m_trace.isDeviceEvent(m_ref.event)) collectDevice(m_trace.deviceDetail(m_ref.event));
    if (const CollectiveDetail* detail = m_trace.collectiveOf(m_ref.event)) collectCollective(*detail);
    collectLinks();
    return std::move(m_facts);
  }

 private:
  QString nameOf(EventIndex event) const { return textOf(m_traces.names()[m_trace.events.name[event]]); }

  void add(const QString& key, const QString& value) {
    if (!value.isEmpty()) m_facts.facts.push_back({key, value});
  }

  void collectTimes() {
    add(tr("Start"), QStringLiteral("+") + exactTime(m_range.begin - m_traces.extent().begin));
    if (m_range.begin >= kPlausibleWallTime) add(tr("Wall clock"), wallTimeText(m_range.begin));
    if (m_facts.kind == EventKind::Instant) return;
    add(tr("Duration"),
        textOf(durationText(m_range.length())) + QStringLiteral("  (%1)").arg(exactTime(m_range.length())));
    if (const auto self = selfTime(m_trace, m_ref.event)) {
      QString text = textOf(durationText(*self));
      if (m_range.length() > 0)
        text += QStringLiteral("  (%1)").arg(
            textOf(percentText(100.0 * static_cast<double>(*self) / static_cast<double>(m_range.length()))));
      add(tr("Self"), text);
    }
  }

  void collectPlace() {
    add(tr("Rank"), rankText(m_traces, m_ref.rank));
    const Track& track = m_trace.tracks[m_trace.trackOf(m_ref.event).value];
    add(tr("Track"), trackLabel(m_trace, m_traces.names(), track, true).simplified());
    if (!track.processName.empty() && track.device < 0)
      add(tr("Process"), join({textOf(track.processName), textOf(track.process)}));
  }

  void collectDevice(const DeviceDetail& detail) {
    if (detail.device >= 0) add(tr("Device"), QString::number(detail.device));
    if (detail.bytes >= 0) {
      QString text = textOf(bytesText(detail.bytes));
      if (m_range.length() > 0)
        text +=
            QStringLiteral(" · ") +
            textOf(rateText(static_cast<double>(detail.bytes) * 1e9 / static_cast<double>(m_range.length())));
      add(tr("Size"), text);
    }
    if (detail.blocksPerSm >= 0)
      add(tr("Blocks per SM"), QString::number(static_cast<double>(detail.blocksPerSm), 'g', 4));
    if (detail.occupancyPct >= 0)
      add(tr("Est. achieved occupancy"), textOf(percentText(static_cast<double>(detail.occupancyPct))));
  }

  void collectCollective(const CollectiveDetail& detail) {
    const StringTable& names = m_traces.names();
    QStringList what;
    what << textOf(names[detail.operation]);
    if (detail.inElements >= 0)
      what << (detail.inElements == 1 ? tr("1 element in")
                                      : tr("%1 elements in").arg(textOf(groupedText(detail.inElements))));
    if (detail.outElements >= 0 && detail.outElements != detail.inElements)
      what << tr("%1 out").arg(textOf(groupedText(detail.outElements)));
    what << textOf(names[detail.dtype]);
    what.removeAll(QString());
    add(tr("Collective"), join(what));
    QStringList group;
    group << textOf(names[detail.groupDescription]) << textOf(names[detail.groupName]);
    group.removeAll(QString());
    group.removeDuplicates();
    if (detail.groupSize >= 0) group << counted(detail.groupSize, tr("1 rank"), tr("%1 ranks"));
    add(tr("Process group"), join(group));
    if (detail.sequence >= 0) add(tr("Sequence"), QString::number(detail.sequence));
    if (detail.peer.known())
      add(tr("Peer"),
          (detail.peer.numbering == PeerNumbering::Job ? tr("rank %1") : tr("place %1 in the group"))
              .arg(detail.peer.number));
  }

  void addLink(const QString& key, EventIndex target, const QString& when = {}) {
    m_facts.links.push_back(eventLink(m_traces, {m_ref.rank, target}, key, when));
  }

  void collectLinks() {
    if (m_trace.isDeviceEvent(m_ref.event)) {
      const EventIndex launch = m_trace.deviceDetail(m_ref.event).launch;
      if (launch.valid()) {
        addLink(tr("Launched by"), launch,
                tr("%1 from launch to start")
                    .arg(textOf(signedDurationText(m_range.begin - m_trace.events.range(launch).end))));
        const EventIndex caller = m_trace.parentOf(launch);
        if (caller.valid()) addLink(tr("Called from"), caller);
      }
    } else {
      collectLaunched();
    }
    collectForwardBackward();
    collectWaits();
    const EventIndex parent = m_trace.parentOf(m_ref.event);
    if (parent.valid()) addLink(tr("Parent"), parent);
  }

  // What this host event, or one inside it, launched on a device.
  void collectLaunched() {
    std::vector<EventIndex> launched;
    const auto append = [&](EventIndex first, EventIndex end) {
      const auto from = std::ranges::lower_bound(m_trace.byLaunch, first, {}, [&](EventIndex device) {
        return m_trace.deviceDetail(device).launch;
      });
      for (auto it = from; it != m_trace.byLaunch.end() && m_trace.deviceDetail(*it).launch < end; ++it)
        launched.push_back(*it);
    };
    append(m_ref.event, EventIndex(m_ref.event.value + std::size_t{1}));
    const RowIndex row = m_trace.rowOf(m_ref.event);
    const Track& track = m_trace.tracks[m_trace.rows[row.value].track.value];
    for (RowIndex below(row.value + std::size_t{1}); below.value < track.firstRow.value + track.rowCount;
         ++below.value) {
      EventIndex first = m_trace.lastBeginningBy(below, m_range.begin - 1);
      first = first.valid() ? EventIndex(first.value + std::size_t{1}) : m_trace.rows[below.value].firstEvent;
      const EventIndex last = m_trace.lastBeginningBy(below, m_range.end - 1);
      if (last.valid() && first <= last) append(first, EventIndex(last.value + std::size_t{1}));
    }
    std::ranges::sort(launched, {}, [&](EventIndex device) { return m_trace.events.begin[device]; });
    for (std::size_t i = 0; i < std::min(launched.size(), kLinksShown); ++i)
      addLink(i == 0 ? tr("Launches") : QString(), launched[i],
              tr("%1 after the start")
                  .arg(textOf(signedDurationText(m_trace.events.begin[launched[i]] - m_range.begin))));
    if (launched.size() > kLinksShown) m_facts.linksLeftOut = launched.size() - kLinksShown;
  }

  void collectForwardBackward() {
    const auto& flows = m_trace.forwardBackward;
    const auto lower =
        std::lower_bound(flows.begin(), flows.end(), m_ref.event,
                         [](const EventFlow& flow, EventIndex event) { return flow.from < event; });
    for (auto flow = lower; flow != flows.end() && flow->from == m_ref.event; ++flow)
      addLink(tr("Backward"), flow->to);
    for (const EventFlow& flow : flows)
      if (flow.to == m_ref.event) addLink(tr("Forward"), flow.from);
  }

  void collectWaits() {
    const EventIndex own = m_ref.event;
    const auto addOther = [&](const QString& key, EventIndex target) {
      if (target.valid() && target != own && m_facts.links.size() < 2 * kLinksShown) addLink(key, target);
    };
    for (const EventWait& wait : m_trace.waitsOf(own)) {
      const bool recordsOnly = wait.record == wait.call;
      addOther(recordsOnly         ? tr("Records completion of")
               : own == wait.after ? tr("Waited for")
                                   : tr("Waits for"),
               wait.before);
      addOther(tr("Event recorded by"), wait.record);
      if (own != wait.after) addOther(tr("Unblocks"), wait.after);
      if (own != wait.before) addOther(tr("Wait call"), wait.call);
    }
  }

  const TraceSet& m_traces;
  EventRef m_ref;
  const RankTrace& m_trace;
  TimeRange m_range;
  EventFacts m_facts;
};

} // namespace

EventLink eventLink(const TraceSet& traces, EventRef target, const QString& key, const QString& note) {
  const EventColumns& events = traces.rank(target.rank).trace->events;
  const std::string_view name = traces.names()[events.name[target.event]];
  QStringList notes;
  if (!note.isEmpty()) notes << note;
  notes << textOf(durationText(events.duration[target.event]));
  return {key, textOf(shortName(events.kind[target.event], name)), textOf(name), join(notes), target};
}

EventFacts eventFacts(const TraceSet& traces, EventRef ref) {
  return FactCollector(traces, ref).collect();
}

std::optional<TimeNs> selfTime(const RankTrace& trace, EventIndex event) {
  const EventKind kind = trace.events.kind[event];
  const bool nests = kind == EventKind::CpuOp || kind == EventKind::HostCollective ||
                     kind == EventKind::Runtime || kind == EventKind::Annotation || kind == EventKind::Python;
  if (!nests) return std::nullopt;
  const TimeRange range = trace.events.range(event);
  const RowIndex row = trace.rowOf(event);
  const Track& track = trace.tracks[trace.rows[row.value].track.value];
  TimeNs self = range.length();
  const RowIndex below(row.value + std::size_t{1});
  if (below.value >= track.firstRow.value + track.rowCount) return self;
  // Events of one row do not overlap, so the sum of their durations is their union.
  EventIndex child = trace.lastBeginningBy(below, range.begin);
  if (!child.valid()) child = trace.rows[below.value].firstEvent;
  for (; child < trace.rows[below.value].endEvent && trace.events.begin[child] < range.end; ++child.value)
    self -= trace.events.range(child).clippedTo(range).length();
  return self;
}

QString rankText(const TraceSet& traces, RankIndex rank) {
  const RankEntry& entry = traces.rank(rank);
  QStringList parts{tr("Rank %1").arg(entry.rank)};
  if (traces.severalCaptures()) parts << tr("capture %1").arg(entry.capture);
  if (!entry.host.empty()) parts << textOf(entry.host);
  if (!entry.gpu.empty()) parts << textOf(entry.gpu);
  return join(parts);
}

} // namespace rankscope::ui
