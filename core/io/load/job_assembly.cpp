// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/job_assembly.h"

#include "core/io/cache/trace_members.h"
#include "core/io/files/file_kind.h"
#include "core/io/files/shown_paths.h"
#include "core/io/load/name_order.h"
#include "core/io/placement/rank_names.h"
#include "core/model/missing_part.h"
#include "core/model/retimed.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace rankscope {

template <class Archive, Described<Coordinate> T> void describe(Archive& archive, T& coordinate) {
  auto& [axis, index] = coordinate;
  archive(axis, index);
}

template <class Archive, Described<NameFacts> T> void describe(Archive& archive, T& name) {
  auto& [producer, rank, localRank, folderRank, worldSize, host, pid, step, stamp, role, coordinates, nodeKey,
         group, ownJob, notARank, merged, reason] = name;
  archive(producer, rank, localRank, folderRank, worldSize, host, pid, step, stamp, role, coordinates,
          nodeKey, group, ownJob, notARank, merged, reason);
}

template <class Archive, Described<FileFacts> T> void describe(Archive& archive, T& facts) {
  auto& [path, relativePath, name, oneOfSeveral, readable, unreadableReason, fromPyTorch, mergedLabels,
         metadataRank, metadataWorldSize, metadataFrom, otherProgram, recordedRank, traceName, hostName,
         jobName, devices, deviceCount, peers, beginNs, endNs, events, textBytes, session] = facts;
  archive(path, relativePath, name, oneOfSeveral, readable, unreadableReason, fromPyTorch, mergedLabels,
          metadataRank, metadataWorldSize, metadataFrom, otherProgram, recordedRank, traceName, hostName,
          jobName, devices, deviceCount, peers, beginNs, endNs, events, textBytes, session);
}

template <class Archive, Described<Error> T> void describe(Archive& archive, T& error) {
  auto& [kind, message, file, byteOffset] = error;
  archive(kind, message, file, byteOffset);
}

