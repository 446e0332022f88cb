// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/rank_events.h"

#include "core/base/unit_text.h"
#include "core/io/load/file_loader.h"
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
  sequencer.take(0, [&](StringInterner& interner) {
    for (std::size_t i = 0; i < job.names().size(); ++i)
      static_cast<void>(interner.intern(job.names()[NameId(i)]));
  });
  const auto perFile = [threads] { return threads; };
  LoadContext context{{progress, queue, perFile, filter}, sequencer, traceReaders()};
  auto loaded = loadFile(path, 1, context);
  names = sequencer.snapshot();
  return loaded;
}

Error otherFile(const std::string& path, const std::string& why) {
  return {ErrorKind::Format, "this is not the trace that was digested: " + why, path, std::nullopt};
}

} // namespace

std::optional<std::string> reachableTrace(const TraceSet& job, RankIndex rank) {
  const FileRecord& record = job.file(job.rank(rank).file);
  std::error_code failed;
  if (fs::is_regular_file(record.path, failed)) return record.path;
  const std::size_t colon = record.path.find(":/");
  if (colon == std::string::npos) return std::nullopt;
  std::string local = record.path.substr(colon + 1);
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
  auto loaded = loadAfterNames(job, path, threadCount, progress, names);
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
  if (rank.value < side->digests.size()) side->digests[rank.value] = nullptr;
  progress.stage = LoadStage::Done;
  return std::make_shared<const TraceSet>(job.jobName(), std::move(names), std::move(ranks), job.files(),
                                          TraceOrigin(), std::move(side));
}

} // namespace rankscope
