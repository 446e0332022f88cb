// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/cache_writer.h"

#include <QFutureWatcher>
#include <QtConcurrentRun>

#include <utility>

namespace rankscope::ui {

void CacheWriter::keep(std::shared_ptr<const TraceSet> traces, TraceCacheSettings settings,
                       std::function<void()> done) {
  giveUp();
  auto run = std::make_shared<Run>();
  m_run = run;
  auto* watcher = new QFutureWatcher<void>;
  // When the run was given up this object may be gone.
  QObject::connect(watcher, &QFutureWatcher<void>::finished, watcher,
                   [this, watcher, run, done = std::move(done)] {
                     watcher->deleteLater();
                     if (run->cancel) return;
                     m_run.reset();
                     done();
                   });
  watcher->setFuture(QtConcurrent::run([run, traces = std::move(traces), settings = std::move(settings)] {
    writeTraceCache(*traces, settings, run->cancel);
  }));
}

void CacheWriter::giveUp() {
  if (m_run) m_run->cancel = true;
  m_run.reset();
}

} // namespace rankscope::ui
