// SPDX-License-Identifier: GPL-3.0-or-later
// Facts from a trace file's name and folders. A fact that the name does not contain is empty. Plain
// data.
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
  Chakra, // also the samples of HTA and param
  FlightRecorder,
};

// A place in the parallel layout, for example {"tp", 3}. Axes are lower case.
struct Coordinate {
  std::string axis;
  int index = 0;
  bool operator==(const Coordinate&) const = default;
};

struct NameFacts {
  Producer producer = Producer::Unknown;
  std::optional<int> rank;       // from the file's name
  std::optional<int> localRank;  // a rank within its node only
  std::optional<int> folderRank; // the nearest folder that names a rank
  std::optional<int> worldSize;  // "rank3of8"
  std::string host;
  std::optional<std::int64_t> pid;
  std::optional<std::int64_t> step;  // profiled step or iteration, of the name or a folder
  std::optional<std::int64_t> stamp; // the moment in the name; see stampIsWallTime
  std::string role;                  // verl: actor, ref, ...; SGLang: extend, decode
  std::vector<Coordinate> coordinates;
  std::string nodeKey; // the folder that stands for a node ("node3", "ip-10-0-0-7")
  std::string group;   // what is left of the name: the job's part of it, equal for all its ranks
  bool ownJob = false; // group separates jobs whatever else is known (profile id, role)
  bool notARank = false;
  bool merged = false; // one file that holds several ranks
  std::string reason;  // why notARank or merged
};

// Facts from one folder name.
struct FolderFacts {
  std::optional<int> rank;
  std::optional<std::int64_t> step;
  std::string node;
  std::string rest;       // the folder's name without node and step: empty when that was all
  std::string restNoRank; // the same without the rank
};

} // namespace rankscope
