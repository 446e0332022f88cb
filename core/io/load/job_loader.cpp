// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/job_loader.h"

#include "core/base/caught.h"
#include "core/base/thread_team.h"
#include "core/io/digest/digest_file.h"
#include "core/io/files/file_kind.h"
#include "core/io/load/archived_traces.h"
#include "core/io/load/missing_capture.h"
#include "core/io/load/remote_traces.h"
#include "core/io/load/side_loader.h"
#include "core/io/nccl/nccl_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

std::string nameOf(const std::vector<std::string>& paths) {
  std::error_code failed;
  std::filesystem::path path = std::filesystem::absolute(paths.front(), failed).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (paths.size() > 1) path = path.parent_path();
  return path.filename().string();
}

Result<Discovery> foundIn(const std::vector<std::string>& paths, const LoadOptions& options,
                          Progress& progress) {
  if (options.arriving != nullptr) return options.arriving->files();
  return discoverWithArchives(paths, archiveFolderSettings(options.cache), progress);
}

// What an error about several files says of this one; empty: it is not named.
std::string reasonOf(const std::string& path, const Error& failure) {
  if (failure.file == path) return failure.message;
  const std::string line = "\n  " + path + ": ";
  const std::size_t at = failure.message.find(line);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + line.size();
  const std::string reason = failure.message.substr(begin, failure.message.find('\n', begin) - begin);
  constexpr std::string_view kLead = "not loaded: ";
  return reason.starts_with(kLead) ? reason.substr(kLead.size()) : reason;
}

// A record of each file that could have been a trace, where none is one. An error names the first hundred.
std::vector<FileRecord> refusedFiles(const Discovery& found, const Error& failure) {
  std::map<std::string, std::string> reasons; // by path
  for (const DiscoveryProblem& problem : found.problems) reasons[problem.path] = problem.reason;
  for (const DiscoveredFile& file : found.files) reasons[file.path] = reasonOf(file.path, failure);
  std::vector<FileRecord> records;
  for (const auto& [path, reason] : reasons) {
    FileRecord& record = records.emplace_back();
    record.path = path;
    record.status = FileStatus::NotATrace;
    record.note = reason.empty() ? "not a profiler trace" : reason;
    std::error_code failed;
    const auto bytes = std::filesystem::file_size(path, failed);
    if (!failed) record.bytes = bytes;
  }
  return records;
}

// Says of snapshots and dumps why they cannot be read, instead of that they are no traces.
void nameDamage(const std::vector<SideNote>& notes, Error& failure) {
  constexpr std::string_view kNotLoaded = ": not loaded: ";
  for (const SideNote& note : notes) {
    if (note.note.empty()) continue;
    if (failure.file == note.path) {
      failure.message = note.note;
      continue;
    }
    const std::size_t at = failure.message.find(note.path + std::string(kNotLoaded));
    if (at == std::string::npos) continue;
    const std::size_t reason = at + note.path.size() + kNotLoaded.size();
    const std::size_t end = std::min(failure.message.find('\n', reason), failure.message.size());
    failure.message.replace(reason, end - reason, note.note);
  }
}

// Null where none of the files is one of these. failure: what is said then.
std::shared_ptr<const TraceSet> sideAlone(const std::vector<std::string>& paths, const LoadOptions& options,
                                          Progress& progress, Error& failure) {
  const auto found = foundIn(paths, options, progress);
  if (!found) return nullptr;
  std::vector<std::string> files = found->beside;
  for (const DiscoveredFile& file : found->files) files.push_back(file.path);
  const unsigned threads = options.threadCount > 0 ? options.threadCount : defaultThreadCount();
  const SideReading side = readSideFiles(files, threads, progress);
  if (side.files->empty()) {
    nameDamage(side.notes, failure);
    return nullptr;
  }
  return withSideFiles(TraceSet(nameOf(paths), StringTable(), {}, refusedFiles(*found, failure)), side);
}

std::shared_ptr<const TraceSet> withoutRanks(const std::vector<std::string>& paths) {
  return std::make_shared<const TraceSet>(nameOf(paths), StringTable(), std::vector<RankEntry>(),
                                          std::vector<FileRecord>());
}

// The file of the first digest.
std::optional<std::string> digestAmong(const std::vector<std::string>& paths) {
  for (const std::string& path : paths)
    if (auto file = digestFileOf(path)) return file;
  return std::nullopt;
}

