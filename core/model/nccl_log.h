// SPDX-License-Identifier: GPL-3.0-or-later
// What the debug logs of NCCL and RCCL say, over all log files of a job. Facts are kept once, however often a
// log repeats them; calls take 24 bytes each. Filled by core/io/nccl, then immutable and thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

inline constexpr std::uint32_t kNoNcclIndex = std::numeric_limits<std::uint32_t>::max();

// A short number for the device that stands in brackets after a rank; 0: none.
[[nodiscard]] constexpr std::uint32_t ncclDeviceHash(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return text.empty() ? 0 : hash | 1U;
}

// A line of a log file, counted from 1.
struct NcclPlace {
  std::uint32_t file = 0;
  std::uint64_t line = 0;
};

// A network device that a process may use: [2]mlx5_1:1/IB/SHARP.
struct NcclDevice {
  int index = 0;
  std::string name;    // "mlx5_1"
  std::string network; // "IB", "RoCE"; empty for sockets
  double gbitS = 0;    // 0: not said
};

struct NcclProcess {
  std::string host;
  std::int64_t pid = 0;
  std::optional<int> launcherRank; // task number that srun or mpirun wrote before the line
  std::string version;             // "2.20.5+cuda12.4"
  std::map<std::string, std::string> environment;
  std::vector<NcclDevice> devices;       // of NET/IB : Using, or of a plugin
  std::vector<NcclDevice> socketDevices; // of NET/Socket : Using
  std::string network;                   // of "Using network": "IB", "Socket", "AWS Libfabric"
  std::string plugin;                    // network plugin that was loaded
  std::string tuner;                     // tuner plugin that was loaded
  bool pluginSought = false;             // a network plugin was looked for and not found
  std::optional<bool> multicast;         // NVLS multicast support
  bool peerToPeerFailed = false;         // could not enable P2P between two GPUs, or it is disabled
  bool chipToChip = false;               // GPU and CPU are connected by C2C
  NcclPlace networkAt, multicastAt, peerToPeerAt;
  std::map<std::string, NcclPlace> environmentAt;
};

// A communicator as one process sees it.
struct NcclInstance {
  std::uint32_t process = 0;
  std::uint64_t pointer = 0;
  std::int64_t rank = -1;
  std::int64_t ranks = -1;
  int cudaDevice = -1;
  int nvmlDevice = -1;
  std::string busId;  // as written: "7000" is 0000:07:00.0
  std::string commId; // empty before NCCL 2.16
  std::uint64_t parent = 0;
  std::string splitKey; // split count and color of ncclCommSplit
  bool started = false, completed = false, destroyed = false;
  std::optional<std::int64_t> nodes, localRanks;
  bool multiNodeNvlink = false;
  std::optional<std::int64_t> collChannels, p2pChannels, nvlsChannels, p2pChannelsPerPeer;
  std::optional<double> initSeconds;
  std::string initLargest; // the part of the initialization that took longest: "bootstrap 5.9 s"
  std::string linkType;    // of the ring pattern: "NVL/PIX"
  NcclPlace at;            // first line about it
};

// A ring as rank 0 prints it.
struct NcclRingLine {
  std::uint32_t instance = kNoNcclIndex;
  std::int32_t channel = 0;
  std::int32_t channels = -1; // number of channels; -1 before NCCL 2.5
  std::vector<std::int32_t> ranks;
};

// Neighbors of a rank in a ring.
struct NcclRingStep {
  std::uint32_t instance = kNoNcclIndex;
  std::int32_t channel = 0, previous = 0, rank = 0, next = 0;
};

// Neighbors of a rank in a tree; -1: none.
struct NcclTreeNode {
  std::uint32_t instance = kNoNcclIndex;
  std::int32_t channel = 0, rank = 0, up = -1;
  std::array<std::int32_t, 3> down{-1, -1, -1};
};

enum class NcclDirection : std::uint8_t { Both, Send, Receive };

struct NcclLink {
  std::uint32_t instance = kNoNcclIndex;
  std::uint32_t process = 0;
  std::uint32_t kind = 0; // into NcclLog::kinds
  std::int32_t channel = 0;
  std::int32_t connection = -1; // 0: collectives, 1: send and receive; -1: not said
  std::int32_t from = 0, to = 0;
  std::int32_t nic = -1;
  std::int32_t viaRank = -1;                  // rank whose NIC is used (PXN)
  std::uint32_t fromDevice = 0, toDevice = 0; // hash of what stands in brackets; 0: nothing
  NcclDirection direction = NcclDirection::Both;
  bool gdr = false, read = false, copyEngine = false, shared = false;
  NcclPlace at;
};

