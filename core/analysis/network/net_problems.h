// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with the links of a job: rules R24 (see slow_fabric.h), and from its NCCL logs R25 and R150
// to R160. A problem of a log names the lines it is seen in. Nothing here has a cost; costs need transfers of
// the traces, whose collectives a problem names. Pure; O(links + sizes of collectives).
#pragma once

#include "core/analysis/network/bandwidth.h"
#include "core/analysis/network/job_network.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

enum class NetRule : std::uint8_t {
  SlowFabric,   // R24
  FewChannels,  // R25
  Socket,       // R150
  NoGdr,        // R151
  Shm,          // R152
  NicUnused,    // R153
  NvlsOff,      // R154
  Pinned,       // R155
  Choice,       // R156
  MixedVersion, // R157
  InitSlow,     // R158
  Warning,      // R159
  Incomplete,   // R160
};

// A collective over links that a problem is about, and the share of its transfer that the links which the
// hardware has would save.
struct SavedTransfer {
  InstanceIndex instance;
  double share = 0; // 0 to 1
};

struct NetProblem {
  NetRule rule = NetRule::Warning;
  bool warning = false; // else for information
  std::string title;
  std::string evidence;
  std::string fix;
  std::int64_t communicator = 0;         // number of the one it is about; 0: several or all
  std::vector<SavedTransfer> saved = {}; // by instance; empty where the better links are not known
};

// Warnings first. gpus: names of the devices of the job, as far as they are known. bandwidth may be empty.
[[nodiscard]] std::vector<NetProblem> netProblems(const JobNetwork& network, const JobBandwidth& bandwidth,
                                                  const std::vector<std::string>& gpus);

} // namespace rankscope
