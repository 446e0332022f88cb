// SPDX-License-Identifier: GPL-3.0-or-later
// A synthetic data-parallel training job, written as the profiler would have written it: one Kineto file
// per rank and profiling cycle, and ground_truth.json with their exact content. Collectives are physically
// consistent: a kernel begins on a rank once it is launched and its stream is free, and ends on every rank
// at the last begin plus the transfer time; what depends on it waits. The same options give the same bytes,
// whatever the number of threads. Memory is bounded by one step of one rank a thread. Times are int64
// nanoseconds, intervals half-open; nothing here goes through a double.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::test {

// Where the white space and the root's keys go. Kineto: as libkineto writes until 2026; Lines: as it writes
// since, a key a line and the rows' names first; Compact: one line, as json.dump; Pretty:
// json.dump(indent=2).
enum class Layout { Kineto, Lines, Compact, Pretty };

// Modern: nanosecond decimals and baseTimeNanoseconds. Legacy: PyTorch 1.9's names, integer microseconds
// since the epoch. Exporter: PyTorch's own exporter of 2026, which writes [memory] as slices of no duration,
// gives the kernels of collectives all arguments of their record, External id a second time too, and knows
// no numSms.
enum class Vocabulary { Modern, Legacy, Exporter };

// Data: DDP, AllReduces of gradient buckets over all ranks. FullySharded: FSDP, per layer AllGather before
// it runs, forward and backward, and ReduceScatter of its gradients. Tensor: groups of neighboring ranks
// AllReduce after each layer while everything waits, and the groups across them send gradient buckets.
enum class Parallelism { Data, FullySharded, Tensor };

enum class ThreadIds { Normal, Negative, Wide };

enum class StragglerKind { Compute, DataLoader, Host };

enum class GapCause { DataLoader, Sync, CudaMalloc, Python, LaunchBound };

enum class DamageKind {
  None,
  Truncate,         // the text ends inside an event
  InvalidUtf8,      // one operator's name holds bytes that are not UTF-8
  ControlCharacter, // one operator's name holds a raw newline and a raw U+0001
  UnescapedQuote,   // one operator's name holds quotes that are not escaped
  TrailingComma,    // a comma after the last event
  MissingEnd,       // the last event is whole, "]" and all that follows is missing
  NotANumber,       // one kernel's occupancy is NaN and one operator's figure is inf
  GarbageTail,      // bytes after the end of the document
  TruncatedGzip,    // the compressed file is cut
};

struct Straggler {
  int rank = -1;            // -1: none
  std::int64_t extraNs = 0; // per step
  int fromStep = 0;         // counted from the job's first profiled step
  StragglerKind kind = StragglerKind::Compute;
};

struct GapRequest {
  int rank = -1; // -1: every rank
  int step = -1; // counted from the first profiled step; -1: every step
  std::int64_t durationNs = 0;
  GapCause cause = GapCause::Sync;
};

// The profiler of one rank starts late: its files lack what began before.
struct LateRecording {
  int rank = -1;
  std::int64_t afterNs = 0; // since each capture's begin
};

struct Damage {
  DamageKind kind = DamageKind::None;
  int rank = 0;       // -1: every rank
  int permille = 500; // where in the file
};

struct JobOptions {
  int ranks = 4;
  int ranksPerNode = 8;
  int steps = 5; // profiled steps in each capture
  int captures = 1;
  int layers = 4;
  std::int64_t targetEvents = 0; // of the whole job; 0: as layers and steps give. Chooses layers, then steps.
  std::uint64_t seed = 1;

  Parallelism parallelism = Parallelism::Data;
  int tensorRanks = 2; // ranks of a tensor-parallel group

  Straggler straggler;
  std::vector<GapRequest> gaps;
  LateRecording late;
  std::vector<int> missingRanks;   // no files are written for them
  int buckets = 4;                 // AllReduces a step
  int overlapPermille = 1000;      // share of the buckets sent during the backward pass; the rest follow it
  int communicationPermille = 350; // transfer time of a step, of the backward pass's kernel time
  std::int64_t leakBytesPerStep = 0;
  int leakRank = -1;                       // -1: every rank
  std::vector<std::int64_t> clockOffsetNs; // by node, added to every time its ranks write
  std::vector<std::int64_t> clockDriftPpb; // by node, parts per 10^9 of the time since the job began
  bool syncEachStep = true;                // loss.item() at the end of each step
  bool pinnedCopies = true;
  bool overlappingKernels =
      false; // programmatic dependent launch: kernels of one stream overlap by up to 2 us
  std::int64_t loaderNs = 150'000;
  std::int64_t inputBytes = 8 << 20;

  bool withShapes = true;
  bool withMemory = true;
  bool withStack = false;
  bool withFlows = true;
  bool withGpuAnnotations = true;
  bool withDistributedInfo = true;
  bool withDeviceProperties = true;
  bool withProfilerSteps = true;
  bool withCollectiveArgs = true;
  bool withSequenceNumbers = false; // Seq on collectives, as of 2026
  bool withHostName = true;
  bool differentBases = false; // odd nodes write times relative to an earlier calendar quarter

