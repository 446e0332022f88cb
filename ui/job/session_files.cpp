// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/session_files.h"

#include <utility>

namespace rankscope::ui {

SessionFiles::SessionFiles(TraceSession& session, EventFinder& finder, QObject* parent)
    : QObject(parent), m_sessionStore(session, finder) {}

Result<QStringList> SessionFiles::tracesOf(const QStringList& paths) {
  m_opened.reset();
  m_kept = false;
  if (paths.size() != 1 || !isSessionFile(paths.front())) return paths;
  auto state = readSessionFile(paths.front());
  if (!state) return state.error();
  if (state->traces.isEmpty())
    return Error{ErrorKind::Format,
                 tr("the session contains no traces").toStdString(),
                 paths.front().toStdString(),
                 {}};
  m_opened = std::move(state).value();
  if (!m_opened->theme.isEmpty()) emit themeWanted(m_opened->theme);
  return m_opened->traces;
}

void SessionFiles::askForPart(const QStringList& traces, std::function<void(const LoadedPart&)> done) {
  if (m_opened) return done(m_opened->part);
  m_sessionStore.askForPart(traces, std::move(done));
}

void SessionFiles::keepForOtherPart() {
  m_opened = m_sessionStore.state();
  m_kept = true;
}

void SessionFiles::jobOpened(const QStringList& traces, const LoadedPart& part) {
  m_traces = traces;
  m_part = part;
}

void SessionFiles::jobReady() {
  const QStringList traces = std::exchange(m_traces, {});
  if (traces.isEmpty()) return m_sessionStore.follow();
  const auto opened = std::exchange(m_opened, std::nullopt);
  m_sessionStore.begin(traces, m_part, opened);
  if (std::exchange(m_kept, false)) m_sessionStore.touched();
  if (opened && !opened->tab.isEmpty()) emit tabWanted(opened->tab);
}

} // namespace rankscope::ui
