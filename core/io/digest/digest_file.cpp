// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/digest/digest_file.h"

#include "core/base/deflated.h"
#include "core/io/cache/checked_file.h"
#include "core/io/cache/trace_members.h"
#include "core/io/digest/flight_image.h"
#include "core/io/digest/nccl_image.h"
#include "core/io/digest/rank_image.h"
#include "core/model/side_files.h"

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include <xxhash.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

// Incremented when the results or records of a digest change.
constexpr std::uint64_t kDigestVersion = 14;

// Digests are read by programs with the same version of the format and the same memory layout.
std::uint64_t fingerprint() {
  constexpr std::uint64_t kDigest = 0x7473656769640000; // "digest", so that no cache file is taken for one
  const std::array<std::uint64_t, 6> parts{
      kDigest,       kDigestVersion,       static_cast<std::uint64_t>(std::endian::native),
      sizeof(void*), sizeof(DeviceDetail), alignof(DeviceDetail)};
  return XXH3_64bits(parts.data(), sizeof parts);
}

struct Place {
  std::uint64_t at = 0;
  std::uint64_t bytes = 0;
};

// A DigestEntry whose bytes lie in the file.
struct PlacedEntry {
  int rank = 0;
  int capture = 1;
  std::string host;
  std::string gpu;
  FileIndex file;
  Place image;
  Place account;
  Place answers;
};

Error damaged(const std::string& file, std::string why) {
  return {ErrorKind::Format, std::move(why), file, std::nullopt};
}

} // namespace

template <class Archive, Described<Place> T> void describe(Archive& archive, T& place) {
  auto& [at, bytes] = place;
  archive(at, bytes);
}

template <class Archive, Described<PlacedEntry> T> void describe(Archive& archive, T& entry) {
  auto& [rank, capture, host, gpu, file, image, account, answers] = entry;
  archive(rank, capture, host, gpu, file, image, account, answers);
}

namespace {

// Whether the ranks are sorted, as a TraceSet is, and of files that exist.
bool areInOrder(const std::vector<PlacedEntry>& ranks, std::size_t files) {
  const auto key = [](const PlacedEntry& entry) { return std::tuple(entry.rank, entry.capture, entry.file); };
  return std::ranges::all_of(ranks, [&](const PlacedEntry& entry) { return entry.file.value < files; }) &&
         std::ranges::is_sorted(ranks, {}, key);
}

// Adds one rank after the other to a job.
class JobBuilder {
 public:
  explicit JobBuilder(const StringTable& names = {}) {
    for (std::size_t i = 0; i < names.size(); ++i) static_cast<void>(m_names.intern(names[NameId(i)]));
  }

  // False if the bytes are damaged. entry: a DigestEntry or PlacedEntry.
  template <class Entry>
  bool add(const Entry& entry, std::string_view image, std::string_view account, std::string_view answers,
           const std::shared_ptr<const void>& owner) {
    auto opened = openedRank(image, account, answers, owner, m_names);
    if (!opened) return false;
    m_ranks.push_back(
        {entry.rank, entry.capture, entry.host, entry.gpu, entry.file, std::move(opened->trace)});
    m_side->digests.push_back(std::move(opened->digest));
    return true;
  }

  void takePlaces(std::string digestFolder, std::string madeIn) {
    m_side->digestFolder = std::move(digestFolder);
    m_side->digestedIn = std::move(madeIn);
  }

  // False if they are damaged.
  bool takeDumps(const std::vector<std::string>& flights, std::vector<int> unreadable) {
    for (const std::string& bytes : flights) {
      auto record = unpackedFlight(bytes);
      const bool follows =
          record && record->rank &&
          (m_side->flightRecords.empty() || *record->rank > *m_side->flightRecords.back().rank);
      if (!follows) return false;
      m_side->flightRecords.push_back(*std::move(record));
    }
    m_side->unreadableDumps = std::move(unreadable);
    return std::ranges::is_sorted(m_side->unreadableDumps);
  }

  void takeBeside(std::string rows, std::string findings, std::shared_ptr<const NcclRecords> nccl) {
    m_side->digestedRows = std::move(rows);
    m_side->digestedFindings = std::move(findings);
    m_side->ncclRecords = std::move(nccl);
  }

  [[nodiscard]] std::shared_ptr<const TraceSet> take(std::string name, std::vector<FileRecord> files) {
    return std::make_shared<const TraceSet>(std::move(name), m_names.snapshot(), std::move(m_ranks),
                                            std::move(files), TraceOrigin(), std::move(m_side));
  }

