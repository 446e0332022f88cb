// SPDX-License-Identifier: GPL-3.0-or-later
// Generates a synthetic data-parallel training job in the profiler's format: one Kineto file per rank and
// profiling cycle, and ground_truth.json with their exact contents. Collectives are physically consistent: a
// kernel begins on a rank when it is launched and its stream is free, and ends on all ranks at the last begin
// plus the transfer time; dependent work waits. The same options give the same bytes for any number of
// threads. Memory is limited to one step of one rank per thread. Times are int64 nanoseconds, intervals
// half-open, without doubles.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::test {

// White space and order of root keys. Kineto: libkineto before 2026; Lines: libkineto since then, one key per
// line and row names first; Compact: one line, like json.dump; Pretty: json.dump(indent=2).
enum class Layout { Kineto, Lines, Compact, Pretty };

// Modern: nanosecond decimals and baseTimeNanoseconds. Legacy: names of PyTorch 1.9, integer microseconds
// since the epoch. Exporter: PyTorch's own exporter of 2026, which writes [memory] as slices without
// duration, repeats all arguments of a collective on its kernel, writes External id twice, and has no numSms.
enum class Vocabulary { Modern, Legacy, Exporter };

// Data: DDP, AllReduce of gradient buckets over all ranks. FullySharded: FSDP, AllGather before each layer
// (forward and backward) and ReduceScatter of its gradients. Tensor: neighboring ranks AllReduce after each
// layer while compute waits; groups across them send gradient buckets.
enum class Parallelism { Data, FullySharded, Tensor };

enum class ThreadIds { Normal, Negative, Wide };

enum class StragglerKind { Compute, DataLoader, Host };

enum class GapCause { DataLoader, Sync, CudaMalloc, Python, LaunchBound };

// Work that every step does and need not: what the rules of findings look for. Each on all ranks.
enum class Waste {
  Simt,       // forward products in fp32 on ordinary cores, four times as long
  Layout,     // kernels that convert layouts around each layer
  Unfused,    // chains of elementwise kernels in each layer
  Attention,  // written out: product, softmax, product
  Optimizer,  // three kernels for each parameter
  ZeroGrad,   // a kernel for each gradient
  ClipNorm,   // the norm of the gradients is read before the optimizer
  Barrier,    // in the forward pass; 1 ms
  EmptyCache, // the driver frees and allocates; 1 ms
  Pinning,    // host memory is pinned; 1 ms
  Random,     // made on the CPU and copied; 1 ms
};

enum class DamageKind {
  None,
  Truncate,         // the text ends inside an event
  InvalidUtf8,      // one operator's name contains bytes that are not UTF-8
  ControlCharacter, // one operator's name contains a raw newline and a raw U+0001
  UnescapedQuote,   // one operator's name contains unescaped quotes
  TrailingComma,    // a comma after the last event
  MissingEnd,       // the last event is complete; "]" and the rest are missing
  NotANumber,       // one kernel's occupancy is NaN and one operator's value is inf
  GarbageTail,      // bytes after the end of the document
  TruncatedGzip,    // the compressed file is truncated
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

// The profiler of one rank starts late: its files lack earlier events.
struct LateRecording {
  int rank = -1;
  std::int64_t afterNs = 0; // since the begin of each capture
};

struct Damage {
  DamageKind kind = DamageKind::None;
  int rank = 0;       // -1: every rank
  int permille = 500; // position in the file
};

struct JobOptions {
  int ranks = 4;
  int ranksPerNode = 8;
  int steps = 5; // profiled steps in each capture
  int captures = 1;
  int layers = 4;
  std::int64_t targetEvents = 0; // of the whole job; 0: from layers and steps. Chooses layers, then steps.
  std::uint64_t seed = 1;

  Parallelism parallelism = Parallelism::Data;
  int tensorRanks = 2; // ranks of a tensor-parallel group
  // Of tensor-parallel groups: without, each is a replica that never waits for another.
  bool reducesGradients = true;

  Straggler straggler;
  std::vector<GapRequest> gaps;
  std::vector<Waste> waste;
  LateRecording late;
  std::vector<int> missingRanks;   // without files
  int buckets = 4;                 // AllReduces per step
  int overlapPermille = 1000;      // share of buckets sent during the backward pass; the others follow it
  int communicationPermille = 350; // transfer time of a step, relative to its backward kernel time
  std::int64_t leakBytesPerStep = 0;
  int leakRank = -1;                       // -1: every rank
  std::vector<std::int64_t> clockOffsetNs; // by node, added to all times its ranks write
  std::vector<std::int64_t> clockDriftPpb; // by node, in 10^-9 of the time since the start of the job
  bool syncEachStep = true;                // loss.item() at the end of each step
  bool pinnedCopies = true;
  bool overlappingKernels = false; // programmatic dependent launch: kernels overlap by up to 2 us
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
  bool withSequenceNumbers = false; // Seq on collectives, as since 2026
  bool withHostName = true;
  bool differentBases = false; // odd nodes write times relative to an earlier calendar quarter

