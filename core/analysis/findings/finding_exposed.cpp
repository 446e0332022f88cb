// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about communication that computation does not hide, and what nearly all of it is, if it is one
// thing.
#include "core/analysis/activity/idle_gap.h"
#include "core/analysis/findings/exposed_parts.h"
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/findings/leaf_parts.h"
#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

namespace rankscope {

namespace {

constexpr double kMinExposed = 0.02;
constexpr double kNoOverlapPct = 2;
// What computation slows down by beside communication, where the recording does not say.
constexpr double kContention = 0.1;
constexpr std::size_t kGroupsNamed = 3;

bool isTransfer(Leaf leaf) {
  return leaf == Leaf::CommTransfer || leaf == Leaf::CommTail;
}
bool isOfHost(Leaf leaf) {
  return isUnder(leaf, "host");
}

// The exposed transfer of a rank in a kept step.
struct Transfer {
  TimeNs all = 0;
  // Of all but the tail: computation was queued behind it, and began when it ended. What begins while it
  // still runs waited for its own launch.
  TimeNs held = 0;
};

class TransferReader {
 public:
  TransferReader(const FindingContext& context, RankIndex rank) : m_context(context), m_rank(rank) {
    const std::vector<CollectiveCall>& calls = context.analysis().collectiveCalls(rank);
    m_ends.reserve(calls.size());
    for (const CollectiveCall& call : calls) m_ends.push_back(call.range.end.ns());
    std::ranges::sort(m_ends);
  }

  [[nodiscard]] Transfer in(const KeptWindow& window) const {
    Transfer transfer;
    TimeNs pending = 0;
    m_context.account().of(m_rank).pieces.forEachWithin(
        window.range, [&](TimeRange range, const TimePieces::Piece& piece) {
          if (piece.timeClass == TimeClass::ExposedCommunication) {
            if (!isTransfer(piece.leaf)) return;
            transfer.all += range.length();
            if (piece.leaf != Leaf::CommTail) pending += range.length();
            return;
          }
          // Where the host was not ready for what follows, it would have begun no earlier.
          const bool idles = piece.timeClass == TimeClass::Idle;
          if (idles ? !isOfHost(piece.leaf) : endsBefore(range.begin)) transfer.held += pending;
          pending = 0;
        });
    transfer.held += pending;
    return transfer;
  }

 private:
  // Whether a collective has just ended.
  [[nodiscard]] bool endsBefore(TimeNs t) const {
    const auto after = std::ranges::upper_bound(m_ends, t);
    return after != m_ends.begin() && t - *(after - 1) <= kEventLatency;
  }

