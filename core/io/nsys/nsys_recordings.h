// SPDX-License-Identifier: GPL-3.0-or-later
// Makes recordings of ranks from the tables of an export: decides which processes are ranks, joins their
// events, adds processes of the only rank to it, and says what the recording lacks.
#pragma once

#include "core/io/nsys/nsys_slices.h"
#include "core/model/file_events.h"

#include <string>
#include <vector>

namespace rankscope {

// Consumes the tables. Empty if the export has no events.
[[nodiscard]] std::vector<FileEvents> nsysRecordings(NsysTables tables, const NsysExport& facts,
                                                     const SqliteFile& file, unsigned threadCount);

// What a recording lacks, with the way to record or export it.
struct NsysContents {
  bool deviceEvents = false;
  bool ranges = false;
  bool operators = false;
  bool shapes = false;
  bool gpus = false;          // properties of its GPUs are known
  bool graphsAsWhole = false; // some CUDA graphs stand as one event
  bool ncclRanges = false;
  bool ncclPayloads = false;
};
// As texts of diagnostics: core/model/missing_part.h.
[[nodiscard]] std::vector<std::string> missingParts(const NsysContents& contents, const NsysExport& facts);

} // namespace rankscope
