// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/session_files.h"

#include <utility>

namespace rankscope::ui {

SessionFiles::SessionFiles(TraceSession& session, EventFinder& finder, QObject* parent)
    : QObject(parent), m_sessionStore(session, finder) {}

Result<QStringList> SessionFiles::tracesOf(const QStringList& paths) {
  m_opened.reset();
  if (paths.size() != 1 || !isSessionFile(paths.front())) return paths;
  auto state = readSessionFile(paths.front());
  if (!state) return state.error();
  if (state->traces.isEmpty())
    return Error{ErrorKind::Format,
                 tr("the session contains no traces").toStdString(),
                 paths.front().toStdString(),
                 {}};
  m_opened = std::move(state).value();
  return m_opened->traces;
}

void SessionFiles::jobReady() {
  const QStringList traces = std::exchange(m_traces, {});
  if (traces.isEmpty()) return m_sessionStore.follow();
  const auto opened = std::exchange(m_opened, std::nullopt);
  m_sessionStore.begin(traces, opened);
  if (opened && !opened->tab.isEmpty()) emit tabWanted(opened->tab);
  if (opened && !opened->theme.isEmpty()) emit themeWanted(opened->theme);
}

} // namespace rankscope::ui
