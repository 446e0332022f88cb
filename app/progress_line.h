// SPDX-License-Identifier: GPL-3.0-or-later
// While it lives, one line on standard error shows the progress of a load; afterwards the line is erased.
// Nothing is written when standard error is no terminal, or no thread is to be had: it runs on one of its own
// and only reads the Progress.
#pragma once

#include "core/base/progress.h"
#include "core/base/thread_team.h"

#include <condition_variable>
#include <mutex>
#include <optional>

namespace rankscope {

class ProgressLine {
 public:
  ProgressLine(const Progress& progress, bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void run() noexcept;

  const Progress& m_progress;
  std::mutex m_mutex;
  std::condition_variable m_wake;
  bool m_done = false;
  std::optional<ThreadTeam> m_writer;
};

} // namespace rankscope
