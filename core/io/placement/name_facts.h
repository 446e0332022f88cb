// SPDX-License-Identifier: GPL-3.0-or-later
// Facts from a trace file's name and folders. Facts that the name does not contain are empty. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

enum class Producer : std::uint8_t {
  Unknown,
  TensorBoardHandler, // torch.profiler.tensorboard_trace_handler, with or without a worker name
  TorchTitan,
  Megatron,
  MegaScan,
  Verl,
  Vllm,
  Sglang,
  TensorRtLlm,
  Accelerate,
  Lightning,
  Dynolog,
  Mast,
  Chakra, // includes samples of HTA and param
  FlightRecorder,
};

// A coordinate in the parallel layout, for example {"tp", 3}. Axes are in lower case.
struct Coordinate {
  std::string axis;
  int index = 0;
  bool operator==(const Coordinate&) const = default;
};

struct NameFacts {
  Producer producer = Producer::Unknown;
  std::optional<int> rank;       // from the file's name
  std::optional<int> localRank;  // rank within its node
  std::optional<int> folderRank; // from the innermost folder that names a rank
  std::optional<int> worldSize;  // "rank3of8"
  std::string host;
  std::optional<std::int64_t> pid;
  std::optional<std::int64_t> step;  // profiled step or iteration, from the name or a folder
  std::optional<std::int64_t> stamp; // time stamp in the name; see stampIsWallTime
  std::string role;                  // verl: actor, ref, ...; SGLang: extend, decode
  std::vector<Coordinate> coordinates;
  std::string nodeKey; // name of the folder of a node ("node3", "ip-10-0-0-7")
  std::string group;   // remaining part of the name, which identifies the job: equal for all its ranks
  bool ownJob = false; // different groups are always different jobs (profile id, role)
  bool notARank = false;
  bool merged = false; // a file that contains several ranks
  std::string reason;  // reason for notARank or merged
};

// Facts from one folder name.
struct FolderFacts {
  std::optional<int> rank;
  std::optional<std::int64_t> step;
  std::string node;
  std::string rest;       // folder name without node and step; may be empty
  std::string restNoRank; // the same without the rank as well
};

} // namespace rankscope
