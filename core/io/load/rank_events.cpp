// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/rank_events.h"

#include "core/base/thread_team.h"
#include "core/base/unit_text.h"
#include "core/io/load/file_loader.h"
#include "core/io/load/kept_events.h"
#include "core/io/load/name_sequencer.h"
#include "core/io/reader/load_filter.h"
#include "core/model/rank_digest.h"
#include "core/model/retimed.h"
#include "core/model/side_files.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

// Reads files one after the other, each with all threads.
class EventFiles {
 public:
  // Names of the job first, so that they keep their ids.
  EventFiles(const TraceSet& job, unsigned threadCount, Progress& progress)
      : m_threads(std::max(threadCount, 1U)), m_progress(progress), m_names(m_queue),
        m_helpers(m_threads - 1, [this] { m_queue.workUntil([this] { return m_done.load(); }); }) {
    m_names.take(m_turn++, [&](StringInterner& names) { static_cast<void>(idsInJob(names, job.names())); });
  }
  ~EventFiles() {
    m_done = true;
    m_queue.wake();
  }
  EventFiles(const EventFiles&) = delete;
  EventFiles& operator=(const EventFiles&) = delete;

  // trace: where arguments of kept events are.
  Result<LoadedFile> read(const std::string& path, const std::string& trace) {
    if (isKeptEvents(path)) return kept(path, trace);
    const auto perFile = [this] { return m_threads; };
    LoadContext context{{m_progress, m_queue, perFile, m_filter}, m_names, traceReaders()};
    return loadFile(path, m_turn++, context);
  }

  [[nodiscard]] StringTable names() const { return m_names.snapshot(); }

 private:
  Result<LoadedFile> kept(const std::string& path, const std::string& trace) {
    auto file = openKeptEvents(path, {}, trace, m_threads, m_progress);
    if (!file && m_progress.cancelled()) return Error{ErrorKind::Cancelled, "cancelled", {}, std::nullopt};
    if (!file) return Error{ErrorKind::Format, "the events that were kept are damaged", path, std::nullopt};
    std::vector<NameId> ids;
    m_names.take(m_turn++, [&](StringInterner& names) { ids = idsInJob(names, file->names); });
    return inJob(*std::move(file), std::move(ids));
  }

  unsigned m_threads;
  Progress& m_progress;
  LoadFilter m_filter;
  WorkQueue m_queue;
  NameSequencer m_names;
  std::size_t m_turn = 0;
  std::atomic<bool> m_done{false};
  ThreadTeam m_helpers; // ends before the rest
};

Error otherFile(const std::string& path, const std::string& why) {
  return {ErrorKind::Format, "this is not the trace that was digested: " + why, path, std::nullopt};
}

// Takes a recording of the file, on the times of the digest.
std::optional<Error> takeEvents(LoadedFile& loaded, const std::string& path, const FileRecord& record,
                                RankEntry& entry) {
  if (loaded.recordings.size() <= record.recording)
    return otherFile(path, "it has no recording " + std::to_string(record.recording + 1));
  LoadedRecording& recorded = loaded.recordings[record.recording];
  const auto eventsText = [](const RankTrace& trace) {
    return groupedText(static_cast<std::int64_t>(trace.fileEvents));
  };
  if (recorded.trace->fileEvents != entry.trace->fileEvents)
    return otherFile(path, "it has " + eventsText(*recorded.trace) +
                               " events, the digest those of a trace with " + eventsText(*entry.trace));
  std::shared_ptr<const RankTrace> trace = recorded.trace;
  const TimeNs shift = entry.trace->metadata.baseTime - trace->metadata.baseTime;
  if (shift != 0) trace = movedInTime(*trace, shift);
  entry.trace = std::move(trace);
  entry.details = recorded.details;
  return std::nullopt;
}

} // namespace

std::string digestedTrace(const TraceSet& job, RankIndex rank) {
  const std::string& path = job.file(job.rank(rank).file).path;
  if (path.find(":/") != std::string::npos) return path;
  return (fs::path(job.side().digestedIn) / path).lexically_normal().string();
}

std::optional<std::string> reachableTrace(const TraceSet& job, RankIndex rank) {
  std::error_code failed;
  std::string local = digestedTrace(job, rank);
  if (fs::is_regular_file(local, failed)) return local;
  const std::size_t colon = local.find(":/");
  if (colon == std::string::npos) return std::nullopt;
  local.erase(0, colon + 1);
  const std::uintmax_t bytes = fs::file_size(local, failed);
  if (failed || bytes != job.file(job.rank(rank).file).bytes) return std::nullopt;
  return local;
}

std::optional<std::string> reachableEvents(const TraceSet& job, RankIndex rank) {
  const SideFiles& side = job.side();
  if (!side.digestFolder.empty()) {
    std::string kept = keptEventsPath(side.digestFolder, job.file(job.rank(rank).file).path, side.digestedIn);
    if (isKeptEvents(kept)) return kept;
  }
  return reachableTrace(job, rank);
}

bool hasArguments(const TraceSet& job, RankIndex rank) {
  const auto& since = job.side().readSince;
  const bool wasDigest = rank.value < since.size() && since[rank.value] != nullptr;
  return !wasDigest || reachableTrace(job, rank).has_value();
}

Result<std::shared_ptr<const TraceSet>> withRankEvents(const TraceSet& job, std::span<const RankToRead> ranks,
                                                       unsigned threadCount, Progress& progress) {
  progress.stage = LoadStage::Reading;
  std::map<std::string, std::vector<RankIndex>> byFile;
  for (const RankToRead& of : ranks) byFile[of.path].push_back(of.rank);
  std::vector<RankEntry> entries = job.ranks();
  auto side = std::make_shared<SideFiles>(job.side());
  side->readSince.resize(side->digests.size());
  EventFiles files(job, threadCount, progress);
  for (const auto& [path, members] : byFile) {
    const RankIndex first = members.front();
    auto loaded = files.read(path, reachableTrace(job, first).value_or(digestedTrace(job, first)));
    if (!loaded.ok()) return loaded.error();
    for (const RankIndex rank : members) {
      auto problem = takeEvents(*loaded, path, job.file(job.rank(rank).file), entries[rank.value]);
      if (problem) return *std::move(problem);
      if (rank.value < side->digests.size() && side->digests[rank.value] != nullptr)
        side->readSince[rank.value] = std::exchange(side->digests[rank.value], nullptr);
    }
  }
  progress.stage = LoadStage::Done;
  return std::make_shared<const TraceSet>(job.jobName(), files.names(), std::move(entries), job.files(),
                                          TraceOrigin(), std::move(side));
}

} // namespace rankscope
