// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/digest/digested_results.h"

#include "core/analysis/digest/digest_archive.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace rankscope {

// Structured bindings list all members, so a new member that is not described is a compile error.

// Found by the types of their arguments, so not in an unnamed namespace.
constexpr bool isValid(StepSource value) {
  return value <= StepSource::Whole;
}
constexpr bool isValid(GapCause value) {
  return value <= GapCause::NotRecorded;
}
constexpr bool isValid(DeviceClass value) {
  return value <= DeviceClass::Memory;
}

template <class Archive, Described<DeviceActivity> T> void describe(Archive& archive, T& activity) {
  auto& [span, busy, compute, communication, memory, overlap, exposed] = activity;
  archive(span, busy, compute, communication, memory, overlap, exposed);
}

template <class Archive, Described<Step> T> void describe(Archive& archive, T& step) {
  auto& [number, range, event] = step;
  archive(number, range, event);
}

template <class Archive, Described<StepWindow> T> void describe(Archive& archive, T& step) {
  auto& [number, host, range, event, deviceEvents] = step;
  archive(number, host, range, event, deviceEvents);
}

template <class Archive, Described<StepWindows> T> void describe(Archive& archive, T& windows) {
  auto& [found, steps] = windows;
  archive(found, steps);
}

template <class Archive, Described<StepFacts> T> void describe(Archive& archive, T& facts) {
  auto& [number, duration, deviceEvents, backward, optimizer, saves, evaluates] = facts;
  archive(number, duration, deviceEvents, backward, optimizer, saves, evaluates);
}

template <class Archive, Described<StepBreakdown> T> void describe(Archive& archive, T& breakdown) {
  auto& [categories, compute, communication, overlap, exposedCommunication, idle, dataLoader, forward, loss,
         backward, optimizer] = breakdown;
  archive(categories, compute, communication, overlap, exposedCommunication, idle, dataLoader, forward, loss,
          backward, optimizer);
}

template <class Archive, Described<HostPhases> T> void describe(Archive& archive, T& phases) {
  auto& [dataLoader, forward, loss, backward, optimizer] = phases;
  archive(dataLoader, forward, loss, backward, optimizer);
}

template <class Archive, Described<HostActivity> T> void describe(Archive& archive, T& host) {
  auto& [runtime, execution, dataLoader, collectives, compute] = host;
  archive(runtime, execution, dataLoader, collectives, compute);
}

template <class Archive, Described<GpuSums> T> void describe(Archive& archive, T& sums) {
  auto& [busy, blocks, occupied, occupiedTime, knowsBlocks] = sums;
  archive(busy, blocks, occupied, occupiedTime, knowsBlocks);
}

template <class Archive, Described<DeviceSums> T> void describe(Archive& archive, T& sums) {
  auto& [device, ofRanges] = sums;
  archive(device, ofRanges);
}

template <class Archive, Described<GpuParts> T> void describe(Archive& archive, T& parts) {
  auto& [ranges, devices] = parts;
  archive(ranges, devices);
}

template <class Archive, Described<IdleGap> T> void describe(Archive& archive, T& gap) {
  auto& [range, device, stream, cause, hostEvent, thread, next, launch, waitedFor, step] = gap;
  archive(range, device, stream, cause, hostEvent, thread, next, launch, waitedFor, step);
}

template <class Archive, Described<GapTotal> T> void describe(Archive& archive, T& total) {
  auto& [count, time] = total;
  archive(count, time);
}

template <class Archive, Described<IdleGaps> T> void describe(Archive& archive, T& gaps) {
  auto& [ofDevices, ofStreams, totals, shorter] = gaps;
  archive(ofDevices, ofStreams, totals, shorter);
}

template <class Archive, Described<RankStatistics> T> void describe(Archive& archive, T& statistics) {
  auto& [steps, hasDeviceActivity, gpuSpan, gpuBusy, compute, communication, overlap, exposedCommunication,
         memory, idle, overlapPct] = statistics;
  archive(steps, hasDeviceActivity, gpuSpan, gpuBusy, compute, communication, overlap, exposedCommunication,
          memory, idle, overlapPct);
}

template <class Archive, Described<KernelStatistics> T> void describe(Archive& archive, T& kernel) {
  auto& [name, deviceClass, calls, total, min, max, meanNs, stddevNs, blocksPerSm, occupancyPct] = kernel;
  archive(name, deviceClass, calls, total, min, max, meanNs, stddevNs, blocksPerSm, occupancyPct);
}

template <class Archive, Described<StreamQueue> T> void describe(Archive& archive, T& queue) {
  auto& [stream, launches, maxDepth, meanDepth] = queue;
  archive(stream, launches, maxDepth, meanDepth);
}

template <class Archive, Described<LaunchStatistics> T> void describe(Archive& archive, T& launches) {
  auto& [kernels, launched, delayTotal, delayMedian, callTotal, shorterThanCall, kernelsPerStep, queues] =
      launches;
  archive(kernels, launched, delayTotal, delayMedian, callTotal, shorterThanCall, kernelsPerStep, queues);
}

