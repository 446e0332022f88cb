// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/gap_panel.h"

#include "core/analysis/job/recording_advice.h"
#include "core/base/unit_text.h"
#include "core/report/gap_leaf.h"
#include "core/report/leaf_texts.h"
#include "ui/base/counted.h"
#include "ui/base/short_name.h"
#include "ui/base/ui_text.h"
#include "ui/job/job_highlights.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/lanes/track_label.h"

#include <algorithm>
#include <utility>

namespace rankscope::ui {
namespace {

QString lasting(TimeNs length) {
  return textOf(durationText(length));
}

// What the account says of the range; empty if the device was busy there.
std::optional<Leaf> leafOf(const JobHighlights& highlights, const GapRef& ref) {
  const TimeRange own = highlights.analysis().clocks().of(ref.rank).fromJob(ref.range).ns();
  const auto largest = largestIdleLeaf(highlights.report().account().of(ref.rank).pieces, own);
  return largest ? std::optional(largest->leaf) : std::nullopt;
}

QString idleTitle(const TraceSet& drawn, RankIndex rank, TimeNs length) {
  return GapPanel::tr("GPU idle %1 on rank %2").arg(lasting(length)).arg(drawn.rank(rank).rank);
}

// The fix of the finding about the leaf, or about the smallest branch of the tree that has it.
QString adviceFor(const JobReport& report, Leaf leaf, RankIndex rank) {
  const Finding* found = nullptr;
  for (const Finding& finding : report.findings()) {
    if (finding.leaf.empty() || !isUnder(leaf, finding.leaf)) continue;
    const bool ofOthers =
        !finding.ranks.empty() && std::ranges::find(finding.ranks, rank) == finding.ranks.end();
    if (ofOthers || (found != nullptr && finding.leaf.size() <= found->leaf.size())) continue;
    found = &finding;
  }
  return found != nullptr ? QString::fromStdString(found->fix) : QString();
}

ExplanationRow leafTotalRow(const JobHighlights& highlights, Leaf leaf, RankIndex rank) {
  const TimePieces& pieces = highlights.report().account().of(rank).pieces;
  TimeNs time = 0;
  for (const LeafTime& part : pieces.within(pieces.range()))
    if (part.leaf == leaf && part.timeClass == TimeClass::Idle) time += part.time;
  const auto whole = static_cast<double>(std::max<TimeNs>(1, pieces.range().length()));
  return {
      GapPanel::tr("Same cause on this rank"),
      lasting(time),
      GapPanel::tr("%1 of the recording").arg(textOf(percentText(100 * static_cast<double>(time) / whole))),
      {}};
}

// The innermost Python frame at this time, on the thread that ran, or on the main thread if that is unknown.
EventIndex pythonFrameAt(const RankTrace& trace, TrackIndex thread, TimeNs time) {
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Python) continue;
    const bool same = thread.valid() ? track.thread == trace.tracks[thread.value].thread &&
                                           track.process == trace.tracks[thread.value].process
                                     : track.mainThread;
    if (!same) continue;
    for (std::uint32_t row = track.firstRow.value + track.rowCount; row-- > track.firstRow.value;) {
      const EventIndex event = trace.lastBeginningBy(RowIndex(row), time);
      if (event.valid() && trace.events.range(event).contains(time)) return event;
    }
  }
  return {};
}

class GapExplainer {
 public:
  GapExplainer(const JobHighlights& highlights, const TraceSet& drawn, const GapRef& ref, const IdleGap& gap)
      : m_highlights(highlights), m_drawn(drawn), m_ref(ref), m_gap(gap),
        m_trace(*drawn.rank(ref.rank).trace), m_range(highlights.rangeOf(ref.rank, gap).ns()) {}

