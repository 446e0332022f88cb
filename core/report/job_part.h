// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of a job was asked about, for summaries and reports: in words, as keys of summary.json, and as
// the options that ask for it again. Pure.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/json.h"
#include "core/io/reader/load_filter.h"

#include <optional>
#include <string>
#include <vector>

namespace rankscope {

struct JobPart {
  std::string steps;          // "4", "2..5"; empty: all
  std::string ranks;          // "0,3-5"; empty: all
  std::optional<TimeNs> from; // after the job's first event
  std::optional<TimeNs> to;
  std::optional<int> capture;
  LoadFilter loaded;

  // All that was opened is in it.
  [[nodiscard]] bool all() const { return steps.empty() && ranks.empty() && !from && !to; }
};

// "0,3-5": ranks as options have them.
[[nodiscard]] std::string rankList(const std::vector<int>& ranks);

// "Steps 2..5 · 20 ms to 23 ms · ranks 0-3 · capture 2 · steps 3..5 loaded"; empty for a whole job.
[[nodiscard]] std::string partText(const JobPart& part);

// "--capture", "2": options of both programs for what is loaded.
[[nodiscard]] std::vector<std::string> loadArguments(const JobPart& part);
// "--steps", "2..5": options of rankscope-cli for what is asked of that.
[[nodiscard]] std::vector<std::string> tableArguments(const JobPart& part);
// "--range", "20000000ns..23000000ns": options of rankscope for the part that an analysis is of. Times count
// from the origin.
[[nodiscard]] std::vector<std::string> windowArguments(const Analysis& analysis, JobTime origin);

// The time that an analysis is of, from the first to the last instant in its windows. Empty without ranks.
[[nodiscard]] JobRange partRange(const Analysis& analysis);

// The object "part".
void writePart(JsonWriter& json, const JobPart& part, const Analysis& analysis);

} // namespace rankscope
