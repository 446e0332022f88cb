// SPDX-License-Identifier: GPL-3.0-or-later
// What is said about an export and its recordings: what could not be read, what was not recorded and how to
// record it, failed calls, and the messages of nsys itself.
#pragma once

#include "core/io/nsys/nsys_slices.h"
#include "core/model/diagnostics.h"

#include <span>
#include <string>
#include <vector>

namespace rankscope {

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
  // Rows could not be read: what is missing may have been recorded.
  bool deviceEventsLost = false;
  bool rangesLost = false;
  bool gpusLost = false;
};
// As texts of diagnostics: core/model/missing_part.h.
[[nodiscard]] std::vector<std::string> missingParts(const NsysContents& contents, const NsysExport& facts);

// Notes which rows could not be read, which does not mean that they were not recorded.
void noteLosses(const NsysExport& facts, const NsysTables& tables, NsysContents& contents);

// What of the file could not be read, or is not there. Of any of its ranks.
void addDamage(const NsysExport& facts, const NsysTables& tables, Diagnostics& to);

// What is to be said once of the file.
void addMessages(const NsysExport& facts, const NsysTables& tables, Diagnostics& to);

// "cudaMalloc failed 12 times with cudaErrorMemoryAllocation (2)".
void addFailedCalls(std::span<const NsysProcessPart> parts, Diagnostics& to);

} // namespace rankscope
