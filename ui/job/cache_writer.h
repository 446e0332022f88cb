// SPDX-License-Identifier: GPL-3.0-or-later
// Writes an opened job to the trace cache on a worker, one job at a time. A later job or the destructor
// stops the current write at its next block and removes what was written. UI thread.
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
  QObject m_context; // results are delivered while it lives
};

} // namespace rankscope::ui
