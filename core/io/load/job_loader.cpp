// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/job_loader.h"

#include "core/base/caught.h"
#include "core/base/thread_team.h"
#include "core/io/load/archived_traces.h"
#include "core/io/load/side_loader.h"
#include "core/io/nccl/nccl_files.h"

#include <filesystem>
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
        // No reader of traces opens what NCCL wrote.
        const std::vector<std::string> others = withoutNcclFiles(paths);
        if (!others.empty() || paths.empty()) return loadOthers(others, options, progress, ranksArrived);
        progress.stage = LoadStage::Done;
        return withoutRanks(paths);
      },
      "to open this job");
}

} // namespace rankscope
