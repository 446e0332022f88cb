// SPDX-License-Identifier: GPL-3.0-or-later
// The other jobs of a folder in which several were found: one is opened, the others are named with where they
// are. As the files were told apart when they were read. Pure functions; O(files).
#pragma once

#include "core/model/trace_set.h"

#include <cstddef>
#include <string>
#include <vector>

namespace rankscope {

struct FoundJob {
  std::string folder;             // that its files lie in or below
  std::string name;               // the folder; of several jobs in one folder the first file
  std::vector<std::string> files; // paths
};

// The one that is open.
[[nodiscard]] FoundJob openedJob(const TraceSet& trace);
// In the order in which they were numbered, the largest first.
[[nodiscard]] std::vector<FoundJob> otherJobs(const TraceSet& trace);

// "Several jobs were found. Opened: a (4 files). Not opened: b (2 files). Open one by its folder."; empty for
// a single job.
[[nodiscard]] std::string otherJobsText(const TraceSet& trace);

} // namespace rankscope
