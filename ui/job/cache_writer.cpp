// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/cache_writer.h"

#include "ui/base/workers.h"

#include <utility>

namespace rankscope::ui {

void CacheWriter::write(std::shared_ptr<const TraceSet> traces, TraceCacheSettings settings) {
  giveUp();
  auto run = std::make_shared<Run>();
  PendingWork::Token running = m_pending.begin();
  runOnWorker(
      &m_context,
      [run, traces = std::move(traces), settings = std::move(settings)] {
        return writeTraceCache(*traces, settings, run->cancel);
      },
      [this, run](const Result<bool>&) {
        if (run->cancel) return;
        m_run.reset();
        m_running.release();
      });
  m_run = std::move(run);
  m_running = std::move(running);
}

void CacheWriter::giveUp() {
  if (m_run) m_run->cancel = true;
  m_run.reset();
  m_running.release();
}

} // namespace rankscope::ui
