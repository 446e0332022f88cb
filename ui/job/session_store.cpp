// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/session_store.h"

#include "ui/job/acceptances.h"
#include "ui/job/event_finder.h"
#include "ui/job/trace_session.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>

#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kWriteAfterMs = 2000;
constexpr qsizetype kMaxUserSessions = 1000; // in the user's folder

void dropOldest(const QString& folder) {
  const QFileInfoList files = QDir(folder).entryInfoList({QStringLiteral("*.") + kSessionSuffix},
                                                         QDir::Files | QDir::Hidden, QDir::Time);
  for (qsizetype i = kMaxUserSessions; i < files.size(); ++i) {
    const auto state = readSessionFile(files[i].filePath());
    if (!state || !state->hasWork()) QFile::remove(files[i].filePath());
  }
}

} // namespace

std::optional<SessionState> readStored(const SessionPlaces& places) {
  std::optional<SessionState> newest;
  QDateTime time;
  for (const QString& path : {places.nextToTraces, places.inUserFolder}) {
    const QFileInfo file(path);
    if (path.isEmpty() || !file.isFile() || (newest && file.lastModified() <= time)) continue;
    auto state = readSessionFile(path);
    if (!state) continue; // unreadable: ignored
    newest = std::move(state).value();
    time = file.lastModified();
  }
  return newest;
}

bool writeStored(const SessionPlaces& places, const SessionState& state) {
  if (places.inUserFolder.isEmpty()) return false;
  const QString folder = QFileInfo(places.inUserFolder).absolutePath();
  if (!QDir().mkpath(folder)) return false;
  dropOldest(folder);
  return !writeSessionFile(places.inUserFolder, state);
}

SessionStore::SessionStore(TraceSession& session, EventFinder& finder, QObject* parent)
    : QObject(parent), m_session(session), m_finder(finder), m_reading(session.pending()),
      m_writing(session.pending()), m_partReading(session.pending()) {
  m_timer.setSingleShot(true);
  m_timer.setInterval(kWriteAfterMs);
  connect(&m_timer, &QTimer::timeout, this, &SessionStore::save);
  for (const auto signal : {&TraceSession::windowChanged, &TraceSession::rangeChanged,
                            &TraceSession::selectionChanged, &TraceSession::scrollPlaceChanged})
    connect(&session, signal, this, &SessionStore::touched);
  connect(&session.marks(), &Marks::changed, this, &SessionStore::touched);
  connect(&session.acceptances(), &Acceptances::changed, this, &SessionStore::touched);
  connect(&finder, &EventFinder::textChanged, this, &SessionStore::touched);
}

SessionStore::~SessionStore() = default;

void SessionStore::touched() {
  if (!canSave() || m_applying) return;
  m_dirty = true;
  if (!m_timer.isActive()) m_timer.start();
}

bool SessionStore::canSave() const {
  return !m_folder.isEmpty() && !m_traces.isEmpty() && m_session.trace() &&
         m_trace.lock() == m_session.trace();
}

void SessionStore::follow() {
  m_trace = m_session.trace();
}

void SessionStore::askForPart(const QStringList& traces, std::function<void(const LoadedPart&)> done) {
  m_partReading.drop();
  if (m_folder.isEmpty()) return done({});
  m_partReading.ask(
      [places = sessionPlaces(traces, m_folder)] {
        const auto state = readStored(places);
        return state ? state->part : LoadedPart();
      },
      done,
      [done](const Error& error) { // an unreadable session is no hindrance
        reportFailure(error);
        done({});
      });
}

void SessionStore::begin(const QStringList& traces, const LoadedPart& part,
                         const std::optional<SessionState>& instead) {
  m_reading.drop();
  m_traces = traces;
  m_part = part;
  follow();
  m_rest = {};
  m_dirty = false;
  m_timer.stop();
  if (instead) return apply(*instead, true);
  if (m_folder.isEmpty()) return;
  m_reading.ask([places = sessionPlaces(traces, m_folder)] { return readStored(places); },
                [this](std::optional<SessionState> state) {
                  if (state) apply(*state, false);
                  if (m_part != (state ? state->part : LoadedPart())) touched();
                },
                [this](const Error& error) {
                  m_traces.clear(); // an unreadable session is not overwritten
                  reportFailure(error);
                });
}

SessionState SessionStore::state() const {
  SessionState state;
  state.traces = m_traces;
  state.part = m_part;
  state.rest = m_rest;
  state.search = m_finder.text();
  for (const Region& region : m_session.marks().regions())
    if (region.saved) state.regions.push_back(region);
  state.accepted = m_session.acceptances().all();
  if (!m_session.trace()) return state;
  const TraceSet& trace = *m_session.trace();
  if (m_session.window() != m_session.limits()) state.window = m_session.recorded(m_session.window());
  state.scroll = m_session.scrollPlace();
  state.timeline = toJson(m_session.choiceAsShown());
  if (m_session.range()) state.range = m_session.recorded(*m_session.range());
  state.rangeTracks = markedTracks(trace, m_session.rangeTracks());
  if (m_session.selection().valid()) state.selection = savedEvent(trace, m_session.selection());
  state.theme = m_session.themeName() == ThemeName::Dark ? QStringLiteral("dark") : QStringLiteral("light");
  return state;
}

void SessionStore::apply(const SessionState& state, bool withTimeline) {
  if (!m_session.trace()) return;
  m_applying = true;
  const TraceSet& trace = *m_session.trace();
  m_rest = state.rest;
  m_session.marks().setRegions(state.regions);
  m_session.acceptances().set(state.accepted);
  if (withTimeline && !state.timeline.isEmpty()) m_session.setChoice(timelineChoiceFromJson(state.timeline));
  if (state.selection) m_session.select(findSaved(trace, *state.selection));
  if (state.range)
    m_session.setRange(m_session.drawnAt(*state.range), rankTracksOf(trace, state.rangeTracks));
  // A window outside of the job, for example of an earlier recording, would show nothing.
  const auto window = state.window ? std::optional(m_session.drawnAt(*state.window)) : std::nullopt;
  if (window && window->overlaps(m_session.limits())) m_session.setWindow(*window, false);
  if (state.scroll) m_session.requestScroll(*state.scroll);
  if (!state.search.isEmpty()) m_finder.setText(state.search);
  m_applying = false;
}

std::function<bool()> SessionStore::writing() {
  m_dirty = false;
  return [places = sessionPlaces(m_traces, m_folder), now = state(), order = m_writeOrder,
          number = ++m_writeNumber] {
    const std::scoped_lock lock(order->mutex);
    if (number < order->written) return true;
    order->written = number;
    return writeStored(places, now);
  };
}

void SessionStore::save() {
  if (!m_dirty || !canSave()) return;
  m_writing.ask(
      writing(), [](bool) {},
      [this](const Error& error) {
        m_dirty = true;
        reportFailure(error);
      });
}

void SessionStore::saveNow() {
  m_timer.stop();
  if (m_dirty && canSave()) writing()();
}

} // namespace rankscope::ui
