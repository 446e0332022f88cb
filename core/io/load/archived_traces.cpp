// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/archived_traces.h"

#include "core/base/natural_order.h"
#include "core/io/files/file_bytes.h"
#include "core/io/files/file_kind.h"
#include "core/io/files/shown_paths.h"
#include "core/io/load/side_loader.h"
#include "core/io/nccl/nccl_files.h"
#include "core/io/reader/trace_reader.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

// An archive may hold compressed files and archives of single ranks, but not archives of those.
constexpr int kDeepest = 2;

struct FoundArchive {
  std::string path;
  std::string relativePath; // as DiscoveredFile
};

// Names of members that no reader wants, as far as the archive was unpacked now.
struct UnwantedNames {
  static constexpr std::size_t kNamed = 3;
  std::vector<std::string> names; // at most kNamed
  std::uint64_t count = 0;

  void add(std::string_view name) {
    if (++count <= kNamed) names.emplace_back(name);
  }
};

std::string fileNameOf(const std::string& path) {
  return fs::path(path).filename().string();
}

// "node0/rank3.json" for "node0/rank3.json.zst"; "node0/job.tar.gz/rank3.json" for a file of
// "node0/job.tar.gz".
std::string placeOf(const FoundArchive& archive, const std::string& member, bool isJob) {
  if (isJob) return member;
  const fs::path place(archive.relativePath);
  const std::string name = place.filename().string();
  const bool compressedFile = name.starts_with(member) && name.size() > member.size();
  return (compressedFile ? place.parent_path() / member : place / member).generic_string();
}

// "rank3.json.zst" is shown as itself, not as the folder of "rank3.json".
void showCompressedFile(const std::string& archive, const std::string& folder) {
  const fs::path file = fs::path(folder) / fs::path(fileNameOf(archive)).stem();
  std::error_code failed;
  if (fs::path(fileNameOf(archive)).stem().has_extension() && fs::is_regular_file(file, failed))
    showPathAs(file.string(), archive);
}

bool isCompressedTrace(const std::string& name) {
  return isArchiveName(name) && fs::path(fs::path(name).stem()).extension() == ".json";
}

// Below one of the paths if it was found by a search.
std::string relativeTo(std::span<const std::string> paths, const std::string& found) {
  for (const std::string& path : paths) {
    std::string below = fs::path(found).lexically_relative(path).generic_string();
    if (!below.empty() && !below.starts_with("..")) return below;
  }
  return fileNameOf(found);
}

bool isRenamedArchive(const std::string& path) {
  const auto file = FileBytes::open(path);
  return file && isArchiveStart(startOf(*file));
}

// The archives among what was found, which leave it. Those of a folder that holds traces stay: they may be
// what the traces came from.
std::vector<FoundArchive> takeArchives(std::span<const std::string> paths, Discovery& found) {
  std::vector<FoundArchive> archives;
  std::erase_if(found.files, [&](const DiscoveredFile& file) {
    if (!isArchiveName(fileNameOf(file.path))) return false;
    archives.push_back({file.path, file.relativePath});
    return true;
  });
  // Looks at the first file alone where that is a trace.
  if (std::ranges::all_of(found.files, isRenamedArchive, &DiscoveredFile::path)) {
    for (const DiscoveredFile& file : found.files) archives.push_back({file.path, file.relativePath});
    found.files.clear();
  }
  const bool traces = !found.files.empty();
  std::erase_if(found.problems, [&](DiscoveryProblem& problem) {
    const std::string name = fileNameOf(problem.path);
    if (!problem.notATrace || !isArchiveName(name)) return false;
    if (traces && !isCompressedTrace(name)) {
      problem.reason = "an archive beside other files; open it by itself";
      return false;
    }
    archives.push_back({problem.path, relativeTo(paths, problem.path)});
    return true;
  });
  return archives;
}

class Archives {
 public:
  Archives(const ArchiveFolderSettings& settings, Progress& progress, const TraceReaders& readers)
      : m_settings(settings), m_progress(progress), m_readers(readers) {
    for (const TraceReader* reader : readers) {
      const auto own = reader->nameEndings();
      m_endings.insert(m_endings.end(), own.begin(), own.end());
    }
  }

  // Adds what the paths refer to. False on cancel.
  bool search(std::span<const std::string> paths, const FoundArchive* in, bool isJob, int depth,
              const UnwantedNames& unwanted = {}) {
    return add(discoverTraceFiles(paths, m_readers), paths, in, isJob, depth, unwanted);
  }

  // Adds what was found below the paths. False on cancel.
  bool add(Discovery found, std::span<const std::string> paths, const FoundArchive* in, bool isJob, int depth,
           const UnwantedNames& unwanted = {}) {
    std::vector<FoundArchive> archives =
        depth < kDeepest ? takeArchives(paths, found) : std::vector<FoundArchive>();
    if (in != nullptr) {
      for (DiscoveredFile& file : found.files) file.relativePath = placeOf(*in, file.relativePath, isJob);
      for (FoundArchive& archive : archives) archive.relativePath = placeOf(*in, archive.relativePath, isJob);
      // Unless it is known why.
      const bool told = std::ranges::any_of(m_all.problems, [&](const DiscoveryProblem& problem) {
        return problem.path == in->path || problem.path.starts_with(in->path + "/");
      });
      if (!told && found.files.empty() && found.beside.empty() && archives.empty() &&
          findNcclFiles(paths).empty()) {
        found.problems.push_back({in->path, whyNoTraces(found, unwanted), true});
        found.others = {}; // it names them
      }
    }
    addAll(std::move(found));
    for (const FoundArchive& archive : archives) m_progress.bytesTotal += sizeOf(archive.path);
    // A job that was packed is opened as its folder would be.
    const bool whole =
        depth == 0 && paths.size() == 1 && archives.size() == 1 && archives[0].path == paths[0];
    return std::ranges::all_of(archives,
                               [&](const FoundArchive& archive) { return open(archive, whole, depth); });
  }

