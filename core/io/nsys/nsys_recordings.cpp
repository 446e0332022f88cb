// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_recordings.h"

#include "core/base/parallel_for.h"
#include "core/io/nsys/nsys_diagnostics.h"
#include "core/io/nsys/nsys_graph_origins.h"
#include "core/io/nsys/nsys_nccl.h"
#include "core/io/nsys/nsys_payload.h"
#include "core/io/nsys/nsys_ranks.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

using Parts = std::vector<NsysProcessPart>;

std::uint64_t deviceEventsOf(const SliceEvents& slice) {
  return slice.stored.device.values.size() + slice.device.size();
}

// What a process did, also as contents of its recording.
struct ProcessFacts {
  ProcessActivity activity;
  NsysContents contents;
  std::set<std::int64_t> devices;
  NcclRank nccl;
};

ProcessFacts factsOf(std::int64_t process, const Parts& parts) {
  ProcessFacts facts;
  facts.activity.process = process;
  for (const NsysProcessPart& of : parts) {
    const SliceEvents& slice = of.part->slice;
    facts.activity.deviceEvents += deviceEventsOf(slice);
    for (const auto& [context, device] : of.part->pending.contexts) facts.devices.insert(device);
    facts.contents.shapes = facts.contents.shapes || of.part->pending.hasShapes;
    for (const NcclRange& range : of.part->pending.payloads)
      facts.contents.ncclPayloads = facts.contents.ncclPayloads || !range.payload.empty();
    NsysEventCounts counts = of.part->stored;
    for (const RawEvent& event : slice.events) counts.add(event);
    facts.activity.ranges += counts.ranges;
    facts.activity.calls += counts.calls;
    facts.activity.others += counts.others;
    facts.contents.operators = facts.contents.operators || counts.operators;
    facts.contents.graphsAsWhole = facts.contents.graphsAsWhole || counts.graphsAsWhole;
  }
  facts.contents.deviceEvents = facts.activity.deviceEvents > 0;
  facts.contents.ranges = facts.activity.ranges > 0;
  if (!facts.devices.empty()) facts.activity.firstDevice = *facts.devices.begin();
  return facts;
}

TimeNs lastTimeOf(const std::map<std::int64_t, Parts>& processes, const NsysExport& facts) {
  TimeNs last = facts.captureEnd;
  for (const auto& [process, parts] : processes) {
    for (const NsysProcessPart& of : parts) last = std::max(last, of.part->stored.last);
  }
  return last;
}

// Rows without a process belong to the only one that uses a device, or that calls CUDA.
void adoptUnknown(std::map<std::int64_t, Parts>& processes) {
  const auto unknown = processes.find(kNoProcess);
  if (unknown == processes.end()) return;
  const auto onlyOne = [&](auto&& has) {
    std::optional<std::int64_t> only;
    for (const auto& [process, parts] : processes) {
      if (process <= kNoProcess || !std::ranges::any_of(parts, has)) continue;
      if (only) return std::optional<std::int64_t>();
      only = process;
    }
    return only;
  };
  auto owner = onlyOne([](const NsysProcessPart& of) { return deviceEventsOf(of.part->slice) > 0; });
  if (!owner) owner = onlyOne([](const NsysProcessPart& of) { return of.part->stored.calls > 0; });
  if (!owner) return;
  Parts& parts = processes.at(*owner);
  parts.insert(parts.end(), unknown->second.begin(), unknown->second.end());
  processes.erase(unknown);
}

// Tables and slices that become one recording.
class RecordingBuild {
 public:
  void add(const Parts& parts) {
    for (const NsysProcessPart& of : parts) {
      const auto [known, isNew] = m_tables.try_emplace(of.tables, m_events.tables.size());
      if (isNew) m_events.tables.push_back(std::move(of.tables->tables));
      of.part->slice.tables = known->second;
      m_events.slices.push_back(std::move(of.part->slice));
    }
  }
  // Calls of other processes share the ids of the rank's calls, and launched nothing.
  void addOther(const Parts& parts) {
    for (const NsysProcessPart& of : parts) {
      SliceEvents& slice = of.part->slice;
      std::vector<RawEvent> events;
      events.reserve(slice.stored.events.values.size() + slice.events.size());
      eachEvent(slice, [&](RawEvent event) {
        if (static_cast<EventKind>(event.kind) == EventKind::Runtime) event.link = 0;
        events.push_back(event);
      });
      slice.events = std::move(events);
      slice.stored.events = {};
    }
    add(parts);
  }
  void addNames(std::vector<RawThreadFact> names) {
    if (names.empty() || m_events.tables.empty()) return;
    SliceEvents& slice = m_events.slices.emplace_back();
    slice.threadFacts = std::move(names);
  }
  [[nodiscard]] FileEvents& events() { return m_events; }

