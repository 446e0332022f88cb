// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/occurrences.h"

#include "core/base/unit_text.h"
#include "ui/base/counted.h"
#include "ui/job/trace_session.h"

#include <algorithm>
#include <utility>

namespace rankscope::ui {

Occurrences::Occurrences(TraceSession& session, QObject* parent)
    : QObject(parent), m_session(session), m_task(session.pending()) {
  connect(&session, &TraceSession::selectionChanged, this, &Occurrences::followSelection);
  connect(&session, &TraceSession::traceChanged, this, &Occurrences::clear);
}

Occurrences::~Occurrences() {
  giveUp();
}

void Occurrences::search(std::shared_ptr<const Analysis> analysis, FindCalls find) {
  giveUp();
  m_calls.reset();
  m_position.reset();
  m_analysis = std::move(analysis);
  m_progress = std::make_shared<Progress>();
  m_task.ask(
      [of = m_analysis, find = std::move(find), progress = m_progress] {
        return std::make_shared<const CallList>(callListOf(*of, find(*of, *progress)));
      },
      [this](std::shared_ptr<const CallList> calls) {
        m_calls = std::move(calls);
        followSelection();
        emit changed();
        if (const auto then = std::exchange(m_then, nullptr)) then();
      },
      [this](const Error& error) {
        m_then = nullptr;
        reportFailure(error);
        emit changed();
      });
  emit changed();
}

void Occurrences::clear() {
  giveUp();
  m_analysis.reset();
  m_calls.reset();
  m_position.reset();
  emit changed();
}

void Occurrences::giveUp() {
  m_task.drop();
  m_then = nullptr;
  if (m_progress) m_progress->cancel = true;
  m_progress.reset();
}

QString Occurrences::text() const {
  if (!m_calls || m_calls->calls.empty()) return {};
  const auto count = static_cast<qint64>(m_calls->calls.size());
  if (!m_position) return counted(count, tr("1 call"), tr("%1 calls"));
  const auto at = static_cast<std::int64_t>(*m_position) + 1;
  return tr("%1 of %2")
      .arg(QString::fromStdString(groupedText(at)), QString::fromStdString(groupedText(count)));
}

QString Occurrences::placeText() const {
  if (!m_calls || !m_position || !m_session.trace()) return {};
  const EventRef call = m_calls->calls[*m_position];
  const RankEntry& entry = m_session.trace()->rank(call.rank);
  const TimeNs at = m_session.recorded(m_session.rangeOf(call).begin) - m_session.trace()->extent().begin;
  const TimeNs duration = entry.trace->events.duration[call.event];
  constexpr TimeNs kResolution = 1'000;
  return tr("rank %1 · at %2 · %3")
      .arg(entry.rank)
      .arg(QString::fromStdString(timeText(at, kResolution)), QString::fromStdString(durationText(duration)));
}

void Occurrences::whenFound(std::function<void()> then) {
  if (m_calls)
    then();
  else if (searching())
    m_then = std::move(then);
}

void Occurrences::goTo(std::size_t position) {
  m_position = position;
  m_session.reveal(m_calls->calls[position]);
  emit changed();
}

void Occurrences::showFirst() {
  whenFound([this] {
    if (m_calls->calls.empty()) return;
    goTo(0);
    emit timelineWanted();
  });
}

void Occurrences::showLongest() {
  whenFound([this] {
    if (m_calls->calls.empty()) return;
    goTo(m_calls->longest);
    emit timelineWanted();
  });
}

void Occurrences::showCurrent() {
  whenFound([this] {
    if (m_calls->calls.empty()) return;
    goTo(m_position.value_or(0));
    emit timelineWanted();
  });
}

void Occurrences::step(int by) {
  whenFound([this, by] {
    if (m_calls->calls.empty()) return;
    const std::size_t last = m_calls->calls.size() - 1;
    if (!m_position) return goTo(by > 0 ? 0 : last);
    goTo(by > 0 ? std::min(*m_position + 1, last) : *m_position - std::min<std::size_t>(*m_position, 1));
  });
}

void Occurrences::select(EventRef call) {
  if (const auto at = m_calls ? positionOf(*m_analysis, *m_calls, call) : std::nullopt) goTo(*at);
}

// Selecting another event keeps the position.
void Occurrences::followSelection() {
  const EventRef selected = m_session.selection();
  if (!m_calls || !selected.valid()) return;
  const auto at = positionOf(*m_analysis, *m_calls, selected);
  if (!at || at == m_position) return;
  m_position = at;
  emit changed();
}

} // namespace rankscope::ui
