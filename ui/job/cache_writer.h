// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps an opened job in the trace cache, away from the UI thread and one job at a time: a later one, and the
// end of this object, stop the one that is being written at its next block, and what was written of it goes.
// Belongs to the UI thread.
#pragma once

#include "core/io/cache/trace_cache.h"
#include "ui/base/pending_work.h"

#include <QObject>

#include <atomic>
#include <memory>

namespace rankscope::ui {

class CacheWriter {
 public:
  explicit CacheWriter(PendingWork& pending) : m_pending(pending) {}
  ~CacheWriter() { giveUp(); }
  CacheWriter(const CacheWriter&) = delete;
  CacheWriter& operator=(const CacheWriter&) = delete;

  void write(std::shared_ptr<const TraceSet> traces, TraceCacheSettings settings);
  void giveUp();

 private:
  struct Run {
    std::atomic<bool> cancel{false};
  };

  PendingWork& m_pending;
  std::shared_ptr<Run> m_run; // null when nothing is being written
  PendingWork::Token m_running;
  QObject m_context; // as long as it lives ends are heard of
};

} // namespace rankscope::ui
