// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/job_loader.h"

#include "core/base/caught.h"
#include "core/base/thread_team.h"
#include "core/io/digest/digest_file.h"
#include "core/io/load/archived_traces.h"
#include "core/io/load/side_loader.h"
#include "core/io/nccl/nccl_files.h"

#include <filesystem>
#include <optional>
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

// Null where none of the files is one of these.
std::shared_ptr<const TraceSet> sideAlone(const std::vector<std::string>& paths, const LoadOptions& options,
                                          Progress& progress) {
  const auto found = discoverWithArchives(paths, archiveFolderSettings(options.cache), progress);
  if (!found) return nullptr;
  std::vector<std::string> files = found->beside;
  for (const DiscoveredFile& file : found->files) files.push_back(file.path);
  const unsigned threads = options.threadCount > 0 ? options.threadCount : defaultThreadCount();
  const SideReading side = readSideFiles(files, threads, progress);
  if (side.files->empty()) return nullptr;
  return withSideFiles(TraceSet(nameOf(paths), StringTable(), {}, {}), side);
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
    return Error{ErrorKind::Unsupported, "a digest is opened with all of its captures", digest, std::nullopt};
  if (!options.filter.text().empty())
    return Error{ErrorKind::Unsupported, "a digest has no events that could be left out", digest,
                 std::nullopt};
  const unsigned threads = options.threadCount > 0 ? options.threadCount : defaultThreadCount();
  return readDigest(digest, threads, progress);
}

// paths: without files of NCCL that were named.
Result<std::shared_ptr<const TraceSet>> loadOthers(const std::vector<std::string>& paths,
                                                   const LoadOptions& options, Progress& progress,
                                                   const RanksArrived& ranksArrived) {
  auto loaded = loadTraces(paths, options, progress, ranksArrived);
  const bool mayBeOthers = !loaded.ok() && loaded.error().kind != ErrorKind::Cancelled &&
                           loaded.error().kind != ErrorKind::OutOfMemory && !paths.empty();
  if (!mayBeOthers) return loaded;
  auto alone = attempt(
      [&]() -> Result<std::shared_ptr<const TraceSet>> {
        if (auto set = sideAlone(paths, options, progress)) return set;
        if (discoverTraceFiles(paths).files.empty() && !findNcclFiles(paths).empty())
          return withoutRanks(paths);
        return loaded.error();
      },
      "to open these files");
  if (alone.ok() && progress.cancelled()) return Error{ErrorKind::Cancelled, "cancelled", {}, std::nullopt};
  if (alone.ok()) progress.stage = LoadStage::Done;
  return alone;
}

} // namespace

Result<std::shared_ptr<const TraceSet>> loadJob(const std::vector<std::string>& paths,
                                                const LoadOptions& options, Progress& progress,
                                                const RanksArrived& ranksArrived) {
  return attempt(
      [&]() -> Result<std::shared_ptr<const TraceSet>> {
        if (const auto digest = digestAmong(paths)) return loadDigest(paths, *digest, options, progress);
        // No reader of traces opens what NCCL wrote.
        const std::vector<std::string> others = withoutNcclFiles(paths);
        if (!others.empty() || paths.empty()) return loadOthers(others, options, progress, ranksArrived);
        progress.stage = LoadStage::Done;
        return withoutRanks(paths);
      },
      "to open this job");
}

} // namespace rankscope