// A call of a collective or of send and receive: 24 bytes.
struct NcclCall {
  std::int64_t count = 0; // elements
  std::uint32_t instance = kNoNcclIndex;
  std::uint32_t opCount = 0;
  std::int32_t root = 0;
  std::uint8_t operation = 0; // into NcclLog::operations
  std::uint8_t dtype = 0;
  std::uint8_t reduction = 0; // 5 and above: made by the user
  std::uint8_t reserved = 0;
};
static_assert(sizeof(NcclCall) == 24);

// What NCCL chose for an operation of a size.
struct NcclChoice {
  std::uint32_t instance = kNoNcclIndex;
  std::uint32_t process = 0;
  std::string operation;
  std::int64_t bytes = 0; // as printed: of one rank for AllGather and ReduceScatter
  std::string algorithm;  // "RING"
  std::string protocol;   // "LL128"
  std::optional<std::int64_t> channels;
  std::optional<double> predictedUs;
  std::int64_t count = 0;
};

// A cell of NCCL's own table: T = latency + bytes / bandwidth.
struct NcclTuning {
  std::uint32_t process = 0;
  std::string operation, algorithm, protocol;
  double latencyUs = 0, gbS = 0;
};

// Warnings of equal text, but for numbers and addresses.
struct NcclWarning {
  std::string cause; // "ib_completion"; empty: none of those that are named
  std::string text;  // numbers are replaced by #
  std::string first; // of the first line, unchanged
  std::int64_t count = 0;
  std::set<std::string> hosts;
  std::map<std::uint32_t, std::int64_t> processes;
  NcclPlace at;
  bool ofNccl = true; // false: what PyTorch says in the same file
};

// A place that could not be read as it should.
struct NcclDamage {
  std::uint64_t line = 0;
  std::string what;
};

struct NcclFile {
  static constexpr std::size_t kMaxDamage = 200;
  std::string path;
  std::uint64_t bytes = 0; // of the text
  std::uint64_t lines = 0, ncclLines = 0, damagedLines = 0, unusedLines = 0;
  std::uint64_t twoHeads = 0;
  std::map<std::string, std::uint64_t> levels;       // "INFO": lines
  std::map<std::string, std::uint64_t> unusedByWord; // by first word
  std::map<std::string, std::uint64_t> prefixes;     // shapes of what stands before the head
  std::vector<NcclDamage> damage;                    // the first kMaxDamage
  std::string problem;                               // why the rest could not be read
};

struct NcclLog {
  std::vector<NcclFile> files;
  std::vector<NcclProcess> processes;
  std::vector<NcclInstance> instances;
  std::vector<std::string> kinds;      // "P2P/CUMEM", "NET/IB"
  std::vector<std::string> operations; // "AllReduce"
  std::vector<NcclRingLine> rings;
  std::vector<NcclRingStep> ringSteps;
  std::vector<NcclTreeNode> treeNodes;
  std::vector<NcclLink> links;
  std::deque<NcclCall> calls;
  std::vector<NcclChoice> choices;
  std::vector<NcclTuning> tuning;
  std::vector<NcclWarning> warnings; // by first place

  // How often lines of a kind stand in the logs, repeated ones too.
  std::map<std::string, std::uint64_t> versionLines; // "NCCL 2.20.5+cuda12.4"
  std::map<std::string, std::uint64_t> initLines;    // "Init COMPLETE"
  std::map<std::string, std::uint64_t> nodeLines;    // "nRanks 8 nNodes 2 localRanks 4 MNNVL 0"
  std::map<std::string, std::uint64_t> channelLines; // "4 coll channels, ..."
  std::map<std::int32_t, std::uint64_t> linkLines;   // by kind, complete lines only
  std::map<std::string, std::uint64_t> linkFlags;    // "GDRDMA"
  std::map<std::int64_t, std::uint64_t> linkConnections;
  std::array<std::uint64_t, 3> linkDirections{};
  std::uint64_t ringStepLines = 0, treeLines = 0, cutLinkLines = 0;
  std::uint64_t connectedRings = 0, connectedTrees = 0, connectedNvls = 0;
  std::uint64_t threads = 0;
  std::uint64_t notKept = 0; // facts beyond the bounds

  [[nodiscard]] bool empty() const { return processes.empty() && versionLines.empty() && warnings.empty(); }
};

} // namespace rankscope