namespace {

// Exports that lack it as a rule, not by damage.
bool hasNoWallClock(std::string_view format) {
  return format.starts_with("nsys");
}

// What is asked of a recording when files are placed, except for groups, which may name every rank of a job.
RankTrace withoutEvents(const RankTrace& trace) {
  RankTrace without;
  without.metadata = trace.metadata;
  without.metadata.processGroups.clear();
  without.diagnostics = trace.diagnostics;
  without.fileEvents = trace.fileEvents;
  without.leftOut = trace.leftOut;
  without.extent = trace.extent;
  without.devices = trace.devices;
  return without;
}

bool isDefaultGroup(const CollectiveDetail& detail, const TraceMetadata& metadata, const StringTable& names) {
  if (names[detail.groupDescription] == "default_pg" || names[detail.groupName] == "default_pg") return true;
  return metadata.worldSize && detail.groupSize == *metadata.worldSize;
}

// Copies the facts needed for placement from a rank's recording.
void takeFacts(const RankTrace& trace, const RecordingOrigin& origin, const StringTable& names,
               FileFacts& facts) {
  const auto narrow = [](std::optional<std::int64_t> value) {
    return value && *value >= 0 && *value <= INT32_MAX ? std::optional<int>(static_cast<int>(*value))
                                                       : std::nullopt;
  };
  facts.metadataRank = narrow(trace.metadata.rank);
  facts.metadataWorldSize = narrow(trace.metadata.worldSize);
  if (origin.rankFrom == rankSourceText(RankSource::Environment))
    facts.metadataFrom = RankSource::Environment;
  if (origin.rankFrom == rankSourceText(RankSource::Nccl)) facts.metadataFrom = RankSource::Nccl;
  facts.otherProgram = !origin.recordedBy.empty();
  facts.session = origin.session;
  if (origin.nodeRank && facts.name.nodeKey.empty())
    facts.name.nodeKey = "node" + std::to_string(*origin.nodeRank);
  facts.traceName = trace.metadata.traceName;
  facts.hostName = trace.metadata.hostName;
  facts.jobName = trace.metadata.jobName;
  facts.devices = trace.devices;
  facts.deviceCount = static_cast<int>(trace.metadata.devices.size());
  facts.beginNs = trace.extent.begin;
  facts.endNs = trace.extent.end;
  facts.events = trace.fileEvents;
  facts.fromPyTorch = std::ranges::any_of(trace.events.kind.span(),
                                          [](EventKind kind) {
                                            return kind != EventKind::Other && kind != EventKind::Instant;
                                          }) ||
                      trace.events.size() == 0;
  std::set<int> peers;
  std::set<NameId> seen;
  for (const CollectiveDetail& detail : trace.collectives) {
    if (!facts.recordedRank && detail.rank >= 0 && detail.rank <= INT32_MAX &&
        isDefaultGroup(detail, trace.metadata, names)) {
      facts.recordedRank = static_cast<int>(detail.rank);
    }
    if (!seen.insert(detail.groupRanks).second) continue;
    for (const int rank : ranksInList(names[detail.groupRanks])) peers.insert(rank);
  }
  facts.peers.assign(peers.begin(), peers.end());
  std::set<std::string> labels;
  for (const Track& track : trace.tracks) {
    if (track.process.starts_with('[')) labels.insert(track.process);
  }
  facts.mergedLabels.assign(labels.begin(), labels.end());
}

// For a file with several recordings: its name does not say which of them has which rank.
void forgetRank(NameFacts& name) {
  name.rank.reset();
  name.localRank.reset();
  name.folderRank.reset();
  name.pid.reset();
  name.coordinates.clear();
  name.merged = false;
}

std::string withSentence(std::string note, std::string_view sentence) {
  if (sentence.empty()) return note;
  if (!note.empty()) note += "; ";
  return note += sentence;
}

// The first diagnostics as short text for the files table.
std::string firstDiagnostics(const Diagnostics& diagnostics) {
  constexpr std::size_t kMaxReported = 3;
  std::string text;
  std::size_t reported = 0;
  std::uint64_t all = 0;
  for (const std::uint64_t count : diagnostics.counts()) all += count;
  for (const Diagnostic& item : diagnostics.items()) {
    if (missingPartOf(item.text)) {
      --all; // not damage: a finding about the recording
    } else if (reported < kMaxReported) {
      if (reported++ > 0) text += "; ";
      text += item.whereAndWhat();
    }
  }
  if (all > reported) text += "; and " + std::to_string(all - reported) + " more";
  return text;
}

// Why a recording that was read is not shown; empty if it is.
std::string whyWithoutEvents(const RankTrace& trace) {
  if (trace.fileEvents > 0 || trace.events.size() > 0) return {};
  const std::string damage = firstDiagnostics(trace.diagnostics);
  return damage.empty() ? "holds no events" : "holds no events: " + damage;
}

std::string deviceName(const RankTrace& trace) {
  if (trace.devices.empty()) return {};
  for (const DeviceProperties& device : trace.metadata.devices) {
    if (device.id == trace.devices.front()) return device.name;
  }
  return trace.metadata.devices.empty() ? std::string() : trace.metadata.devices.front().name;
}

// The job name is set by its framework; else it is the name of the opened folder or file.
std::string jobNameOf(const std::vector<std::string>& paths, const std::vector<RankEntry>& ranks) {
  for (const RankEntry& entry : ranks) {
    if (!entry.trace->metadata.jobName.empty()) return entry.trace->metadata.jobName;
  }
  if (paths.empty()) return {};
  std::error_code code;
  std::filesystem::path path = std::filesystem::absolute(paths.front(), code).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (paths.size() > 1) path = path.parent_path();
  return path.filename().string();
}

// One line per file with the reason. unnamed: how many more there are, for which there is no line.
std::string everyReason(const std::vector<Error>& reasons, std::uint64_t unnamed) {
  constexpr std::size_t kMaxNamed = 100;
  const std::uint64_t files = reasons.size() + unnamed;
  std::string text = "none of its " + std::to_string(files) + " files could be read:";
  for (std::size_t i = 0; i < std::min(kMaxNamed, reasons.size()); ++i) {
    std::string line = reasons[i].text();
    std::ranges::replace(line, '\n', ' '); // from the file name
    text += "\n  " + line;
  }
  const std::uint64_t more = files - std::min(kMaxNamed, reasons.size());
  if (more > 0) text += "\n  and " + std::to_string(more) + " more";
  return text;
}

} // namespace

JobAssembly::JobAssembly(std::vector<std::string> paths, const Discovery& discovery,
                         std::optional<int> capture, bool bySteps)
    : m_paths(std::move(paths)), m_capture(capture), m_bySteps(bySteps), m_others(discovery.others) {
  m_slots.reserve(discovery.files.size());
  for (const DiscoveredFile& file : discovery.files) m_slots.emplace_back().found = file;
  for (const DiscoveryProblem& problem : discovery.problems) addProblem(problem);
}

