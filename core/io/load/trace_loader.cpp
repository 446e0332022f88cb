// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/trace_loader.h"

#include "core/base/parallel_for.h"
#include "core/io/kineto/trace_metadata.h"
#include "core/io/load/file_loader.h"
#include "core/io/placement/rank_files.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <mutex>
#include <new>
#include <set>

namespace rankscope {

namespace {

// One file on its way into the job.
struct FileSlot {
  DiscoveredFile found;
  FileFacts facts;
  FileRecord record;
  std::shared_ptr<const RankTrace> trace;
  bool done = false;
  bool borrowedBase = false; // its times count from the base of the other files
};

bool isDefaultGroup(const CollectiveDetail& detail, const TraceMetadata& metadata, const StringTable& names) {
  if (names[detail.groupDescription] == "default_pg" || names[detail.groupName] == "default_pg") return true;
  return metadata.worldSize && detail.groupSize == *metadata.worldSize;
}

// What the placement of files wants to know of a rank's recording.
void takeFacts(FileSlot& slot, const StringTable& names) {
  const RankTrace& trace = *slot.trace;
  FileFacts& facts = slot.facts;
  const auto narrow = [](std::optional<std::int64_t> value) {
    return value && *value >= 0 && *value <= INT32_MAX ? std::optional<int>(static_cast<int>(*value))
                                                       : std::nullopt;
  };
  facts.metadataRank = narrow(trace.metadata.rank);
  facts.metadataWorldSize = narrow(trace.metadata.worldSize);
  facts.traceName = trace.metadata.traceName;
  facts.hostName = trace.metadata.hostName;
  facts.jobName = trace.metadata.jobName;
  facts.devices = trace.devices;
  facts.deviceCount = static_cast<int>(trace.metadata.devices.size());
  facts.beginNs = trace.extent.begin;
  facts.endNs = trace.extent.end;
  facts.events = trace.fileEvents;
  facts.kineto = std::ranges::any_of(
                     trace.events.kind.span(),
                     [](EventKind kind) { return kind != EventKind::Other && kind != EventKind::Instant; }) ||
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

std::string withSentence(std::string note, std::string_view sentence) {
  if (sentence.empty()) return note;
  if (!note.empty()) note += "; ";
  return note += sentence;
}

// What was wrong first, in a few words, for the files table; the diagnostics know more.
std::string firstDiagnostics(const Diagnostics& diagnostics) {
  constexpr std::size_t kTold = 3;
  std::string text;
  const std::size_t told = std::min(kTold, diagnostics.items().size());
  for (std::size_t i = 0; i < told; ++i) {
    const Diagnostic& item = diagnostics.items()[i];
    text += (i == 0 ? "" : "; ") + item.whereAndWhat();
  }
  std::uint64_t all = 0;
  for (const std::uint64_t count : diagnostics.counts()) all += count;
  if (all > told) text += "; and " + std::to_string(all - told) + " more";
  return text;
}

std::string deviceName(const RankTrace& trace) {
  if (trace.devices.empty()) return {};
  for (const DeviceProperties& device : trace.metadata.devices) {
    if (device.id == trace.devices.front()) return device.name;
  }
  return trace.metadata.devices.empty() ? std::string() : trace.metadata.devices.front().name;
}

// A file that lost its end lost its base time too, as most versions write it last: its ranks then lie decades
// before the others. The base that the other files agree on, when it brings the recording next to theirs.
void lendBaseTime(std::vector<FileSlot>& slots) {
  constexpr TimeNs kDay = 86'400'000'000'000;
  TimeRange others;
  TimeNs base = 0;
  for (const FileSlot& slot : slots) {
    if (!slot.trace || slot.trace->metadata.baseTime == 0) continue;
    if (base != 0 && base != slot.trace->metadata.baseTime) return;
    base = slot.trace->metadata.baseTime;
    others = others.unitedWith(slot.trace->extent);
  }
  if (base == 0) return;
  const TimeRange near{others.begin - kDay, others.end + kDay};
  for (FileSlot& slot : slots) {
    if (!slot.trace || slot.trace->metadata.baseTime != 0 || slot.trace->extent.empty()) continue;
    const TimeRange own = slot.trace->extent;
    if (own.overlaps(near) || !TimeRange{own.begin + base, own.end + base}.overlaps(near)) continue;
    slot.trace = movedInTime(*slot.trace, base);
    slot.facts.beginNs = slot.trace->extent.begin;
    slot.facts.endNs = slot.trace->extent.end;
    slot.borrowedBase = true;
  }
}

// A job is called what its framework called it, else as the folder or file that was opened.
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

// What of the options decides what a TraceSet holds.
std::string cacheKeyOf(const LoadOptions& options) {
  return (options.capture ? "capture=" + std::to_string(*options.capture) + ";" : std::string()) +
         options.filter.text();
}

class JobLoad {
 public:
  JobLoad(const std::vector<std::string>& paths, const LoadOptions& options, Progress& progress,
          const RanksArrived& ranksArrived)
      : m_paths(paths), m_options(options), m_progress(progress), m_ranksArrived(ranksArrived),
        m_names(m_queue) {}

  Result<std::shared_ptr<const TraceSet>> run();

 private:
  void find();
  [[nodiscard]] bool mayRead() const;
  void loadOne(std::size_t index);
  void workThrough();
  void arrived();
  [[nodiscard]] std::shared_ptr<const TraceSet> assemble(TraceOrigin origin = {});
  [[nodiscard]] Error nothingRead() const;

  const std::vector<std::string>& m_paths;
  const LoadOptions& m_options;
  Progress& m_progress;
  const RanksArrived& m_ranksArrived;
  WorkQueue m_queue;
  NameTurns m_names;
  std::vector<FileSlot> m_slots;
  std::vector<FileRecord> m_notTraces;
  std::shared_ptr<const JobIdentity> m_identity; // null when nobody asked for it
  bool m_repeatable = true;                      // another reading of the same files finds the same
  unsigned m_threads = 1;
  std::atomic<std::size_t> m_next{0};
  std::atomic<std::size_t> m_finished{0};
  std::mutex m_mutex; // over results of slots, and publication
  std::chrono::steady_clock::time_point m_lastPublished;
};

void JobLoad::find() {
  Discovery discovery = discoverTraceFiles(m_paths);
  if (m_options.cache)
    m_identity =
        std::make_shared<const JobIdentity>(identityOf(m_paths, discovery, cacheKeyOf(m_options), m_threads));
  for (DiscoveredFile& file : discovery.files) {
    FileSlot& slot = m_slots.emplace_back();
    slot.record.path = file.path;
    slot.record.bytes = file.bytes;
    slot.facts.path = file.path;
    slot.facts.relativePath = file.relativePath;
    slot.facts.name = factsFromName(file.relativePath);
    slot.found = std::move(file);
    m_progress.bytesTotal += slot.record.bytes;
  }
  for (const DiscoveryProblem& problem : discovery.problems) {
    FileRecord& record = m_notTraces.emplace_back();
    record.path = problem.path;
    record.note = "left out: " + problem.reason;
    record.fate = problem.notATrace ? FileFate::NotATrace : FileFate::LeftOut;
  }
  m_progress.filesTotal = static_cast<std::uint32_t>(m_slots.size());
}

bool JobLoad::mayRead() const {
  if (!m_options.mayRead) return true;
  m_progress.stage = LoadStage::Finding;
  std::vector<DiscoveredFile> files;
  for (const FileSlot& slot : m_slots) files.push_back(slot.found);
  return m_options.mayRead(files);
}

void JobLoad::loadOne(std::size_t index) {
  FileSlot& slot = m_slots[index];
  // Threads go to files first; few files share them out inside each.
  const auto perFile = [this] {
    const std::size_t unfinished = m_slots.size() - m_finished;
    return std::max(1U, static_cast<unsigned>(m_threads / std::max<std::size_t>(unfinished, 1)));
  };
  LoadContext context{m_progress, m_queue, m_names, perFile, m_options.filter};
  Result<LoadedFile> loaded = loadFile(slot.found.path, index, context);
  const std::lock_guard lock(m_mutex);
  if (loaded) {
    slot.trace = loaded->trace;
    slot.record.jsonBytes = loaded->textBytes;
    slot.facts.textBytes = loaded->textBytes;
    takeFacts(slot, m_names.snapshot());
  } else {
    slot.facts.readable = false;
    const Error& error = loaded.error();
    const bool notATrace = error.kind == ErrorKind::NotATrace;
    if (notATrace) slot.record.fate = FileFate::NotATrace;
    if (error.kind != ErrorKind::Format && !notATrace && slot.found.bytes > 0) m_repeatable = false;
    slot.facts.unreadableReason =
        (error.byteOffset ? "byte " + std::to_string(*error.byteOffset) + ": " : std::string()) +
        error.message;
  }
  slot.done = true;
  ++m_progress.filesDone;
}

void JobLoad::workThrough() {
  for (std::size_t i = m_next++; i < m_slots.size(); i = m_next++) {
    if (m_progress.cancelled()) {
      m_names.take(i, [](StringInterner&) {});
    } else {
      loadOne(i);
      arrived();
    }
    ++m_finished;
    m_queue.wake();
  }
  m_queue.workUntil([this] { return m_finished == m_slots.size(); });
}

void JobLoad::arrived() {
  constexpr auto kInterval = std::chrono::milliseconds(100);
  if (!m_ranksArrived) return;
  std::shared_ptr<const TraceSet> set;
  {
    const std::lock_guard lock(m_mutex);
    const auto now = std::chrono::steady_clock::now();
    if (now - m_lastPublished < kInterval) return;
    m_lastPublished = now;
    set = assemble();
  }
  if (!set->ranks().empty()) m_ranksArrived(std::move(set));
}

std::shared_ptr<const TraceSet> JobLoad::assemble(TraceOrigin origin) {
  lendBaseTime(m_slots);
  std::vector<const FileSlot*> done;
  std::vector<FileFacts> facts;
  for (const FileSlot& slot : m_slots) {
    if (!slot.done) continue;
    done.push_back(&slot);
    facts.push_back(slot.facts);
  }
  const std::vector<FilePlacement> placements = placeFiles(facts);
  std::vector<FileRecord> records;
  std::vector<RankEntry> ranks;
  for (std::size_t i = 0; i < done.size(); ++i) {
    const FilePlacement& placement = placements[i];
    FileRecord record = done[i]->record;
    record.host = placement.host;
    record.note = placement.note;
    if (const auto& trace = done[i]->trace) {
      record.events = trace->fileEvents;
      record.extent = trace->extent;
      record.diagnostics = trace->diagnostics;
      record.repaired = trace->diagnostics.count(DiagnosticKind::Repaired);
      record.skipped = trace->diagnostics.count(DiagnosticKind::Skipped);
      if (done[i]->borrowedBase) {
        record.note =
            withSentence(std::move(record.note), "its base time is missing: taken from the other ranks");
      }
      if (trace->leftOut > 0) {
        record.note = withSentence(std::move(record.note),
                                   std::to_string(trace->leftOut) + " events were left out, as asked");
      } else if (m_options.filter.steps) {
        record.note =
            withSentence(std::move(record.note), "nothing lies outside of these steps, or none is marked");
      }
      record.note = withSentence(std::move(record.note), firstDiagnostics(trace->diagnostics));
    }
    const bool inJob = placement.job == 0 && placement.rank && done[i]->trace;
    if (placement.job > 0) {
      record.fate = FileFate::OtherJob;
      record.note = withSentence("another job: open it by itself", record.note);
    }
    if (inJob) {
      record.fate = FileFate::Shown;
      record.rank = placement.rank;
      record.capture = placement.capture;
      record.rankFrom = rankSourceText(placement.from);
      if (!m_options.capture || *m_options.capture == placement.capture) {
        ranks.push_back({*placement.rank, placement.capture, placement.host, deviceName(*done[i]->trace),
                         FileIndex(records.size()), done[i]->trace});
      }
    }
    records.push_back(std::move(record));
  }
  records.insert(records.end(), m_notTraces.begin(), m_notTraces.end());
  std::string name = jobNameOf(m_paths, ranks);
  return std::make_shared<const TraceSet>(std::move(name), m_names.snapshot(), std::move(ranks),
                                          std::move(records), std::move(origin));
}

Error JobLoad::nothingRead() const {
  const bool anyRead =
      std::ranges::any_of(m_slots, [](const FileSlot& slot) { return slot.trace != nullptr; });
  if (anyRead && m_options.capture) {
    return {ErrorKind::Io, "no rank has a capture " + std::to_string(*m_options.capture), m_paths.front(),
            std::nullopt};
  }
  for (const FileSlot& slot : m_slots) {
    if (!slot.facts.readable)
      return {ErrorKind::Format, slot.facts.unreadableReason, slot.found.path, std::nullopt};
  }
  if (!m_notTraces.empty())
    return {ErrorKind::Io, m_notTraces.front().note, m_notTraces.front().path, std::nullopt};
  return {ErrorKind::Io, "no trace files were found (*.json, *.json.gz)",
          m_paths.empty() ? "" : m_paths.front(), std::nullopt};
}

Result<std::shared_ptr<const TraceSet>> JobLoad::run() {
  m_progress.stage = LoadStage::Finding;
  m_threads = m_options.threadCount > 0 ? m_options.threadCount : defaultThreadCount();
  find();
  if (m_identity != nullptr) {
    if (auto cached = openCachedTraces(*m_options.cache, m_identity, m_threads, m_progress)) {
      m_progress.filesDone = static_cast<std::uint32_t>(m_slots.size());
      m_progress.eventsDone = cached->eventCount();
      m_progress.stage = LoadStage::Done;
      return cached;
    }
  }
  if (!mayRead()) return Error{ErrorKind::Cancelled, "cancelled", {}, std::nullopt};
  m_progress.stage = LoadStage::Reading;
  parallelFor(m_threads, m_threads, [this](std::size_t) { workThrough(); });
  if (m_progress.cancelled()) return Error{ErrorKind::Cancelled, "cancelled", {}, std::nullopt};
  m_progress.stage = LoadStage::Placing;
  auto set = assemble({m_repeatable ? m_identity : nullptr, false});
  if (set->ranks().empty()) return nothingRead();
  m_progress.stage = LoadStage::Done;
  return set;
}

} // namespace

Result<std::shared_ptr<const TraceSet>> loadTraces(const std::vector<std::string>& paths,
                                                   const LoadOptions& options, Progress& progress,
                                                   const RanksArrived& ranksArrived) {
  return JobLoad(paths, options, progress, ranksArrived).run();
}

} // namespace rankscope