  const FindingContext& m_context;
  RankIndex m_rank;
  std::vector<TimeNs> m_ends; // of its collectives, ascending
};

} // namespace

template <class Archive, Described<Transfer> T> void describe(Archive& archive, T& transfer) {
  auto& [all, held] = transfer;
  archive(all, held);
}

namespace {

// By kept step of the rank.
std::vector<Transfer> transfersOf(const FindingContext& context, RankIndex rank) {
  const std::vector<KeptWindow>& windows = context.kept().windows[rank.value];
  auto transfers = context.ofRank<std::vector<Transfer>>(rank, "exposed transfers", [&] {
    const TransferReader reader(context, rank);
    std::vector<Transfer> list;
    list.reserve(windows.size());
    for (const KeptWindow& window : windows) list.push_back(reader.in(window));
    return list;
  });
  transfers.resize(windows.size()); // of a digest without the answer
  return transfers;
}

RankCost costOf(const FindingContext& context, RankIndex rank, const std::vector<Transfer>& transfers) {
  ExactSum all, held;
  for (const Transfer& transfer : transfers) {
    all += transfer.all;
    held += transfer.held;
  }
  RankCost cost;
  cost.rank = rank;
  cost.use = useOf(context.uses(rank), "comm.transfer");
  cost.time = context.perStep(rank, all);
  cost.high = cost.time;
  const double compute =
      context.perStep(rank, context.uses(rank)[static_cast<std::size_t>(Leaf::Ideal)].time) +
      context.perStep(rank, useOf(context.uses(rank), "compute").time);
  cost.low = (1 - kContention) * std::min(context.perStep(rank, held), compute);
  return cost;
}

// Transfers that are exposed on some ranks only, because they began when a late rank came, are the late
// rank's.
std::vector<RankCost> exposedCosts(const FindingContext& context) {
  std::vector<RankCost> costs;
  std::map<RankIndex, std::vector<Transfer>> transfers;
  for (const RankIndex rank : context.ranks()) {
    if (context.kept().windows[rank.value].empty()) continue;
    const std::vector<Transfer>& of = transfers.emplace(rank, transfersOf(context, rank)).first->second;
    costs.push_back(costOf(context, rank, of));
  }
  const std::vector<double> most = context.exposedOnConnected();
  const std::vector<double> held = context.leastOfConnected([&](RankIndex rank, const KeptWindow& window) {
    const auto place = static_cast<std::size_t>(&window - context.kept().windows[rank.value].data());
    return transfers.at(rank)[place].held;
  });
  const bool knowsWaits = context.knowsWaits();
  for (RankCost& cost : costs) {
    cost.high = std::min(cost.high, most[cost.rank.value]);
    cost.low = knowsWaits ? std::min({cost.low, (1 - kContention) * held[cost.rank.value], cost.high}) : 0;
  }
  return costs;
}

// The groups and operations with the most exposed transfer, largest first.
struct Called {
  std::string label;
  CollectiveOperation operation = CollectiveOperation::Unknown;
  ParallelDimension dimension = ParallelDimension::Unknown;
  ExactSum time;
  std::int64_t calls = 0;
};

using CalledSums = std::map<std::pair<std::string, CollectiveOperation>, Called>;

// By label and operation.
std::vector<Called> exposedCallsOf(const FindingContext& context, RankIndex rank) {
  const CollectiveMatch& match = context.analysis().collectives().match;
  CalledSums sums;
  EventIndex last;
  for (const KeptWindow& window : context.kept().windows[rank.value]) {
    context.account().of(rank).pieces.forEachWithin(
        window.range, [&](TimeRange range, const TimePieces::Piece& piece) {
          if (!isTransfer(piece.leaf)) return;
          const CollectiveInstance* const instance = match.instanceAt(rank, piece.event);
          if (instance == nullptr) return;
          const JobGroup& group = match.group(*instance);
          Called& sum = sums[{group.label(), instance->operation}];
          sum.label = group.label();
          sum.operation = instance->operation;
          sum.dimension = group.dimension;
          sum.time += range.length();
          if (piece.event != last) ++sum.calls;
          last = piece.event;
        });
  }
  std::vector<Called> calls;
  calls.reserve(sums.size());
  for (auto& [key, sum] : sums) calls.push_back(std::move(sum));
  return calls;
}

} // namespace

template <class Archive, Described<Called> T> void describe(Archive& archive, T& called) {
  auto& [label, operation, dimension, time, calls] = called;
  archive(label, operation, dimension, time, calls);
}

namespace {

std::vector<Called> exposedCalls(const FindingContext& context) {
  CalledSums sums;
  for (const RankIndex rank : context.ranks()) {
    const auto ofRank = context.ofRank<std::vector<Called>>(rank, "exposed collectives",
                                                            [&] { return exposedCallsOf(context, rank); });
    for (const Called& of : ofRank) {
      Called& sum = sums[{of.label, of.operation}];
      sum.label = of.label;
      sum.operation = of.operation;
      sum.dimension = of.dimension;
      sum.time += std::int64_t{of.time};
      sum.calls += of.calls;
    }
  }
  std::vector<Called> calls;
  calls.reserve(sums.size());
  for (auto& [key, sum] : sums) calls.push_back(std::move(sum));
  std::ranges::stable_sort(calls, std::greater<>(),
                           [](const Called& called) { return std::int64_t{called.time}; });
  return calls;
}

constexpr double kManyReductions = 100;

std::string fixForExposed(const Called& worst, double callsPerStep, bool noOverlap, bool embeddings) {
  using enum CollectiveOperation;
  const CollectiveOperation operation = worst.operation;
  if (operation == AllToAll && embeddings)
    return "Overlap the all-to-all of embeddings with the dense layers or the next batch (TorchRec: "
           "TrainPipelineSparseDist), send less (16-bit quantized communication), or place tables that "
           "exchange "
           "most on one host.";
  if (operation == AllToAll)
    return "Overlap the all-to-all with independent work (dense layers, the next microbatch), send less "
           "data "
           "(fewer bytes per element, lower capacity factor), or place communicating experts on one host.";
  if (isPointToPoint(operation) || operation == SendRecv)
    return "Use more microbatches or an interleaved schedule to shrink the pipeline bubble; post receives "
           "early (batch_isend_irecv).";
  if (operation == AllGather || operation == ReduceScatter)
    return "FSDP: prefetch earlier (forward_prefetch=True, BackwardPrefetch.BACKWARD_PRE), wrap larger "
           "units, "
           "set reshard_after_forward=False if memory allows, or shard within a host (HYBRID_SHARD).";
  if (worst.dimension == ParallelDimension::Tensor)
    return "Tensor-parallel all-reduces run between layers: keep the group within one host's NVLink, use "
           "sequence parallelism or asynchronous tensor parallelism, or reduce the tensor-parallel degree.";
  if (operation == AllReduce && callsPerStep >= kManyReductions)
    return fmt::format(
        "{} all-reduces per step are about one for each parameter: reduce gradients in buckets, "
        "with DDP instead of all_reduce in a loop, or torch.distributed._coalescing_manager. "
        "Then they also overlap with the backward pass.",
        groupedText(std::llround(callsPerStep)));
  std::string reduce = "Start gradient reduction earlier: tune bucket_cap_mb, accumulate gradients "
                       "with no_sync(), compress them "
                       "(bf16_compress_hook), and compare the measured busbw with the network's.";
  if (!noOverlap) return reduce;
  return "DDP cannot overlap when it waits for the whole backward pass: unneeded "
         "find_unused_parameters=True, a "
         "bucket larger than the model (bucket_cap_mb), gradients reduced manually after backward, or "
         "CUDA_DEVICE_MAX_CONNECTIONS=1. " +
         reduce;
}

double perWindow(const FindingContext& context, std::int64_t count) {
  double windows = 0;
  for (const auto& of : context.kept().windows) windows += static_cast<double>(of.size());
  return windows > 0 ? static_cast<double>(count) / windows : 0;
}

std::string callsText(const FindingContext& context, const std::vector<Called>& calls) {
  std::string text;
  double windows = 0;
  for (const auto& of : context.kept().windows) windows += static_cast<double>(of.size());
  for (std::size_t i = 0; i < std::min(kGroupsNamed, calls.size()); ++i) {
    const Called& called = calls[i];
    const double count = static_cast<double>(called.calls) / windows;
    text += fmt::format("{}{} of {}: {} in {:.{}f} {}", i == 0 ? "" : "; ", operationText(called.operation),
                        called.label, context.timeText(static_cast<double>(called.time) / windows), count,
                        count < 0.95 ? 1 : 0, std::round(count) == 1 ? "call" : "calls");
  }
  return text;
}

// Of a kept step of a rank.
struct OverlapTimes {
  TimeNs communication = 0;
  TimeNs overlap = 0;
  TimeNs compute = 0;
};

} // namespace

template <class Archive, Described<OverlapTimes> T> void describe(Archive& archive, T& times) {
  auto& [communication, overlap, compute] = times;
  archive(communication, overlap, compute);
}

namespace {

std::vector<OverlapTimes> overlapTimes(const FindingContext& context, RankIndex rank) {
  const std::vector<KeptWindow>& windows = context.kept().windows[rank.value];
  auto times = context.ofRank<std::vector<OverlapTimes>>(rank, "overlap in steps", [&] {
    const DeviceActivity& activity = context.analysis().wholeActivity(rank);
    std::vector<OverlapTimes> list;
    list.reserve(windows.size());
    for (const KeptWindow& window : windows)
      list.push_back({activity.communication.coveredWithin(window.range),
                      activity.overlap.coveredWithin(window.range),
                      activity.compute.coveredWithin(window.range)});
    return list;
  });
  times.resize(windows.size()); // of a digest without the answer
  return times;
}

bool noneOverlaps(const FindingContext& context) {
  bool anyCompute = false;
  for (const RankIndex rank : context.ranks()) {
    ExactSum communication, overlap;
    for (const OverlapTimes& times : overlapTimes(context, rank)) {
      communication += times.communication;
      overlap += times.overlap;
      anyCompute = anyCompute || times.compute > 0;
    }
    if (100.0 * static_cast<double>(overlap) >= kNoOverlapPct * static_cast<double>(communication) &&
        communication > 0)
      return false;
  }
  return anyCompute;
}

// Of the kept steps, which may end after a selected range. Each counts once, however many of its ranks were
// recorded, as in the overview.
double overlapPct(const FindingContext& context) {
  struct Sums {
    double communication = 0, overlap = 0, windows = 0;
  };
  std::map<std::pair<int, std::int64_t>, Sums> steps; // by capture and number
  const Analysis& analysis = context.analysis();
  for (const RankIndex rank : context.ranks()) {
    const std::vector<KeptWindow>& windows = context.kept().windows[rank.value];
    const std::vector<OverlapTimes> times = overlapTimes(context, rank);
    for (std::size_t i = 0; i < windows.size(); ++i) {
      Sums& of = steps[{analysis.trace().rank(rank).capture, windows[i].number}];
      of.communication += static_cast<double>(times[i].communication);
      of.overlap += static_cast<double>(times[i].overlap);
      of.windows += 1;
    }
  }
  double communication = 0, overlap = 0;
  for (const auto& [step, of] : steps) {
    communication += of.communication / of.windows;
    overlap += of.overlap / of.windows;
  }
  return communication > 0 ? 100 * overlap / communication : 0;
}

std::string unknownWaits(const FindingContext& context) {
  const auto world = context.analysis().trace().worldSize();
  const std::size_t recorded = countRanks(context.analysis()).ranks;
  return fmt::format(
      " Waiting is inside, and how much is not known: only {}{} recorded. So no gain is certain.",
      countedText(static_cast<std::int64_t>(recorded), "rank"),
      world ? fmt::format(" of {} was", *world) : std::string(" was"));
}

// What leaf comm.tail has of it; nanoseconds of a kept step, mean over the ranks.
double tailOf(const FindingContext& context, const std::vector<RankCost>& part) {
  double sum = 0;
  for (const RankCost& cost : part)
    sum += context.perStep(cost.rank, context.uses(cost.rank)[static_cast<std::size_t>(Leaf::CommTail)].time);
  return part.empty() ? 0 : sum / static_cast<double>(part.size());
}

// From this share of all exposed transfers on, a part is what the finding is about.
constexpr double kWholeReason = 0.8;

struct PartCosts {
  const ExposedPart* part = nullptr;
  std::vector<RankCost> costs;
};

void addPart(FindingContext& context, PartCosts of, FindingKind whole) {
  const LeafRule rule =
      context.withoutWaits({of.part->kind, "comm.transfer", of.part->minShare, of.part->confidence, 1});
  context.addForRanks(rule, std::move(of.costs), [&](Finding& finding, const std::vector<RankCost>&) {
    finding.title = fmt::format("{}: {}", of.part->title, context.gainText(finding));
    finding.evidence = of.part->evidence + context.includedIn({&whole, 1});
    finding.fix = of.part->fix;
  });
}

// The part that is the reason of nearly all, null if none is; `others` are findings of their own.
const ExposedPart* reasonAmong(const FindingContext& context, const std::vector<ExposedPart>& parts,
                               const std::vector<RankCost>& whole, std::vector<PartCosts>& others) {
  const LeafRule rule{FindingKind::ExposedCommunication, "comm", 0, Confidence::Proven, 1};
  const ExposedPart* reason = nullptr;
  for (const ExposedPart& part : parts) {
    std::vector<RankCost> costs = partOfCosts(context, whole, rule, findingKindText(part.kind), part.choose);
    const bool isMost =
        meanTime(costs) >= kWholeReason * meanTime(whole) && part.confidence != Confidence::Hint;
    if (isMost && reason == nullptr)
      reason = &part;
    else
      others.push_back({&part, std::move(costs)});
  }
  return reason;
}

} // namespace

void findExposedCommunication(FindingContext& context) {
  std::vector<RankCost> costs = exposedCosts(context);
  const std::vector<Called> calls = exposedCalls(context);
  if (calls.empty()) return;
  const std::vector<ExposedPart> parts = exposedParts(context);
  std::vector<PartCosts> others;
  others.reserve(parts.size());
  const ExposedPart* const reason = reasonAmong(context, parts, costs, others);
  const bool none = noneOverlaps(context) && context.hasDevices();
  const LeafRule rule = context.withoutWaits({reason != nullptr ? reason->kind
                                              : none            ? FindingKind::NoOverlap
                                                                : FindingKind::ExposedCommunication,
                                              "comm.transfer", kMinExposed, Confidence::Proven, 1});
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title = fmt::format("{}: {}",
                                reason != nullptr ? reason->title
                                : none            ? "No overlap of communication"
                                                  : "Exposed communication",
                                context.gainText(finding));
    finding.evidence = reason != nullptr ? reason->evidence + " " : std::string();
    finding.evidence += fmt::format("{} of communication is overlapped by compute. {} exposed.",
                                    percentText(overlapPct(context)), callsText(context, calls));
    if (const double tail = tailOf(context, part); tail > 0)
      finding.evidence += fmt::format(" This includes {} of last buckets and first gathers, which have a row "
                                      "of their own in the account.",
                                      context.timeText(tail));
    if (!context.knowsWaits())
      finding.evidence += unknownWaits(context);
    else if (finding.gain->low < finding.gain->high)
      finding.evidence += " The lower bound excludes the last bucket, communication that was launched late, "
                          "and the slowdown of compute kernels by overlapped communication.";
    finding.fix = reason != nullptr ? reason->fix
                                    : fixForExposed(calls.front(), perWindow(context, calls.front().calls),
                                                    none, shardsEmbeddings(context));
  });
  for (PartCosts& other : others) addPart(context, std::move(other), rule.kind);
}

} // namespace rankscope