void JobAssembly::addProblem(const DiscoveryProblem& problem) {
  // What could be unpacked of a damaged archive is among the files.
  const bool inPart = std::ranges::any_of(m_slots, [&](const Slot& slot) {
    const std::string shown = shownPath(slot.found.path);
    return shown.size() > problem.path.size() && shown.starts_with(problem.path) &&
           shown[problem.path.size()] == '/';
  });
  FileRecord& record = m_notTraces.emplace_back();
  record.path = problem.path;
  record.note = (inPart ? "read in part: " : "not loaded: ") + problem.reason;
  record.status = problem.notATrace ? FileStatus::NotATrace : FileStatus::LeftOut;
}

JobAssembly::Part JobAssembly::partOf(const DiscoveredFile& file) {
  Part part;
  part.record.path = file.path;
  part.record.bytes = file.bytes;
  part.facts.path = file.path;
  part.facts.relativePath = file.relativePath;
  part.facts.name = factsFromName(file.relativePath);
  return part;
}

JobAssembly::Slot JobAssembly::slotOf(const DiscoveredFile& file, const Result<LoadedFile>& loaded,
                                      const StringTable& names) {
  Slot slot;
  slot.found = file;
  std::vector<Part>& parts = slot.parts;
  if (loaded) {
    for (const LoadedRecording& recorded : loaded->recordings) {
      Part& part = parts.emplace_back(partOf(slot.found));
      part.record.format = loaded->format;
      part.record.recording = static_cast<std::uint32_t>(parts.size() - 1);
      part.record.textBytes = loaded->textBytes;
      part.facts.textBytes = loaded->textBytes;
      if (loaded->recordings.size() > 1) {
        part.facts.oneOfSeveral = part.record.recording;
        forgetRank(part.facts.name);
      }
      takeFacts(*recorded.trace, recorded.origin, names, part.facts);
      // Without the files of other ranks its place among them cannot be derived again.
      if (slot.found.rank && !part.facts.metadataRank && !part.facts.recordedRank &&
          loaded->recordings.size() == 1)
        part.facts.recordedRank = slot.found.rank;
      part.facts.unreadableReason = whyWithoutEvents(*recorded.trace);
      part.facts.readable = part.facts.unreadableReason.empty();
      if (part.facts.readable) part.recorded = recorded;
    }
    if (std::ranges::none_of(parts, [](const Part& part) { return part.facts.readable; }))
      slot.error = Error{ErrorKind::Format, parts.front().facts.unreadableReason, slot.found.path, {}};
  } else {
    const Error& error = loaded.error();
    Part& part = parts.emplace_back(partOf(slot.found));
    part.facts.unreadableReason =
        (error.byteOffset ? "byte " + std::to_string(*error.byteOffset) + ": " : std::string()) +
        error.message;
    part.facts.readable = false;
    if (error.kind == ErrorKind::NotATrace) part.record.status = FileStatus::NotATrace;
    slot.error = error;
  }
  return slot;
}

void JobAssembly::arrived(std::size_t index, const Result<LoadedFile>& loaded, const StringTable& names) {
  m_slots[index] = slotOf(m_slots[index].found, loaded, names);
}

std::string JobAssembly::packedArrival(const DiscoveredFile& file, const Result<LoadedFile>& loaded,
                                       const StringTable& names) {
  const Slot slot = slotOf(file, loaded, names);
  Packer packer;
  packer(slot.error, std::uint64_t{slot.parts.size()});
  for (const Part& part : slot.parts) {
    packer(part.facts, part.record, part.recorded.origin, part.recorded.trace != nullptr);
    if (part.recorded.trace) packer(withoutEvents(*part.recorded.trace));
  }
  return packer.takeBytes();
}

bool JobAssembly::arrivedPacked(std::size_t index, std::string_view packed) {
  Unpacker unpacker(packed);
  Slot slot;
  slot.found = m_slots[index].found;
  std::uint64_t count = 0;
  unpacker(slot.error, count);
  while (unpacker.ok() && slot.parts.size() < count) {
    Part& part = slot.parts.emplace_back();
    bool recorded = false;
    unpacker(part.facts, part.record, part.recorded.origin, recorded);
    if (!recorded) continue;
    auto trace = std::make_shared<RankTrace>();
    unpacker(*trace);
    part.recorded.trace = std::move(trace);
    part.recorded.details = noDetails();
  }
  if (!unpacker.ok() || !unpacker.atEnd()) return false;
  m_slots[index] = std::move(slot);
  return true;
}

