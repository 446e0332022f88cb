// SPDX-License-Identifier: GPL-3.0-or-later
// Facts about a file, or about one of several recordings in a file, that help to determine its job, rank and
// capture. Plain data.
#pragma once

#include "core/base/time_range.h"
#include "core/io/placement/name_facts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

enum class RankSource : std::uint8_t { Metadata, Name, Folder, Content, Guess, Environment, Nccl, Device };

struct FileFacts {
  std::string path;
  std::string relativePath; // below the opened folder; its folder names are evidence too
  NameFacts name;           // factsFromName(relativePath)
  // Index of the recording if the file has several, one per process. The file name then gives no rank.
  std::optional<std::uint32_t> oneOfSeveral;
  bool readable = true; // false if no event could be read; the file is then not shown
  std::string unreadableReason;
  bool fromPyTorch = true;               // false for Chrome traces of other programs
  std::vector<std::string> mergedLabels; // ranks found in the pids of a merged file: "[TP00-DP01] 83"
  std::optional<int> metadataRank, metadataWorldSize; // distributedInfo, or as the next member says
  RankSource metadataFrom = RankSource::Metadata;     // Environment or Nccl for recordings of other programs
  bool otherProgram = false;                          // recorded by another program than PyTorch's profiler
  std::optional<int> recordedRank;                    // `Rank` of record_param_comms in the default group
  std::string traceName;                              // root key traceName
  std::string hostName;                               // root key host_name
  std::string jobName;                                // PT_PROFILER_JOB_NAME
  std::vector<int> devices;                           // devices with activity, sorted
  int deviceCount = 0;                                // entries of deviceProperties
  std::vector<int> peers;                             // ranks listed in process groups
  TimeNs beginNs = 0, endNs = 0;                      // wall time of the recording; both 0 if unknown
  std::uint64_t events = 0;
  std::uint64_t textBytes = 0; // of the decompressed JSON; used to detect copies of a recording
  std::string session;         // RecordingOrigin::session, likewise
};

} // namespace rankscope