template <class Archive, Described<TransferPeer> T> void describe(Archive& archive, T& peer) {
  auto& [number, numbering] = peer;
  archive(number, numbering);
}

template <class Archive, Described<CallParties> T> void describe(Archive& archive, T& parties) {
  auto& [hasGroup, groupName, groupDescription, groupRanks, groupSize, rankStart, rankStride, commsId, peer] =
      parties;
  archive(hasGroup, groupName, groupDescription, groupRanks, groupSize, rankStart, rankStride, commsId, peer);
}

namespace {

// Calls with their parties by number.
struct CallImages {
  std::vector<CallParties> parties;
  std::vector<std::uint32_t> partiesOf; // by call
  std::vector<CollectiveCall> calls;

  CallImages() = default;
  explicit CallImages(const std::vector<CollectiveCall>& of) : calls(of) {
    std::map<const CallParties*, std::uint32_t> numbers;
    partiesOf.reserve(calls.size());
    for (const CollectiveCall& call : calls) {
      const auto [number, isNew] =
          numbers.try_emplace(call.parties.get(), static_cast<std::uint32_t>(parties.size()));
      if (isNew) parties.push_back(*call.parties);
      partiesOf.push_back(number->second);
    }
  }

  // Empty if the numbers are wrong.
  [[nodiscard]] std::optional<std::vector<CollectiveCall>> taken() {
    if (partiesOf.size() != calls.size()) return std::nullopt;
    PartyPool pool;
    std::vector<std::shared_ptr<const CallParties>> shared;
    shared.reserve(parties.size());
    for (const CallParties& of : parties) shared.push_back(pool.shared(of));
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (partiesOf[i] >= shared.size()) return std::nullopt;
      calls[i].parties = shared[partiesOf[i]];
    }
    calls.shrink_to_fit();
    return std::move(calls);
  }
};

} // namespace

template <class Archive, Described<CollectiveCall> T> void describe(Archive& archive, T& call) {
  [[maybe_unused]] auto& [event, dtype, range, inElements, outElements, sequence, step, parties, operation] =
      call;
  archive(event, dtype, range, inElements, outElements, sequence, step, operation);
}

template <class Archive, Described<CallImages> T> void describe(Archive& archive, T& images) {
  auto& [parties, partiesOf, calls] = images;
  archive(parties, partiesOf, calls);
}

template <class Archive, Described<OperatorStatistics> T> void describe(Archive& archive, T& op) {
  auto& [name, detail, calls, hostSelf, hostTotal, deviceSelf, deviceTotal, tensorCoreSelf, tensorCoreTotal,
         tensorCoreEligible] = op;
  archive(name, detail, calls, hostSelf, hostTotal, deviceSelf, deviceTotal, tensorCoreSelf, tensorCoreTotal,
          tensorCoreEligible);
}

template <class Archive, Described<OperatorProfile> T> void describe(Archive& archive, T& profile) {
  auto& [operators, unattributedDevice, unattributedEvents] = profile;
  archive(operators, unattributedDevice, unattributedEvents);
}

template <class Archive, Described<MemoryDevice> T> void describe(Archive& archive, T& device) {
  auto& [onHost, id] = device;
  archive(onHost, id);
}

template <class Archive, Described<MemoryLevel> T> void describe(Archive& archive, T& level) {
  auto& [time, allocated, reserved] = level;
  archive(time, allocated, reserved);
}

template <class Archive, Described<DeviceMemory> T> void describe(Archive& archive, T& memory) {
  auto& [device, allocatedIsSum, reservedIsKnown, levels, peakAllocated, peakReserved] = memory;
  archive(device, allocatedIsSum, reservedIsKnown, levels, peakAllocated, peakReserved);
}

template <class Archive, Described<OperatorMemory> T> void describe(Archive& archive, T& op) {
  auto& [name, device, calls, allocations, allocationBytes, selfAllocations, selfAllocationBytes,
         sizeIncrease, selfSizeIncrease] = op;
  archive(name, device, calls, allocations, allocationBytes, selfAllocations, selfAllocationBytes,
          sizeIncrease, selfSizeIncrease);
}

template <class Archive, Described<MemoryProfile> T> void describe(Archive& archive, T& profile) {
  auto& [devices, operators, unattributed] = profile;
  archive(devices, operators, unattributed);
}

// All but the calls.
template <class Archive, Described<DigestedResults> T> void describe(Archive& archive, T& results) {
  [[maybe_unused]] auto& [activity, steps, stepWindows, stepFacts, stepBreakdown, phases, hostActivity,
                          gpuParts, gaps, statistics, kernels, launches, collectiveCalls, operators, memory,
                          shortened] = results;
  archive(activity, steps, stepWindows, stepFacts, stepBreakdown, phases, hostActivity, gpuParts, gaps,
          statistics, kernels, launches, operators, memory);
}

