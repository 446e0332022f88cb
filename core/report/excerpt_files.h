// SPDX-License-Identifier: GPL-3.0-or-later
// The selected part of a job as trace files of their own: one file for each recording, in the format of its
// file, with the events that overlap the part and everything that names ranks, threads and devices.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope {

struct ExcerptFile {
  RankIndex rank;
  std::string path;          // to write
  std::uint64_t events = 0;  // written
  std::uint64_t damaged = 0; // unreadable and therefore left out
};

// Where the recordings go that have a part in the analysis' windows. out: a file ending in .json or .json.gz,
// to which several recordings add "_rank3" or "_rank3_capture2"; else a folder.
[[nodiscard]] std::vector<ExcerptFile> excerptFiles(const Analysis& analysis, const std::string& out);

// Reads the recording's file again and writes the part of the rank's window; compressed where the path ends
// in .gz. Fills the counts; without an event no file is written. The folder must exist.
[[nodiscard]] std::optional<Error> writeExcerpt(const Analysis& analysis, ExcerptFile& file);

} // namespace rankscope