  Layout layout = Layout::Kineto;
  Vocabulary vocabulary = Vocabulary::Modern;
  bool bareArray = false;
  bool beginEnd = false;     // host slices as B and E pairs
  bool metadataLast = false; // distributedInfo etc. after traceEvents
  ThreadIds threadIds = ThreadIds::Normal;
  Damage damage;

  // Path below the folder. {rank} {rank06} {localrank} {node} {host} {pid} {ns} {ms} {capture} {step} are
  // replaced;
  // ".gz" is appended when gzip is on. One pattern must give each rank and capture a path of its own.
  std::string namePattern = "rank{rank}.{ns}.pt.trace.json";
  bool gzip = false;
  int gzipLevel = 1;
  int threads = 0; // 0: one per core
};

// File name patterns of known tools: "torch", "worker", "rank", "rank-dash", "torchtitan", "node-folders", …
// Returns the argument itself if it is not a known name.
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
  std::int64_t beginNs = 0; // since the epoch, on the file's clock
  std::int64_t durationNs = 0;
};

// Time a rank waited for others in a step, summed over its collectives, and the union of the part in which it
// did not compute.
struct WaitTruth {
  int step = 0; // ProfilerStep number
  std::int64_t waitNs = 0, exposedNs = 0;
};

struct GapTruth {
  int rank = 0;
  int step = 0; // ProfilerStep number
  GapCause cause = GapCause::Sync;
  std::int64_t requestedNs = 0;
  std::int64_t beginNs = 0; // since the epoch, on the file's clock: the resulting idle interval of the device
  std::int64_t durationNs = 0; // its length; for LaunchBound the range that contains idleNs of small gaps
  std::int64_t idleNs = 0;
};

// The content of one file.
struct FileTruth {
  std::string file; // relative to the folder
  int rank = 0;
  int capture = 0;
  int node = 0;
  int device = 0;
  std::int64_t pid = 0;
  std::string host;
  std::int64_t events = 0; // entries of traceEvents
  std::int64_t deviceEvents = 0;
  std::int64_t damagedEvents = 0;
  std::int64_t fileBytes = 0;
  std::int64_t jsonBytes = 0;
  std::int64_t baseNs = 0;              // baseTimeNanoseconds; 0: times are since the epoch
  std::int64_t firstNs = 0, lastNs = 0; // of device activity, since the epoch, on the file's clock
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
  std::int64_t beginNs = 0, endNs = 0; // since the epoch, on the job's true clock
  std::int64_t waitNs = 0, transferNs = 0;
};

struct CollectiveTruth {
  int capture = 0;
  int step = 0;  // ProfilerStep number
  int index = 0; // within the step
  std::string operation, dtype;
  std::string group; // "default_pg", "mesh_dp" or "mesh_tp"; disjoint groups of one kind share it
  std::int64_t inElements = 0, outElements = 0;
  int lastRank = 0;                           // rank that began last; the lowest of several
  std::vector<ParticipantTruth> participants; // by rank
};

// All vectors are by step in which the rank was slow.
struct StragglerTruth {
  int rank = -1;
  std::vector<int> steps;                  // ProfilerStep numbers
  std::vector<std::int64_t> waitNs;        // wait of the median other rank, summed over the collectives
  std::vector<std::int64_t> exposedWaitNs; // exposed wait of the median other rank
  // Increase of the step time (last end of device work to last end) over the same job without the straggler.
  // Less than the sum of waits if collectives wait behind compute.
  std::vector<std::int64_t> delayNs;
};

struct JobTruth {
  JobOptions options;                                     // with the chosen layers and steps
  std::vector<std::int64_t> clockOffsetNs, clockDriftPpb; // by node
  std::int64_t originNs = 0;    // start of the job since the epoch; reference time of the drift
  std::vector<FileTruth> files; // by rank, then capture
  std::vector<CollectiveTruth> collectives;
  StragglerTruth straggler;
  [[nodiscard]] std::int64_t events() const;
  [[nodiscard]] std::int64_t jsonBytes() const;
};

// Writes the job to `folder`, creating it if needed. Throws std::runtime_error or std::invalid_argument.
JobTruth generateJob(const JobOptions& options, const std::filesystem::path& folder);

} // namespace rankscope::test