  Explanation showExplanation() {
    // The label of the gap has more details than the leaf, but only where they agree do they explain it.
    const std::optional<Leaf> leaf = leafOf(m_highlights, m_ref);
    const bool agree = !leaf || agrees(*leaf, m_gap.cause);
    m_explanation.title =
        idleTitle(m_drawn, m_ref.rank, m_gap.range.length()) + QStringLiteral(" · ") +
        (agree ? gapCauseLabel(m_highlights, m_ref.rank, m_gap, true) : textOf(leafTitle(*leaf)));
    m_explanation.summary = textOf(agree ? gapCauseSentence(m_gap.cause) : leafDefinition(*leaf));
    addTime();
    addHostActivity();
    addNextEvent();
    addWaitedFor();
    if (leaf) m_explanation.rows.push_back(leafTotalRow(m_highlights, *leaf, m_ref.rank));
    addOtherRanks();
    if (leaf) m_explanation.advice = adviceFor(m_highlights.report(), *leaf, m_ref.rank);
    return std::move(m_explanation);
  }

 private:
  void add(const QString& key, const QString& text, const QString& note = {}) {
    m_explanation.rows.push_back({key, text, note, {}});
  }
  void addEvent(const QString& key, RankIndex rank, EventIndex event, const QString& note) {
    const EventColumns& events = m_drawn.rank(rank).trace->events;
    const std::string name = shortName(events.kind[event], m_drawn.names()[events.name[event]]);
    m_explanation.rows.push_back({key, QString::fromStdString(name), note, {rank, event}});
  }
  [[nodiscard]] QString trackOf(EventIndex event) const {
    return trackLabel(m_trace, m_drawn.names(), m_trace.tracks[m_trace.trackOf(event).value], true)
        .simplified();
  }

  void addTime() {
    QString note;
    const StepWindows& steps = m_highlights.analysis().wholeStepWindows(m_ref.rank);
    if (m_gap.step && steps.areSteps()) {
      const StepWindow& step = steps.steps[*m_gap.step];
      const double share = step.range.length() > 0 ? 100.0 * static_cast<double>(m_gap.range.length()) /
                                                         static_cast<double>(step.range.length())
                                                   : 0;
      note = GapPanel::tr("%1 of step %2").arg(textOf(percentText(share))).arg(step.number);
    }
    const TimeNs digits = std::max<TimeNs>(1, m_range.length() / 100);
    add(GapPanel::tr("Time range"),
        QStringLiteral("+") + textOf(timeText(m_range.begin - m_drawn.extent().begin, digits)) +
            GapPanel::tr(" to ") + QStringLiteral("+") +
            textOf(timeText(m_range.end - m_drawn.extent().begin, digits)),
        note);
  }

  void addHostActivity() {
    if (m_gap.hostEvent.valid()) {
      const TimeRange range = m_trace.events.range(m_gap.hostEvent);
      const TimeNs within = range.clippedTo(m_range).length();
      addEvent(GapPanel::tr("CPU activity during gap"), m_ref.rank, m_gap.hostEvent,
               GapPanel::tr("%1 during the gap, %2 in total · %3")
                   .arg(lasting(within), lasting(range.length()), trackOf(m_gap.hostEvent)));
    } else {
      add(GapPanel::tr("CPU activity during gap"), GapPanel::tr("not recorded"),
          GapPanel::tr("record with %1 to see the Python code")
              .arg(QString::fromStdString(optionFor(Recordable::Stacks, m_drawn))));
    }
    const EventIndex frame = pythonFrameAt(m_trace, m_gap.thread, m_range.begin + m_range.length() / 2);
    if (frame.valid() && frame != m_gap.hostEvent)
      addEvent(GapPanel::tr("Python"), m_ref.rank, frame,
               GapPanel::tr("running at the middle of the gap, %1 in total")
                   .arg(lasting(m_trace.events.duration[frame])));
  }

  void addNextEvent() {
    if (!m_gap.next.valid()) return;
    addEvent(GapPanel::tr("Next GPU event"), m_ref.rank, m_gap.next,
             GapPanel::tr("%1 · %2").arg(lasting(m_trace.events.duration[m_gap.next]), trackOf(m_gap.next)));
    if (!m_gap.launch.valid()) return;
    const TimeNs launched = m_trace.events.begin[m_gap.launch];
    const QString ahead = lasting(std::max<TimeNs>(0, m_range.end - launched));
    addEvent(GapPanel::tr("Launched by"), m_ref.rank, m_gap.launch,
             launched >= m_range.begin
                 ? GapPanel::tr("%1 after the gap began, %2 before the GPU event: the GPU waited for the CPU")
                       .arg(lasting(launched - m_range.begin), ahead)
                 : GapPanel::tr("%1 before the GPU event: the launch was not late").arg(ahead));
    const EventIndex caller = m_trace.parentOf(m_gap.launch);
    if (caller.valid()) addEvent(GapPanel::tr("Called from"), m_ref.rank, caller, {});
  }

