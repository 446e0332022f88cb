// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/kept_events.h"

#include "core/base/byte_pack.h"
#include "core/io/cache/job_identity.h"
#include "core/io/cache/trace_cache.h"
#include "core/io/cache/trace_image.h"
#include "core/io/cache/trace_members.h"
#include "core/io/load/name_order.h"
#include "core/io/load/trace_readers.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <xxhash.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

// No file of the cache is taken for one.
std::uint64_t keptFingerprint() {
  constexpr std::uint64_t kKept = 0x7374706563786572;
  return traceImageFingerprint() ^ kKept;
}

// What a LoadedFile has besides its traces, before the directory of their image.
struct KeptHead {
  std::string format;
  std::uint64_t textBytes = 0;
  std::vector<RecordingOrigin> origins; // by recording
  std::string image;
};

} // namespace

template <class Archive, Described<KeptHead> T> void describe(Archive& archive, T& head) {
  auto& [format, textBytes, origins, image] = head;
  archive(format, textBytes, origins, image);
}

std::string keptEventsPath(const std::string& digestFolder, const std::string& tracePath,
                           const std::string& workingFolder) {
  // Of another host, a path is "host:/path".
  const bool ofHost = tracePath.find(":/") != std::string::npos;
  const std::string whole =
      ofHost ? tracePath : (fs::path(workingFolder) / tracePath).lexically_normal().string();
  const std::string name =
      fmt::format("{:016x}.events", static_cast<std::uint64_t>(XXH3_64bits(whole.data(), whole.size())));
  return (fs::path(digestFolder) / kKeptEventsFolder / name).string();
}

std::string traceStamp(const std::string& tracePath) {
  Discovery one;
  one.files.push_back({tracePath, {}, 0, {}});
  const SourceStamp stamp = identityOf({}, one, {}, 1).files.front();
  Packer packer;
  packer(stamp.bytes, stamp.changed, stamp.samples);
  return packer.takeBytes();
}

bool isKeptEvents(const std::string& path) {
  CheckedFile file;
  return CheckedFile::open(path, keptFingerprint(), file) == CheckedFileState::Whole;
}

std::optional<KeptFile> openKeptEvents(const std::string& path, std::string_view stamp,
                                       const std::string& tracePath, unsigned threadCount,
                                       Progress& progress) {
  CheckedFile file;
  if (CheckedFile::open(path, keptFingerprint(), file) != CheckedFileState::Whole ||
      (!stamp.empty() && file.identity() != stamp) ||
      !file.verify(threadCount, [&](std::uint64_t) { return !progress.cancelled(); }))
    return std::nullopt;
  KeptHead head;
  Unpacker unpacker(file.directory());
  unpacker(head);
  if (!unpacker.ok() || !unpacker.atEnd()) return std::nullopt;
  const auto details = [&](const FileRecord& record) {
    FileRecord of = record;
    of.format = head.format;
    of.path = tracePath;
    return detailsOf(of, traceReaders());
  };
  const auto traces = readTraceImage(file, {}, threadCount, details, head.image);
  if (traces == nullptr || traces->ranks().empty() || traces->ranks().size() != head.origins.size())
    return std::nullopt;
  KeptFile kept;
  kept.names = traces->names();
  kept.loaded.format = std::move(head.format);
  kept.loaded.textBytes = head.textBytes;
  for (std::size_t i = 0; i < head.origins.size(); ++i) {
    const RankEntry& entry = traces->ranks()[i];
    kept.loaded.recordings.push_back({entry.trace, entry.details, std::move(head.origins[i])});
  }
  return kept;
}

std::vector<NameId> idsInJob(StringInterner& job, const StringTable& names) {
  std::vector<NameId> ids;
  ids.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) ids.push_back(job.intern(names[NameId(i)]));
  return ids;
}

LoadedFile inJob(KeptFile kept, std::vector<NameId> ids) {
  for (LoadedRecording& recording : kept.loaded.recordings)
    recording.trace = withNameIds(*recording.trace, ids);
  kept.loaded.names = std::move(ids);
  return std::move(kept.loaded);
}

void removeAbandoned(const std::string& digestFolder) {
  std::error_code failed;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator file(fs::path(digestFolder) / kKeptEventsFolder, failed), end;
       !failed && file != end; file.increment(failed))
    if (file->path().extension() == ".part") abandoned.push_back(file->path());
  for (const fs::path& file : abandoned) fs::remove(file, failed);
}

std::optional<Error> keepEvents(const LoadedFile& loaded, const StringTable& names, const std::string& path,
                                const std::string& stamp) {
  std::error_code failed;
  const fs::path folder = fs::path(path).parent_path();
  fs::create_directories(folder, failed);
  if (failed)
    return Error{ErrorKind::Io, "cannot make this folder: " + failed.message(), folder.string(),
                 std::nullopt};
  NameOrder own(names);
  own.add(loaded.names);
  KeptHead head{loaded.format, loaded.textBytes, {}, {}};
  std::vector<RankEntry> ranks;
  std::vector<FileRecord> files(loaded.recordings.size());
  for (std::size_t i = 0; i < loaded.recordings.size(); ++i) {
    const LoadedRecording& recording = loaded.recordings[i];
    files[i].recording = static_cast<std::uint32_t>(i);
    head.origins.push_back(recording.origin);
    ranks.push_back(
        {static_cast<int>(i), 1, {}, {}, FileIndex(i), own.applied(*recording.trace), recording.details});
  }
  const TraceSet traces(std::string(), own.names(), std::move(ranks), std::move(files));
  CheckedFileWriter file(path, stamp, 0666);
  const std::atomic<bool> cancel{false};
  head.image = writeTraceImage(traces, file, cancel);
  Packer directory;
  directory(head);
  if (file.finish(directory.bytes(), keptFingerprint())) return std::nullopt;
  return Error{ErrorKind::Io, "cannot write: " + std::generic_category().message(file.error()), path,
               std::nullopt};
}

} // namespace rankscope