  Layout layout = Layout::Kineto;
  Vocabulary vocabulary = Vocabulary::Modern;
  bool bareArray = false;
  bool beginEnd = false;     // host slices as B and E pairs
  bool metadataLast = false; // distributedInfo and the like after traceEvents
  ThreadIds threadIds = ThreadIds::Normal;
  Damage damage;

  // Path below the folder. {rank} {rank06} {localrank} {node} {host} {pid} {ns} {ms} {capture} {step} are
  // replaced;
  // ".gz" is appended when gzip is on. One pattern must give each rank and capture a path of its own.
  std::string namePattern = "rank{rank}.{ns}.pt.trace.json";
  bool gzip = false;
  int gzipLevel = 1;
  int threads = 0; // 0: as many as the machine has
};

// The patterns that producers use, by name: "torch", "worker", "rank", "rank-dash", "torchtitan",
// "node-folders", … Returns the text itself when it is no known name.
[[nodiscard]] std::string namePatternOf(const std::string& nameOrPattern);
[[nodiscard]] std::vector<std::string> namePatternNames();

struct NameTruth {
  std::string name;
  char kind = 'P'; // 'P' compute, 'C' communication, 'M' copy or set
  std::int64_t calls = 0;
  std::int64_t totalNs = 0;
};

struct StepTruth {
  int number = 0;           // the N of ProfilerStep#N
  std::int64_t beginNs = 0; // since the epoch, in the file's clock
  std::int64_t durationNs = 0;
};

// What a rank waited for others in a step, summed over its collectives, and the part of it (as a union) in
// which it did not compute either.
struct WaitTruth {
  int step = 0; // ProfilerStep number
  std::int64_t waitNs = 0, exposedNs = 0;
};

struct GapTruth {
  int rank = 0;
  int step = 0; // ProfilerStep number
  GapCause cause = GapCause::Sync;
  std::int64_t requestedNs = 0;
  std::int64_t beginNs = 0; // since the epoch, in the file's clock: the device's idle interval that resulted
  std::int64_t durationNs = 0; // its length; for LaunchBound the range in which idleNs of small gaps lie
  std::int64_t idleNs = 0;
};

// / The content of one file.
struct FileTruth {
  std::string file; // relative to the folder
  int rank = 0;
  int capture = 0;
  int node = 0;
  int device = 0;
  std::int64_t pid = 0;
  std::string host;
  std::int64_t events = 0; // objects in traceEvents
  std::int64_t deviceEvents = 0;
  std::int64_t damagedEvents = 0;
  std::int64_t fileBytes = 0;
  std::int64_t jsonBytes = 0;
  std::int64_t baseNs = 0;              // baseTimeNanoseconds; 0: times are since the epoch
  std::int64_t firstNs = 0, lastNs = 0; // of device activity, since the epoch, in the file's clock
  std::int64_t spanNs = 0, busyNs = 0, idleNs = 0;
  std::int64_t computeNs = 0, communicationNs = 0, overlapNs = 0, memoryNs = 0;
  std::int64_t peakAllocated = 0, peakReserved = 0, allocatedAtEnd = 0;
  std::vector<StepTruth> steps;
  std::vector<WaitTruth> waits;
  std::vector<NameTruth> names; // of device activity, by name
  std::vector<GapTruth> gaps;
};

struct ParticipantTruth {
  int rank = 0;
  std::int64_t beginNs = 0, endNs = 0; // since the epoch, in the job's true clock
  std::int64_t waitNs = 0, transferNs = 0;
};

struct CollectiveTruth {
  int capture = 0;
  int step = 0;  // ProfilerStep number
  int index = 0; // within the step
  std::string operation, dtype;
  std::string group; // "default_pg", "mesh_dp" or "mesh_tp": disjoint groups of one kind share it
  std::int64_t inElements = 0, outElements = 0;
  int lastRank = 0;                           // the one that began last; the lowest of those that did
  std::vector<ParticipantTruth> participants; // by rank
};

// All by step in which the rank was slow.
struct StragglerTruth {
  int rank = -1;
  std::vector<int> steps;                  // ProfilerStep numbers
  std::vector<std::int64_t> waitNs;        // the wait of the median other rank, summed over the collectives
  std::vector<std::int64_t> exposedWaitNs; // the exposed wait of the median other rank
  // What the step took longer, last end of device work to last end, than in the same job without the
  // straggler. The sum of waits is more than this when collectives wait behind computation.
  std::vector<std::int64_t> delayNs;
};

struct JobTruth {
  JobOptions options;                                     // with layers and steps as they were chosen
  std::vector<std::int64_t> clockOffsetNs, clockDriftPpb; // by node
  std::int64_t originNs = 0;    // when the job began, since the epoch; drift counts from here
  std::vector<FileTruth> files; // by rank, then capture
  std::vector<CollectiveTruth> collectives;
  StragglerTruth straggler;
  [[nodiscard]] std::int64_t events() const;
  [[nodiscard]] std::int64_t jsonBytes() const;
};

// Writes the job below `folder` (made when absent). Throws std::runtime_error or std::invalid_argument.
JobTruth generateJob(const JobOptions& options, const std::filesystem::path& folder);

} // namespace rankscope::test