// Logs of NCCL may be named beside it.
Result<std::shared_ptr<const TraceSet>> loadDigest(const std::vector<std::string>& paths,
                                                   const std::string& digest, const LoadOptions& options,
                                                   Progress& progress) {
  if (withoutNcclFiles(paths).size() > 1)
    return Error{ErrorKind::Unsupported, "a digest is a whole job: open it alone", digest, std::nullopt};
  if (options.capture)
    return Error{
        ErrorKind::Unsupported,
        "a digest is opened with all of its captures: for one of them, open its traces or digest them alone",
        digest, std::nullopt};
  if (!options.filter.text().empty())
    return Error{ErrorKind::Unsupported, "a digest has no events that could be left out", digest,
                 std::nullopt};
  const unsigned threads = options.threadCount > 0 ? options.threadCount : defaultThreadCount();
  return readDigest(digest, threads, progress);
}

// Null where there are traces, though none that could be opened, or no logs.
std::shared_ptr<const TraceSet> logsAlone(const std::vector<std::string>& paths, const LoadOptions& options,
                                          Progress& progress) {
  const auto found = foundIn(paths, options, progress);
  const bool damaged = !found || std::ranges::any_of(found->problems, [](const DiscoveryProblem& problem) {
    return isArchiveName(std::filesystem::path(problem.path).filename().string()) && !problem.notATrace;
  });
  if (damaged || !found->files.empty()) return nullptr;
  std::vector<std::string> all = paths;
  all.insert(all.end(), found->unpacked.begin(), found->unpacked.end());
  return findNcclFiles(all).empty() ? nullptr : withoutRanks(paths);
}

// paths: without files of NCCL that were named.
Result<std::shared_ptr<const TraceSet>> loadOthers(const std::vector<std::string>& paths,
                                                   const LoadOptions& options, Progress& progress,
                                                   const RanksArrived& ranksArrived) {
  auto loaded = loadTraces(paths, options, progress, ranksArrived);
  const bool mayBeOthers = !loaded.ok() && loaded.error().kind != ErrorKind::Cancelled &&
                           loaded.error().kind != ErrorKind::OutOfMemory &&
                           !isMissingCapture(loaded.error()) && !paths.empty();
  if (!mayBeOthers) return loaded;
  auto alone = attempt(
      [&]() -> Result<std::shared_ptr<const TraceSet>> {
        Error failure = loaded.error();
        if (auto set = sideAlone(paths, options, progress, failure)) return set;
        if (auto logs = logsAlone(paths, options, progress)) return logs;
        return failure;
      },
      "to open these files");
  if (alone.ok() && progress.cancelled()) return Error{ErrorKind::Cancelled, "cancelled", {}, std::nullopt};
  if (alone.ok()) progress.stage = LoadStage::Done;
  return alone;
}

// Files of remotes are fetched while they are read.
Result<std::shared_ptr<const TraceSet>> loadRemote(const std::vector<std::string>& paths,
                                                   const LoadOptions& options, Progress& progress,
                                                   const RanksArrived& ranksArrived) {
  auto job = RemoteJob::prepare(paths, options, progress);
  if (!job) return job.error();
  LoadOptions arriving = options;
  arriving.arriving = job->get();
  return loadOthers((*job)->localPaths(), arriving, progress, ranksArrived);
}

} // namespace

Result<Discovery> foundFiles(const std::vector<std::string>& paths, const LoadOptions& options,
                             Progress& progress) {
  if (std::ranges::none_of(paths, isRemotePath))
    return discoverWithArchives(paths, archiveFolderSettings(options.cache), progress);
  auto job = RemoteJob::prepare(paths, options, progress);
  if (!job) return job.error();
  (*job)->start({});
  if (auto problem = (*job)->finish()) return std::move(*problem);
  return (*job)->files();
}

Result<std::shared_ptr<const TraceSet>> loadJob(const std::vector<std::string>& paths,
                                                const LoadOptions& options, Progress& progress,
                                                const RanksArrived& ranksArrived) {
  return attempt(
      [&]() -> Result<std::shared_ptr<const TraceSet>> {
        if (const auto digest = digestAmong(paths)) return loadDigest(paths, *digest, options, progress);
        if (std::ranges::any_of(paths, isRemotePath))
          return loadRemote(paths, options, progress, ranksArrived);
        // No reader of traces opens what NCCL wrote.
        const std::vector<std::string> others = withoutNcclFiles(paths);
        if (!others.empty() || paths.empty()) return loadOthers(others, options, progress, ranksArrived);
        progress.stage = LoadStage::Done;
        return withoutRanks(paths);
      },
      "to open this job");
}

} // namespace rankscope
