// SPDX-License-Identifier: GPL-3.0-or-later
// What is known about a file, or about one of its recordings where it holds several, as far as it helps
// to find its job, rank and capture. Plain data.
#pragma once

#include "core/base/time_range.h"
#include "core/io/placement/name_facts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

struct FileFacts {
  std::string path;
  std::string relativePath; // below the folder that was opened; the folders in it count as evidence
  NameFacts name;           // factsFromName(relativePath)
  // Which one of the file's recordings, each of a process of its own; the name then has no rank.
  std::optional<std::uint32_t> oneOfSeveral;
  bool readable = true; // some events could be read; otherwise the file is left out
  std::string unreadableReason;
  bool fromPyTorch = true;                            // false: a Chrome trace of something else
  std::vector<std::string> mergedLabels;              // ranks found in the pids of one file: "[TP00-DP01] 83"
  std::optional<int> metadataRank, metadataWorldSize; // distributedInfo
  std::optional<int> recordedRank;                    // `Rank` of record_param_comms in the default group
  std::string traceName;                              // root key traceName
  std::string hostName;                               // root key host_name
  std::string jobName;                                // PT_PROFILER_JOB_NAME
  std::vector<int> devices;                           // devices with activity, sorted
  int deviceCount = 0;                                // entries of deviceProperties
  std::vector<int> peers;                             // ranks named in the process groups
  TimeNs beginNs = 0, endNs = 0;                      // wall time of the recording; both 0 when unknown
  std::uint64_t events = 0;
  std::uint64_t textBytes = 0; // of its JSON, decompressed; only to recognize copies of a recording
};

enum class RankSource : std::uint8_t { Metadata, Name, Folder, Content, Guess };

} // namespace rankscope
