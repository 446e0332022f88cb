// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/rank_events.h"

#include "core/base/unit_text.h"
#include "core/io/load/file_loader.h"
#include "core/io/load/kept_events.h"
#include "core/model/rank_digest.h"
#include "core/model/retimed.h"
#include "core/model/side_files.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

// Names of the job first, so that they keep their ids.
Result<LoadedFile> loadAfterNames(const TraceSet& job, const std::string& path, unsigned threads,
                                  Progress& progress, StringTable& names) {
  const LoadFilter filter;
  WorkQueue queue;
  NameSequencer sequencer(queue);
  sequencer.take(0, [&](StringInterner& interner) { static_cast<void>(idsInJob(interner, job.names())); });
  const auto perFile = [threads] { return threads; };
  LoadContext context{{progress, queue, perFile, filter}, sequencer, traceReaders()};
  auto loaded = loadFile(path, 1, context);
  names = sequencer.snapshot();
  return loaded;
}

// The same from where the digest keeps them.
Result<LoadedFile> keptAfterNames(const TraceSet& job, const std::string& path, const std::string& trace,
                                  unsigned threads, Progress& progress, StringTable& names) {
  auto kept = openKeptEvents(path, {}, trace, threads, progress);
  if (!kept && progress.cancelled()) return Error{ErrorKind::Cancelled, "cancelled", {}, std::nullopt};
  if (!kept) return Error{ErrorKind::Format, "the events that were kept are damaged", path, std::nullopt};
  StringInterner interner;
  static_cast<void>(idsInJob(interner, job.names()));
  std::vector<NameId> ids = idsInJob(interner, kept->names);
  names = interner.snapshot();
  return inJob(*std::move(kept), std::move(ids));
}

Error otherFile(const std::string& path, const std::string& why) {
  return {ErrorKind::Format, "this is not the trace that was digested: " + why, path, std::nullopt};
}

} // namespace

std::string digestedTrace(const TraceSet& job, RankIndex rank) {
  const std::string& path = job.file(job.rank(rank).file).path;
  if (path.find(":/") != std::string::npos) return path;
  return (fs::path(job.side().digestedIn) / path).lexically_normal().string();
}

std::optional<std::string> reachableEvents(const TraceSet& job, RankIndex rank) {
  const FileRecord& record = job.file(job.rank(rank).file);
  const SideFiles& side = job.side();
  if (!side.digestFolder.empty()) {
    std::string kept = keptEventsPath(side.digestFolder, record.path, side.digestedIn);
    if (isKeptEvents(kept)) return kept;
  }
  std::error_code failed;
  std::string local = digestedTrace(job, rank);
  if (fs::is_regular_file(local, failed)) return local;
  const std::size_t colon = local.find(":/");
  if (colon == std::string::npos) return std::nullopt;
  local.erase(0, colon + 1);
  const std::uintmax_t bytes = fs::file_size(local, failed);
  if (failed || bytes != record.bytes) return std::nullopt;
  return local;
}

Result<std::shared_ptr<const TraceSet>> withRankEvents(const TraceSet& job, RankIndex rank,
                                                       const std::string& path, unsigned threadCount,
                                                       Progress& progress) {
  const RankEntry& entry = job.rank(rank);
  const FileRecord& record = job.file(entry.file);
  progress.stage = LoadStage::Reading;
  StringTable names;
  auto loaded = isKeptEvents(path)
                    ? keptAfterNames(job, path, digestedTrace(job, rank), threadCount, progress, names)
                    : loadAfterNames(job, path, threadCount, progress, names);
  if (!loaded.ok()) return loaded.error();
  if (loaded->recordings.size() <= record.recording)
    return otherFile(path, "it has no recording " + std::to_string(record.recording + 1));
  LoadedRecording& recorded = loaded->recordings[record.recording];
  if (recorded.trace->fileEvents != entry.trace->fileEvents)
    return otherFile(path, "it has " + groupedText(static_cast<std::int64_t>(recorded.trace->fileEvents)) +
                               " events, the digest those of a trace with " +
                               groupedText(static_cast<std::int64_t>(entry.trace->fileEvents)));
  std::shared_ptr<const RankTrace> trace = recorded.trace;
  const TimeNs shift = entry.trace->metadata.baseTime - trace->metadata.baseTime;
  if (shift != 0) trace = movedInTime(*trace, shift);
  std::vector<RankEntry> ranks = job.ranks();
  ranks[rank.value].trace = std::move(trace);
  ranks[rank.value].details = std::move(recorded.details);
  auto side = std::make_shared<SideFiles>(job.side());
  if (rank.value < side->digests.size()) {
    side->readSince.resize(side->digests.size());
    side->readSince[rank.value] = std::exchange(side->digests[rank.value], nullptr);
  }
  progress.stage = LoadStage::Done;
  return std::make_shared<const TraceSet>(job.jobName(), std::move(names), std::move(ranks), job.files(),
                                          TraceOrigin(), std::move(side));
}

} // namespace rankscope