 private:
  FileEvents m_events;
  std::map<const NsysProcess*, std::size_t> m_tables;
};

std::vector<std::string> threadNamesOf(const Parts& parts) {
  std::vector<std::string> names;
  for (const NsysProcessPart& of : parts) {
    for (const auto& [thread, name] : of.part->pending.threads) names.push_back(name);
  }
  return names;
}

DeviceProperties propertiesOf(const NsysGpu& gpu, std::int64_t device) {
  const auto narrow = [](std::int64_t value) {
    return static_cast<int>(std::clamp<std::int64_t>(value, 0, std::numeric_limits<int>::max()));
  };
  DeviceProperties properties;
  properties.id = narrow(device);
  properties.name = gpu.name;
  properties.totalMemoryBytes = static_cast<std::uint64_t>(std::max<std::int64_t>(gpu.memoryBytes, 0));
  properties.computeMajor = narrow(gpu.computeMajor);
  properties.computeMinor = narrow(gpu.computeMinor);
  properties.multiprocessors = narrow(gpu.multiprocessors);
  return properties;
}

// Whether communicators have members that the report does not have.
bool reachBeyond(const std::vector<ProcessFacts>& ranks) {
  std::map<std::uint64_t, std::int64_t> missing; // by communicator
  for (const ProcessFacts& of : ranks) {
    for (const auto& [communicator, size] : of.nccl.sizes)
      --missing.try_emplace(communicator, size).first->second;
  }
  return std::ranges::any_of(missing, [](const auto& of) { return of.second > 0; });
}

// Whether the largest communicators of the ranks of a report can be one, of all ranks of the job: they may be
// several, of a part each, or one of the ranks of this host alone.
bool shareOneWorld(const std::vector<ProcessFacts>& ranks) {
  std::set<std::uint64_t> communicators;
  std::set<std::int64_t> numbers;
  std::size_t known = 0;
  std::int64_t size = 0;
  for (const ProcessFacts& of : ranks) {
    if (!of.nccl.rank) continue;
    ++known;
    communicators.insert(of.nccl.communicator);
    numbers.insert(*of.nccl.rank);
    size = of.nccl.worldSize;
  }
  const bool ofThisHost = ranks.size() > 1 && size <= static_cast<std::int64_t>(ranks.size());
  return communicators.size() == 1 && numbers.size() == known && !(ofThisHost && reachBeyond(ranks));
}

// Whether the largest communicator has all ranks of the job, as far as other evidence tells: it may be one of
// tensor-parallel ranks alone. An environment with fewer processes is that of what started the ranks.
bool isWorld(const NcclRank& nccl, const RankEvidence& evidence, std::size_t rankCount) {
  if (nccl.worldSize < static_cast<std::int64_t>(rankCount)) return false;
  if (!evidence.rank || (evidence.worldSize && *evidence.worldSize < nccl.worldSize)) return true;
  return evidence.rank == nccl.rank && evidence.worldSize == nccl.worldSize;
}

void fillMetadata(const NsysExport& facts, ProcessFacts& process, const std::vector<std::string>& threads,
                  std::size_t rankCount, bool oneWorld, FileEvents& to) {
  const bool only = rankCount == 1;
  TraceMetadata& metadata = to.metadata;
  RankEvidence evidence = rankEvidence(facts, process.activity.process, threads, only);
  if (process.nccl.rank && oneWorld && isWorld(process.nccl, evidence, rankCount)) {
    evidence.rank = process.nccl.rank;
    evidence.worldSize = process.nccl.worldSize;
    evidence.from = "nccl";
  }
  metadata.rank = evidence.rank;
  metadata.worldSize = evidence.worldSize;
  to.origin = {facts.recordedBy, evidence.from, evidence.nodeRank, facts.systemClock, {}};
  if (!facts.session.empty())
    to.origin.session = facts.session + " " + std::to_string(process.activity.process);
  metadata.hostName = facts.host;
  if (only) metadata.traceName = facts.report;
  metadata.baseTime = facts.base;
  for (const std::int64_t device : process.devices) {
    const NsysGpu* const gpu = device < 0 ? nullptr : facts.gpuOf(process.activity.process, device);
    if (gpu != nullptr) metadata.devices.push_back(propertiesOf(*gpu, device));
  }
  process.contents.gpus = !metadata.devices.empty();
  for (const std::string& part : missingParts(process.contents, facts))
    to.diagnostics.add(DiagnosticKind::Suspicious, SourceRef(), part);
  to.placeText = &nsysPlace;
}

