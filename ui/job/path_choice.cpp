// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/path_choice.h"

#include "ui/job/job_highlights.h"
#include "ui/job/trace_session.h"

#include <utility>

namespace rankscope::ui {

PathChoice& PathChoice::of(TraceSession& session) {
  auto* known = session.findChild<PathChoice*>(QString(), Qt::FindDirectChildrenOnly);
  return known ? *known : *new PathChoice(session);
}

PathChoice::PathChoice(TraceSession& session)
    : QObject(&session), m_session(session), m_task(session.pending()) {
  connect(&session, &TraceSession::traceChanged, this, [this] {
    m_wanted.reset();
    ask();
  });
  connect(&session, &TraceSession::highlightsChanged, this, &PathChoice::ask);
  connect(&session, &TraceSession::selectionChanged, this, &PathChoice::followSelection);
}

void PathChoice::setShown(bool shown) {
  if (m_shown == shown) return;
  m_shown = shown;
  if (!shown) m_wanted.reset();
  ask();
  change();
}

void PathChoice::setOnlyCritical(bool only) {
  if (onlyCritical() == only) return;
  m_onlyCritical = only;
  if (only && !m_shown) return setShown(true);
  change();
}

void PathChoice::change() {
  m_revision = nextRevision();
  emit changed();
}

// A path stays as long as the results that it was made from.
void PathChoice::ask() {
  const auto& highlights = m_session.highlights();
  std::shared_ptr<const JobReport> report;
  if (m_shown && highlights) report = std::shared_ptr<const JobReport>(highlights, &highlights->report());
  if (report == m_asked) return;
  m_asked = report;
  const bool had = m_path != nullptr;
  m_path.reset();
  m_task.drop();
  if (std::exchange(m_selected, std::nullopt)) emit selectedChanged();
  if (had) change();
  if (!report) return;
  m_task.ask([report] { return std::make_shared<const TimelinePath>(report); },
             [this](std::shared_ptr<const TimelinePath> path) {
               m_path = std::move(path);
               change();
               if (const auto wanted = std::exchange(m_wanted, std::nullopt)) return showSegment(*wanted);
               followSelection();
             });
}

QString PathChoice::whyNone() const {
  if (m_path && !m_path->segments().empty()) return {};
  if (m_path) return QString::fromStdString(m_path->whyEmpty());
  if (!m_shown) return tr("The critical path is off (C).");
  return m_session.trace() ? tr("Computing …") : QString();
}

const PathSegment* PathChoice::selectedSegment() const {
  return m_path && m_selected ? &m_path->segments()[*m_selected] : nullptr;
}

void PathChoice::select(std::optional<std::size_t> segment) {
  if (segment && (!m_path || *segment >= m_path->segments().size())) return;
  const bool changes = m_selected != segment;
  m_selected = segment;
  if (const PathSegment* const chosen = selectedSegment()) {
    m_selecting = true;
    m_session.selectGap({});
    m_session.select(chosen->event.valid() ? EventRef{chosen->rank, chosen->event} : EventRef{});
    m_selecting = false;
  }
  if (changes) emit selectedChanged();
}

void PathChoice::showSegment(const PathSegment& segment) {
  setShown(true);
  if (!m_path) {
    m_wanted = segment;
    return;
  }
  const auto found = m_path->find(segment);
  if (!found) return;
  select(found);
  emit segmentWanted();
}

bool PathChoice::canStep(bool forward) const {
  if (!m_path || !m_selected) return false;
  return forward ? *m_selected + 1 < m_path->segments().size() : *m_selected > 0;
}

void PathChoice::step(bool forward) {
  if (!canStep(forward)) return;
  select(forward ? *m_selected + 1 : *m_selected - 1);
  emit segmentWanted();
}

// A slice on the path is a segment of it.
void PathChoice::followSelection() {
  if (m_selecting || !m_path) return;
  const auto segment = m_path->segmentOf(m_session.selection());
  if (segment == m_selected) return;
  m_selected = segment;
  emit selectedChanged();
}

} // namespace rankscope::ui