  void addWaitedFor() {
    if (!m_gap.waitedFor.valid()) return;
    const TimeNs ended = m_trace.events.range(m_gap.waitedFor).end;
    addEvent(GapPanel::tr("Waited for"), m_ref.rank, m_gap.waitedFor,
             GapPanel::tr("%1 · ended %2 before the GPU event")
                 .arg(trackOf(m_gap.waitedFor), lasting(std::max<TimeNs>(0, m_range.end - ended))));
    const CollectiveInstance* const instance = m_highlights.instanceOf({m_ref.rank, m_gap.waitedFor});
    if (!instance || !instance->matched()) return;
    const Participant* const last = m_highlights.partOf(*instance, instance->lastRank);
    if (!last) return;
    const EventRef event = m_highlights.eventOf(*last);
    addEvent(GapPanel::tr("Last rank to arrive"), event.rank, event.event,
             GapPanel::tr("rank %1, %2 after the first")
                 .arg(m_drawn.rank(event.rank).rank)
                 .arg(lasting(instance->skew())));
  }

  void addOtherRanks() {
    const Analysis& analysis = m_highlights.analysis();
    qint64 ranks = 0, idle = 0;
    const JobTime middle(m_range.begin + m_range.length() / 2);
    for (const RankIndex rank : analysis.ranks()) {
      if (analysis.trace().rank(rank).trace->devices.empty()) continue;
      ++ranks;
      if (m_highlights.gapAt(rank, middle)) ++idle;
    }
    if (ranks > 1)
      add(GapPanel::tr("All ranks"), GapPanel::tr("%1 of %2 idle at this time").arg(idle).arg(ranks));
  }

  const JobHighlights& m_highlights;
  const TraceSet& m_drawn;
  const GapRef& m_ref;
  const IdleGap& m_gap;
  const RankTrace& m_trace;
  TimeRange m_range;
  Explanation m_explanation;
};

} // namespace

Explanation gapExplanation(const JobHighlights& highlights, const TraceSet& drawn, const GapRef& ref) {
  const IdleGap* const gap = highlights.gapAt(ref.rank, ref.range.begin + ref.range.length() / 2);
  if (gap) return GapExplainer(highlights, drawn, ref, *gap).showExplanation();
  // Before the first and after the last device event, and shorter than what is listed as a gap.
  Explanation explanation;
  explanation.title = idleTitle(drawn, ref.rank, ref.range.length());
  const std::optional<Leaf> leaf = leafOf(highlights, ref);
  if (!leaf) {
    explanation.summary = GapPanel::tr("Cause not recorded.");
    return explanation;
  }
  explanation.title += QStringLiteral(" · ") + textOf(leafTitle(*leaf));
  explanation.summary = textOf(leafDefinition(*leaf));
  explanation.rows.push_back(leafTotalRow(highlights, *leaf, ref.rank));
  explanation.advice = adviceFor(highlights.report(), *leaf, ref.rank);
  return explanation;
}

GapPanel::GapPanel(TraceSession& session, QWidget* parent)
    : ExplanationPage(session, parent), m_session(session) {
  connect(&session, &TraceSession::gapChanged, this, &GapPanel::showGap);
  connect(&session, &TraceSession::highlightsChanged, this, &GapPanel::showGap);
  connect(&session, &TraceSession::traceChanged, this, &GapPanel::showGap);
  showGap();
}

void GapPanel::showGap() {
  const auto gap = m_session.gap();
  if (!gap || !m_session.trace())
    return showMessage(tr("Click idle time (red stripes on a GPU stream or a collapsed rank), or press N "
                          "for the next hotspot, to see why the GPU was idle."));
  if (!m_session.highlights()) return showMessage(tr("Computing …"));
  showExplanation(gapExplanation(*m_session.highlights(), *m_session.trace(), *gap));
}

} // namespace rankscope::ui