// The rank whose process uses this GPU; the only rank if it is unknown.
std::optional<std::size_t> ownerOfGpu(std::int64_t gpu, const std::vector<ProcessFacts>& ranks,
                                      const NsysExport& facts) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (const std::int64_t device : ranks[i].devices) {
      const NsysGpu* const known = facts.gpuOf(ranks[i].activity.process, device);
      if ((known != nullptr ? known->id : device) == gpu) return i;
    }
  }
  return std::nullopt;
}

} // namespace

std::vector<FileEvents> nsysRecordings(NsysTables tables, const NsysExport& facts, const SqliteFile& file,
                                       const NsysFilter& filter, unsigned threadCount) {
  const PayloadSchemas schemas(file);
  NsysStrings strings(file);
  std::map<std::int64_t, Parts> processes = tables.byProcess();
  adoptUnknown(processes);
  const TimeNs lastTime = lastTimeOf(processes, facts);
  std::map<std::int64_t, ProcessFacts> all;
  for (const auto& [process, parts] : processes) {
    if (process < kNoProcess) continue; // metrics of a GPU
    linkCapturingOperators(file, process, facts.shift, parts);
    all.emplace(process, ProcessFacts());
  }
  std::vector<std::pair<const std::int64_t, ProcessFacts>*> each;
  each.reserve(all.size());
  for (auto& of : all) each.push_back(&of);
  // Processes share nothing.
  parallelFor(each.size(), threadCount, [&](std::size_t i) {
    auto& [process, own] = *each[i];
    const Parts& parts = processes.at(process);
    joinProcess(parts, lastTime);
    own = factsOf(process, parts);
    own.nccl = joinNccl(parts, schemas);
  });
  std::vector<ProcessActivity> activities;
  activities.reserve(all.size());
  for (const auto& [process, own] : all) activities.push_back(own.activity);
  const std::vector<std::int64_t> rankIds = rankProcesses(activities);
  std::vector<ProcessFacts> ranks;
  for (const std::int64_t process : rankIds) {
    ranks.push_back(all.at(process));
    noteLosses(facts, tables, ranks.back().contents);
    const Parts& parts = processes.at(process);
    ranks.back().contents.ncclRanges = std::ranges::any_of(
        parts, [](const NsysProcessPart& of) { return !of.part->pending.payloads.empty(); });
  }
  std::vector<RecordingBuild> builds(ranks.size());
  const bool only = ranks.size() == 1;
  const bool oneWorld = shareOneWorld(ranks);
  std::uint64_t otherEvents = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Parts& parts = processes.at(rankIds[i]);
    fillMetadata(facts, ranks[i], threadNamesOf(parts), ranks.size(), oneWorld, builds[i].events());
    addFailedCalls(parts, builds[i].events().diagnostics);
    if (const auto window = filter.windowOf(rankIds[i])) builds[i].events().onlyLaunchedFrom = window->end;
    auto names = namesOfTracks(rankIds[i], facts, strings, parts);
    builds[i].add(parts);
    builds[i].addNames(std::move(names));
  }
  for (auto& [process, parts] : processes) {
    if (std::ranges::find(rankIds, process) != rankIds.end() || ranks.empty()) continue;
    if (process < kNoProcess) {
      const auto owner = ownerOfGpu(-2 - process, ranks, facts);
      if (owner || only) builds[owner.value_or(0)].add(parts);
    } else if (only) {
      auto names = namesOfTracks(process, facts, strings, parts);
      builds.front().addOther(parts);
      builds.front().addNames(std::move(names));
    } else {
      for (const NsysProcessPart& of : parts)
        eachEvent(of.part->slice, [&](const RawEvent&) { ++otherEvents; });
      for (NsysProcessPart& of : parts)
        builds.front().events().diagnostics.append(of.part->slice.diagnostics);
    }
  }
  std::vector<FileEvents> recordings;
  recordings.reserve(builds.size());
  for (RecordingBuild& build : builds) recordings.push_back(std::move(build.events()));
  if (recordings.empty()) return recordings;
  // What was lost may be of any rank; the rest is said once.
  for (FileEvents& recording : recordings) addDamage(facts, tables, recording.diagnostics);
  addMessages(facts, tables, recordings.front().diagnostics);
  if (otherEvents > 0)
    recordings.front().diagnostics.add(DiagnosticKind::Suspicious, SourceRef(),
                                       std::to_string(otherEvents) +
                                           " events of processes that are no ranks are not shown");
  return recordings;
}

} // namespace rankscope