// The base time common to all files that have one. Most versions write it last, so truncated files lack it
// and would be decades before the others; they use this one if that moves them close to the others. Exports
// without a wall clock (JSON lines of Nsight Systems) begin with the first of the others, whatever their
// bases: that is a place for them, and collectives align them.
std::optional<JobAssembly::Base> JobAssembly::commonBase() const {
  constexpr TimeNs kDay = 86'400'000'000'000;
  Base base;
  TimeNs latest = 0;
  for (const Slot& slot : m_slots) {
    for (const Part& part : slot.parts) {
      const auto& trace = part.recorded.trace;
      if (!trace || trace->metadata.baseTime == 0) continue;
      const TimeNs own = trace->metadata.baseTime;
      base.common = base.common && (base.time == 0 || base.time == own);
      base.time = base.time == 0 ? own : std::min(base.time, own);
      latest = std::max(latest, own);
      base.near = base.near.unitedWith(trace->extent);
    }
  }
  // Runs of different days are no job to be placed in.
  if (base.time == 0 || (!base.common && latest - base.time > kDay)) return std::nullopt;
  base.near = {base.near.begin - kDay, base.near.end + kDay};
  return base;
}

// Recordings of one host that noted its monotonic clock: their distance is exact by it, while the wall clock
// may have been set in between.
void JobAssembly::alignBySystemClock() {
  constexpr TimeNs kMostCorrection =
      1'000'000'000; // beyond it, the host was started again or is not the same
  std::map<std::string_view, const LoadedRecording*> firstOfHost;
  for (Slot& slot : m_slots) {
    for (Part& part : slot.parts) {
      part.clockShift = 0;
      if (!part.recorded.trace || part.recorded.origin.systemClock == 0) continue;
      const TraceMetadata& own = part.recorded.trace->metadata;
      if (own.baseTime == 0 || own.hostName.empty()) continue;
      const LoadedRecording& first = *firstOfHost.try_emplace(own.hostName, &part.recorded).first->second;
      TimeNs wall = 0, system = 0, shift = 0;
      if (__builtin_sub_overflow(own.baseTime, first.trace->metadata.baseTime, &wall) ||
          __builtin_sub_overflow(part.recorded.origin.systemClock, first.origin.systemClock, &system) ||
          __builtin_sub_overflow(system, wall, &shift))
        continue;
      if (shift > -kMostCorrection && shift < kMostCorrection) part.clockShift = shift;
    }
  }
}

std::shared_ptr<const RankTrace> JobAssembly::timed(Part& part, const std::optional<Base>& base) {
  const auto& recorded = part.recorded.trace;
  if (recorded && part.clockShift != 0) {
    if (!part.moved || part.movedBy != part.clockShift) {
      part.moved = movedInTime(*recorded, part.clockShift);
      part.movedBy = part.clockShift;
    }
    return part.moved;
  }
  if (!base || !recorded || recorded->metadata.baseTime != 0 || recorded->extent.empty()) return recorded;
  if (!base->common && !hasNoWallClock(part.record.format)) return recorded;
  const TimeRange own = recorded->extent;
  const TimeRange lent{own.begin + base->time, own.end + base->time};
  if (own.overlaps(base->near) || !lent.overlaps(base->near)) return recorded;
  if (!part.moved || part.movedBy != base->time) {
    part.moved = movedInTime(*recorded, base->time);
    part.movedBy = base->time;
  }
  return part.moved;
}

FileRecord JobAssembly::recordOf(const Part& part, const FilePlacement& placement,
                                 const RankTrace* trace) const {
  FileRecord record = part.record;
  record.host = placement.host;
  record.note = placement.note;
  if (trace != nullptr) {
    record.events = trace->fileEvents;
    record.extent = trace->extent;
    record.diagnostics = trace->diagnostics;
    record.repaired = trace->diagnostics.count(DiagnosticKind::Repaired);
    record.skipped = trace->diagnostics.count(DiagnosticKind::Skipped);
    if (part.clockShift != 0) {
      record.note = withSentence(std::move(record.note), "aligned by the monotonic clock of its host");
    } else if (trace != part.recorded.trace.get()) {
      record.note =
          withSentence(std::move(record.note), hasNoWallClock(record.format)
                                                   ? "it has no wall clock: placed beside the other ranks"
                                                   : "its base time is missing: taken from the other ranks");
    }
    if (trace->leftOut > 0) {
      record.note = withSentence(std::move(record.note),
                                 std::to_string(trace->leftOut) + " events were filtered out, as requested");
    } else if (m_bySteps) {
      record.note = withSentence(std::move(record.note), "no events were filtered out");
    }
    record.note = withSentence(std::move(record.note), firstDiagnostics(trace->diagnostics));
  }
  if (placement.job > 0) {
    record.status = FileStatus::OtherJob;
    record.note = withSentence("another job (job " + std::to_string(placement.job + 1) +
                                   " of those found): open it separately",
                               record.note);
  }
  return record;
}

