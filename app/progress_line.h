// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the progress of a load on one line of standard error, which is erased at the end. Where standard
// error is not a terminal, it only tells of a remote that does not answer, in lines that stay. Prints nothing
// if no thread can be started. Runs on its own thread and only reads the Progress.
#pragma once

#include "core/base/progress.h"
#include "core/base/thread_team.h"
#include "core/io/remote/fetch_progress.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

namespace rankscope {

// "waiting for s3://bucket/job, no answer for 12 s"
[[nodiscard]] std::string waitingText(const FetchProgress::Silence& silence);

class ProgressLine {
 public:
  // fetched: of remotes; may be null.
  ProgressLine(const Progress& progress, bool wanted, const FetchProgress* fetched = nullptr);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void run() noexcept;
  void runWithoutTerminal() noexcept;

  const Progress& m_progress;
  const FetchProgress* m_fetched;
  std::mutex m_mutex;
  std::condition_variable m_wake;
  bool m_done = false;
  std::optional<ThreadTeam> m_writer;
};

} // namespace rankscope