 private:
  StringInterner m_names;
  std::vector<RankEntry> m_ranks;
  std::shared_ptr<SideFiles> m_side = std::make_shared<SideFiles>();
};

Result<std::shared_ptr<const TraceSet>> jobOf(const CheckedFile& file, const std::string& path) {
  std::string version;
  std::string name;
  std::string madeIn;
  std::vector<FileRecord> files;
  std::vector<PlacedEntry> placed;
  Unpacker directory(file.directory());
  std::string sideRows;
  std::string sideFindings;
  std::string logs;
  std::vector<std::string> flights;
  std::vector<int> unreadable;
  directory(version, name, madeIn, files, placed, sideRows, sideFindings, logs, flights, unreadable);
  auto rows = inflated(sideRows);
  auto nccl = logs.empty() ? nullptr : unpackedNccl(logs);
  const auto hasStatus = [](const FileRecord& of) { return of.status <= FileStatus::Beside; };
  if (!directory.ok() || !directory.atEnd() || !rows || (nccl == nullptr && !logs.empty()) ||
      !std::ranges::all_of(files, hasStatus) || !areInOrder(placed, files.size()))
    return damaged(path, "the directory of this digest is damaged");
  const auto bytesAt = [&](const Place& place) {
    const auto bytes = file.data(place.at, place.bytes);
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  JobBuilder builder;
  builder.takePlaces(fs::path(path).parent_path().string(), std::move(madeIn));
  builder.takeBeside(*std::move(rows), std::move(sideFindings), std::move(nccl));
  if (!builder.takeDumps(flights, std::move(unreadable)))
    return damaged(path, "the Flight Recorder dumps in this digest are damaged");
  for (const PlacedEntry& entry : placed)
    if (!builder.add(entry, bytesAt(entry.image), bytesAt(entry.account), bytesAt(entry.answers),
                     file.owner()))
      return damaged(path, "the digest of rank " + std::to_string(entry.rank) + " is damaged");
  return builder.take(std::move(name), std::move(files));
}

} // namespace

std::optional<std::string> digestFileOf(const std::string& path) {
  std::error_code failed;
  if (fs::path(path).filename() == kDigestFileName && fs::is_regular_file(path, failed)) return path;
  const fs::path inside = fs::path(path) / kDigestFileName;
  if (fs::is_directory(path, failed) && fs::is_regular_file(inside, failed)) return inside.string();
  return std::nullopt;
}

Result<std::shared_ptr<const TraceSet>> openedDigest(const DigestJob& job, const StringTable& names) {
  JobBuilder builder(names);
  builder.takePlaces({}, job.madeIn);
  builder.takeBeside(job.sideRows, job.sideFindings, job.ncclRecords);
  if (!builder.takeDumps(job.flights, job.unreadableDumps))
    return damaged(job.name, "its Flight Recorder dumps are damaged");
  for (const DigestEntry& entry : job.ranks) {
    const auto viewOf = [](const std::shared_ptr<const std::string>& bytes) {
      return bytes ? std::string_view(*bytes) : std::string_view();
    };
    const auto owner = std::make_shared<const DigestEntry>(entry);
    if (!builder.add(entry, *entry.image, viewOf(entry.account), viewOf(entry.answers), owner))
      return damaged(job.files[entry.file.value].path, "its digest is damaged");
  }
  return builder.take(job.name, job.files);
}

std::optional<Error> writeDigest(const DigestJob& job, const std::string& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  const std::string path = (fs::path(folder) / kDigestFileName).string();
  if (failed)
    return Error{ErrorKind::Io, "cannot make this folder: " + failed.message(), folder, std::nullopt};
  CheckedFileWriter file(path, RANKSCOPE_VERSION, 0666);
  std::vector<PlacedEntry> placed;
  placed.reserve(job.ranks.size());
  for (const DigestEntry& entry : job.ranks) {
    const auto place = [&](const std::string& bytes) {
      return Place{file.addData(std::as_bytes(std::span(bytes))), bytes.size()};
    };
    placed.push_back({entry.rank, entry.capture, entry.host, entry.gpu, entry.file, place(*entry.image),
                      entry.account ? place(*entry.account) : Place(),
                      entry.answers ? place(*entry.answers) : Place()});
  }
  Packer directory;
  directory(std::string(RANKSCOPE_VERSION), job.name, job.madeIn, job.files, placed, deflated(job.sideRows),
            job.sideFindings, job.ncclRecords ? packedNccl(*job.ncclRecords) : std::string(), job.flights,
            job.unreadableDumps);
  if (file.finish(directory.bytes(), fingerprint())) return std::nullopt;
  return Error{ErrorKind::Io, "cannot write: " + std::generic_category().message(file.error()), path,
               std::nullopt};
}

Result<std::shared_ptr<const TraceSet>> readDigest(const std::string& path, unsigned threadCount,
                                                   Progress& progress) {
  progress.stage = LoadStage::Reading;
  CheckedFile file;
  switch (CheckedFile::open(path, fingerprint(), file)) {
  case CheckedFileState::Absent:
    return Error{ErrorKind::Io, "no such file", path, std::nullopt};
  case CheckedFileState::Foreign:
    return Error{ErrorKind::Unsupported,
                 "this digest was written by another version of Rankscope: digest the traces again with "
                 "version " RANKSCOPE_VERSION ", or open it with the version that wrote it",
                 path, std::nullopt};
  case CheckedFileState::Damaged:
    return damaged(path, "this is not a whole digest");
  case CheckedFileState::Whole:
    break;
  }
  progress.bytesTotal = file.size();
  const auto proceed = [&](std::uint64_t bytes) {
    progress.bytesDone += bytes;
    return !progress.cancelled();
  };
  const bool whole = file.verify(threadCount, proceed);
  if (progress.cancelled()) return Error{ErrorKind::Cancelled, "cancelled", {}, std::nullopt};
  if (!whole) return damaged(path, "this digest is damaged: its checksums do not match");
  auto job = jobOf(file, path);
  if (job.ok()) progress.stage = LoadStage::Done;
  return job;
}

} // namespace rankscope
