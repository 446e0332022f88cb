// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/cache_writer.h"

#include "ui/base/workers.h"

#include <utility>

namespace rankscope::ui {

void CacheWriter::keep(std::shared_ptr<const TraceSet> traces, TraceCacheSettings settings,
                       std::function<void()> done) {
  giveUp();
  auto run = std::make_shared<Run>();
  m_run = run;
  runOnWorker(
      &m_here,
      [run, traces = std::move(traces), settings = std::move(settings)] {
        return writeTraceCache(*traces, settings, run->cancel);
      },
      [this, run, done = std::move(done)](const Result<bool>&) {
        if (run->cancel) return;
        m_run.reset();
        done();
      });
}

void CacheWriter::giveUp() {
  if (m_run) m_run->cancel = true;
  m_run.reset();
}

} // namespace rankscope::ui
