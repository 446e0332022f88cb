// SPDX-License-Identifier: GPL-3.0-or-later
// A load that delivers the first rank of a job, then waits for the test to open its gate, then delivers all.
#pragma once

#include "core/io/load/trace_loader.h"
#include "ui/job/load_job.h"

#include <QSemaphore>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::ui {

struct GatedLoad {
  QSemaphore gate;
  std::atomic<int> cancelled{0}; // loads that ended for that

  LoadFunction function() {
    return [this](const std::vector<std::string>& paths, const LoadOptions& options, Progress& progress,
                  const RanksArrived& arrived) -> Result<std::shared_ptr<const TraceSet>> {
      Progress own;
      auto whole = loadTraces(paths, options, own);
      if (!whole) return whole;
      const TraceSet& all = **whole;
      progress.stage = LoadStage::Reading;
      progress.filesTotal = static_cast<std::uint32_t>(all.ranks().size());
      progress.filesDone = 1;
      progress.bytesTotal = 2'000'000;
      progress.bytesDone = 500'000;
      arrived(std::make_shared<const TraceSet>(all.jobName(), all.names(),
                                               std::vector<RankEntry>{all.ranks().front()}, all.files()));
      while (!gate.tryAcquire(1, 1)) {
        if (!progress.cancelled()) continue;
        ++cancelled;
        return Error{ErrorKind::Cancelled, "cancelled", {}, {}};
      }
      return whole;
    };
  }
};

} // namespace rankscope::ui