std::shared_ptr<const TraceSet> JobAssembly::traces(StringTable names, TraceOrigin origin) {
  const std::optional<Base> base = commonBase();
  alignBySystemClock();
  std::vector<const Part*> parts;
  std::vector<std::shared_ptr<const RankTrace>> recordings;
  std::vector<FileFacts> facts;
  for (Slot& slot : m_slots) {
    for (Part& part : slot.parts) {
      parts.push_back(&part);
      facts.push_back(part.facts);
      const auto& trace = recordings.emplace_back(timed(part, base));
      if (!trace) continue;
      facts.back().beginNs = trace->extent.begin;
      facts.back().endNs = trace->extent.end;
    }
  }
  const std::vector<FilePlacement> placements = placeFiles(facts);
  std::vector<FileRecord> records;
  std::vector<RankEntry> ranks;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const FilePlacement& placement = placements[i];
    const auto& trace = recordings[i];
    FileRecord& record = records.emplace_back(recordOf(*parts[i], placement, trace.get()));
    if (placement.job != 0 || !placement.rank || !trace) continue;
    record.status = FileStatus::Shown;
    record.rank = placement.rank;
    record.capture = placement.capture;
    record.rankFrom = rankSourceText(placement.from);
    if (!m_capture || *m_capture == placement.capture)
      ranks.push_back({*placement.rank, placement.capture, placement.host, deviceName(*trace), FileIndex(i),
                       trace, parts[i]->recorded.details});
  }
  records.insert(records.end(), m_notTraces.begin(), m_notTraces.end());
  std::string name = jobNameOf(m_paths, ranks);
  return std::make_shared<const TraceSet>(std::move(name), std::move(names), std::move(ranks),
                                          std::move(records), std::move(origin));
}

StringTable JobAssembly::numberedByFiles(const StringTable& names) {
  NameOrder order(names);
  for (const Slot& slot : m_slots) order.add(slot.names);
  if (order.changesNothing()) return names;
  for (Slot& slot : m_slots) {
    for (Part& part : slot.parts) {
      if (part.recorded.trace) part.recorded.trace = order.applied(*part.recorded.trace);
      part.moved = nullptr;
      part.movedBy = 0;
    }
  }
  return order.names();
}

bool JobAssembly::repeatable() const {
  return std::ranges::none_of(m_slots, [](const Slot& slot) {
    return slot.error && slot.error->kind != ErrorKind::Format && slot.error->kind != ErrorKind::NotATrace &&
           slot.found.bytes > 0;
  });
}

const Error* JobAssembly::outOfMemory() const {
  const auto slot = std::ranges::find_if(
      m_slots, [](const Slot& of) { return of.error && of.error->kind == ErrorKind::OutOfMemory; });
  return slot == m_slots.end() ? nullptr : &*slot->error;
}

Error JobAssembly::nothingRead(const std::string& searchedNames) const {
  std::vector<Error> reasons;
  for (const Slot& slot : m_slots) {
    if (slot.error)
      reasons.push_back(
          {ErrorKind::Format, slot.parts.front().facts.unreadableReason, slot.found.path, std::nullopt});
  }
  for (const FileRecord& record : m_notTraces)
    reasons.push_back({ErrorKind::Io, record.note, record.path, std::nullopt});
  const bool looked = !reasons.empty();
  for (const std::string& path : m_others.paths)
    reasons.push_back({ErrorKind::Io, "not read: no trace has such a name", path, std::nullopt});
  if (looked && reasons.size() == 1) return reasons.front();
  const std::string given = m_paths.size() == 1 ? m_paths.front() : std::string();
  const std::string none = "no trace files were found (" + searchedNames + ")";
  if (!reasons.empty()) {
    const std::string all = everyReason(reasons, m_others.count - m_others.paths.size());
    return {looked ? ErrorKind::Format : ErrorKind::Io, looked ? all : none + "; " + all, given,
            std::nullopt};
  }
  return {ErrorKind::Io, none, m_paths.empty() ? "" : m_paths.front(), std::nullopt};
}

} // namespace rankscope
