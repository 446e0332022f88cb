// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps an opened job in the trace cache, away from the UI thread and one job at a time: a later one, and the
// end of this object, stop the one that is being written at its next block, and what was written of it goes.
// Belongs to the UI thread.
#pragma once

#include "core/io/cache/trace_cache.h"

#include <QObject>

#include <atomic>
#include <functional>
#include <memory>

namespace rankscope::ui {

class CacheWriter {
 public:
  CacheWriter() = default;
  ~CacheWriter() { giveUp(); }
  CacheWriter(const CacheWriter&) = delete;
  CacheWriter& operator=(const CacheWriter&) = delete;

  // done is called on the UI thread when it is kept or cannot be, unless it is given up before.
  void keep(std::shared_ptr<const TraceSet> traces, TraceCacheSettings settings, std::function<void()> done);
  void giveUp();
  [[nodiscard]] bool writing() const { return m_run != nullptr; }

 private:
  struct Run {
    std::atomic<bool> cancel{false};
  };

  std::shared_ptr<Run> m_run; // null when nothing is being written
  QObject m_here;             // as long as it lives ends are heard of
};

} // namespace rankscope::ui