namespace {

// Whether results that refer to each other do so within bounds.
bool areConsistent(const DigestedResults& results) {
  const std::size_t steps = results.stepWindows.steps.size();
  const auto hasNext = [&](const IdleGap& gap) {
    return gap.next.valid() && (!gap.step || *gap.step < steps);
  };
  const auto hasDevice = [&](const OperatorMemory& op) { return op.device < results.memory.devices.size(); };
  const auto isCall = [](const CollectiveCall& call) { return call.event.valid(); };
  const auto isQueue = [](const StreamQueue& queue) { return queue.stream.valid(); };
  const auto hasRanges = [&](const DeviceSums& device) {
    return device.sums.size() == results.gpuParts.ranges.size();
  };
  return std::ranges::all_of(results.gpuParts.devices, hasRanges) && results.stepFacts.size() == steps &&
         results.stepBreakdown.size() == steps && std::ranges::all_of(results.gaps.ofDevices, hasNext) &&
         std::ranges::all_of(results.gaps.ofStreams, hasNext) &&
         std::ranges::all_of(results.memory.operators, hasDevice) &&
         std::ranges::all_of(results.memory.unattributed, hasDevice) &&
         std::ranges::all_of(results.collectiveCalls, isCall) &&
         std::ranges::is_sorted(results.collectiveCalls, {},
                                [](const CollectiveCall& call) { return call.range.begin; }) &&
         std::ranges::all_of(results.launches.queues, isQueue);
}

} // namespace

void collectKeys(const DigestedResults& results, DigestCollector& collector) {
  collector(results, CallImages(results.collectiveCalls));
}

std::string packedTableNames(const std::vector<std::string>& tables) {
  Packer packer;
  packer(tables);
  return packer.takeBytes();
}

std::vector<std::string> shortenedTables(const RankDigest& digest) {
  std::vector<std::string> tables;
  const std::string bytes = digest.section(DigestSection::Shortened);
  Unpacker unpacker(bytes);
  unpacker(tables);
  return tables;
}

std::string packedResults(const DigestedResults& results, const DigestKeys& keys) {
  DigestPacker packer(keys);
  packer(results, CallImages(results.collectiveCalls));
  return packer.takeBytes();
}

namespace {

// Times of results of the recording, as those of the recording on the job's clock.
class ResultMover {
 public:
  explicit ResultMover(const ClockCorrection& correction) : m_correction(correction) {}

  void moveResults(DigestedResults& results) const {
    DeviceActivity& activity = results.activity;
    activity.span = moved(activity.span);
    moveSets({&activity.busy, &activity.compute, &activity.communication, &activity.memory, &activity.overlap,
              &activity.exposed});
    HostPhases& phases = results.phases;
    moveSets({&phases.dataLoader, &phases.forward, &phases.loss, &phases.backward, &phases.optimizer});
    HostActivity& host = results.hostActivity;
    moveSets({&host.runtime, &host.execution, &host.dataLoader, &host.collectives, &host.compute});
    for (Step& step : results.steps) step.range = moved(step.range);
    for (StepWindow& step : results.stepWindows.steps) {
      step.host = moved(step.host);
      step.range = moved(step.range);
    }
    for (std::vector<IdleGap>* const gaps : {&results.gaps.ofDevices, &results.gaps.ofStreams})
      for (IdleGap& gap : *gaps) gap.range = moved(gap.range);
    for (CollectiveCall& call : results.collectiveCalls) call.range = RankRange::of(moved(call.range.ns()));
    for (DeviceMemory& device : results.memory.devices)
      for (MemoryLevel& level : device.levels) level.time = moved(level.time);
  }

 private:
  [[nodiscard]] TimeNs moved(TimeNs time) const { return m_correction.toJob(RankTime(time)).ns(); }
  [[nodiscard]] TimeRange moved(TimeRange range) const {
    return range.empty() ? range : TimeRange{moved(range.begin), moved(range.end)};
  }
  void moveSets(std::initializer_list<IntervalSet*> sets) const {
    for (IntervalSet* const set : sets) {
      std::vector<TimeRange> ranges(set->ranges().begin(), set->ranges().end());
      for (TimeRange& range : ranges) range = moved(range);
      *set = IntervalSet(std::move(ranges));
    }
  }

  const ClockCorrection& m_correction;
};

} // namespace

std::optional<DigestedResults> unpackedResults(const RankDigest& digest, const RankTrace& trace) {
  const std::string bytes = digest.section(DigestSection::Results);
  DigestUnpacker unpacker(bytes, digest.names, trace.events.size(), trace.tracks.size());
  std::optional<DigestedResults> results(std::in_place);
  CallImages images;
  unpacker(*results, images);
  auto calls = images.taken();
  const bool hasCalls = calls.has_value();
  if (hasCalls) results->collectiveCalls = *std::move(calls);
  if (!hasCalls || !unpacker.ok() || !unpacker.atEnd() || !areConsistent(*results)) results.reset();
  if (results && !digest.drawn.changesNothing()) ResultMover(digest.drawn).moveResults(*results);
  return results;
}

} // namespace rankscope