  [[nodiscard]] Discovery take() {
    std::ranges::stable_sort(m_all.files, [](const DiscoveredFile& a, const DiscoveredFile& b) {
      return naturalLess(a.relativePath, b.relativePath);
    });
    std::ranges::stable_sort(m_all.problems, [](const DiscoveryProblem& a, const DiscoveryProblem& b) {
      return naturalLess(a.path, b.path);
    });
    return std::move(m_all);
  }

 private:
  static std::uint64_t sizeOf(const std::string& path) {
    std::error_code failed;
    const std::uintmax_t bytes = fs::file_size(path, failed);
    return failed ? 0 : bytes;
  }

  bool open(const FoundArchive& archive, bool isJob, int depth) {
    m_progress.stage = LoadStage::Unpacking;
    const std::uint64_t before = m_progress.bytesDone;
    UnwantedNames unwanted;
    const auto wanted = [this, &unwanted](std::string_view name) {
      const bool is = isWanted(name);
      if (!is) unwanted.add(name);
      return is;
    };
    const auto folder = archiveFolder(archive.path, m_settings, wanted, m_progress);
    if (m_progress.cancelled()) return false;
    m_progress.bytesDone = before + sizeOf(archive.path);
    if (!folder) {
      Error error = folder.error();
      if (error.file == archive.path) error.file.clear();
      m_all.problems.push_back({archive.path, error.text(), false});
      return true;
    }
    if (!folder->problem.empty()) m_all.problems.push_back({archive.path, folder->problem, false});
    for (const LeftOutMember& member : folder->leftOut)
      m_all.problems.push_back({archive.path + "/" + member.name, member.reason, false});
    showCompressedFile(archive.path, folder->path);
    m_all.unpacked.push_back(folder->path);
    return search(std::vector<std::string>{folder->path}, &archive, isJob, depth + 1, unwanted);
  }

  // What an archive holds instead, and what was looked for.
  [[nodiscard]] std::string whyNoTraces(const Discovery& found, UnwantedNames held) const {
    for (const std::string& path : found.others.paths) held.add(fileNameOf(path));
    held.count += found.others.count - found.others.paths.size();
    std::string names;
    for (const std::string& name : held.names) names += (names.empty() ? "" : ", ") + name;
    if (held.count > held.names.size())
      names += " and " + std::to_string(held.count - held.names.size()) + " more";
    return "an archive without traces" + (names.empty() ? std::string() : ": it holds " + names) +
           "; looked for " + searchedNames(m_readers);
  }

  [[nodiscard]] bool isWanted(std::string_view name) const {
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return mayBeSideFile(name) || isArchiveName(name) || mayBeNcclName(lower) ||
           std::ranges::any_of(m_endings, [&](std::string_view ending) { return lower.ends_with(ending); });
  }

  void addAll(Discovery found) {
    std::ranges::move(found.files, std::back_inserter(m_all.files));
    std::ranges::move(found.problems, std::back_inserter(m_all.problems));
    std::ranges::move(found.beside, std::back_inserter(m_all.beside));
    m_all.others.add(std::move(found.others));
  }

  const ArchiveFolderSettings& m_settings;
  Progress& m_progress;
  const TraceReaders& m_readers;
  std::vector<std::string_view> m_endings;
  Discovery m_all;
};

} // namespace

ArchiveFolderSettings archiveFolderSettings(const std::optional<TraceCacheSettings>& cache) {
  if (!cache) return {};
  return {(fs::path(cache->folder) / "archives").string(), cache->maxBytes};
}

namespace {

Result<Discovery> taken(Archives& archives, bool whole, Progress& progress) {
  if (!whole) return Error{ErrorKind::Cancelled, "cancelled", {}, std::nullopt};
  progress.stage = LoadStage::Finding;
  progress.bytesDone = 0;
  progress.bytesTotal = 0;
  return archives.take();
}

} // namespace

Result<UnpackedTrace> unpackedTrace(const DiscoveredFile& file, const ArchiveFolderSettings& settings,
                                    Progress& progress, const std::atomic<bool>* cancel) {
  const auto all = [](std::string_view) { return true; };
  const auto folder = archiveFolder(file.path, settings, all, progress, cancel);
  if (!folder) return folder.error();
  showCompressedFile(file.path, folder->path);
  UnpackedTrace arrived{file, {}};
  const fs::path unpacked = fs::path(folder->path) / fs::path(fileNameOf(file.path)).stem();
  std::error_code failed;
  arrived.file.bytes = fs::file_size(unpacked, failed);
  if (failed) return Error{ErrorKind::Format, folder->problem, file.path, std::nullopt};
  arrived.file.path = unpacked.string();
  arrived.problem = folder->problem;
  return arrived;
}

Result<Discovery> discoverWithArchives(std::span<const std::string> paths,
                                       const ArchiveFolderSettings& settings, Progress& progress,
                                       const TraceReaders& readers) {
  Archives archives(settings, progress, readers);
  const bool whole = archives.search(paths, nullptr, false, 0);
  return taken(archives, whole, progress);
}

Result<Discovery> withArchivesUnpacked(Discovery found, std::span<const std::string> paths,
                                       const ArchiveFolderSettings& settings, Progress& progress,
                                       const TraceReaders& readers) {
  Archives archives(settings, progress, readers);
  const bool whole = archives.add(std::move(found), paths, nullptr, false, 0);
  return taken(archives, whole, progress);
}

} // namespace rankscope
