// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/cache/job_identity.h"

#include "core/base/byte_pack.h"
#include "core/base/parallel_for.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>
#include <xxhash.h>

namespace rankscope {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kSampleBytes = 4096;
// Number of sampled positions: many for a single file, at least both ends and the middle for many files.
constexpr std::size_t kMaxSamplesPerFile = 16;
constexpr std::size_t kPlacesOfAJob = 256;
constexpr std::size_t kMinSamples = 3;

std::size_t placesPerFile(std::size_t files) {
  return std::clamp(kPlacesOfAJob / std::max<std::size_t>(files, 1), kMinSamples, kMaxSamplesPerFile);
}

// Hash of pages sampled evenly from the first to the last; 0 if a page cannot be read.
std::uint64_t sampleHash(const std::string& path, std::uint64_t bytes, std::size_t places) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  // Only these pages are needed, so disable read-ahead.
  static_cast<void>(posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM));
  const std::uint64_t lastAt = bytes > kSampleBytes ? bytes - kSampleBytes : 0;
  std::uint64_t hash = 0;
  bool readable = true;
  std::array<char, kSampleBytes> sample;
  for (std::size_t i = 0; i < places && readable; ++i) {
    const std::uint64_t at = i + 1 == places ? lastAt : lastAt / (places - 1) * i;
    const ssize_t read = pread(file, sample.data(), sample.size(), static_cast<off_t>(at));
    readable = read >= 0;
    if (readable) hash = XXH3_64bits_withSeed(sample.data(), static_cast<std::size_t>(read), hash);
  }
  close(file);
  return readable ? std::max<std::uint64_t>(hash, 1) : 0;
}

void takeStamp(SourceStamp& stamp, std::size_t places) {
  std::error_code failed;
  const std::uintmax_t bytes = fs::file_size(stamp.path, failed);
  stamp.bytes = failed ? 0 : bytes;
  const fs::file_time_type changed = fs::last_write_time(stamp.path, failed);
  stamp.changed =
      failed ? 0
             : static_cast<std::int64_t>(
                   std::chrono::duration_cast<std::chrono::nanoseconds>(changed.time_since_epoch()).count());
  stamp.samples = sampleHash(stamp.path, stamp.bytes, places);
}

void takeStamps(std::vector<SourceStamp>& stamps, unsigned threadCount) {
  const std::size_t places = placesPerFile(stamps.size());
  parallelFor(stamps.size(), threadCount, [&](std::size_t i) { takeStamp(stamps[i], places); });
}

std::string absolute(const std::string& path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(path, failed);
  return failed ? path : whole.lexically_normal().string();
}

} // namespace

template <class Archive, Described<SourceStamp> T> void describe(Archive& archive, T& stamp) {
  auto& [path, absolutePath, relativePath, bytes, changed, samples] = stamp;
  archive(path, absolutePath, relativePath, bytes, changed, samples);
}

template <class Archive, Described<DiscoveryProblem> T> void describe(Archive& archive, T& problem) {
  auto& [path, reason, notATrace] = problem;
  archive(path, reason, notATrace);
}

std::uint64_t JobIdentity::sourceBytes() const {
  return std::accumulate(files.begin(), files.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const SourceStamp& file) { return sum + file.bytes; });
}

JobIdentity identityOf(std::span<const std::string> paths, const Discovery& discovery, std::string options,
                       unsigned threadCount) {
  JobIdentity identity;
  identity.paths.assign(paths.begin(), paths.end());
  for (const std::string& path : paths) identity.absolutePaths.push_back(absolute(path));
  identity.options = std::move(options);
  for (const DiscoveredFile& file : discovery.files)
    identity.files.push_back({file.path, absolute(file.path), file.relativePath, 0, 0, 0});
  identity.problems = discovery.problems;
  takeStamps(identity.files, threadCount);
  return identity;
}

bool isUnchanged(const JobIdentity& identity, unsigned threadCount) {
  std::vector<SourceStamp> now = identity.files;
  takeStamps(now, threadCount);
  return now == identity.files;
}

std::string identityBytes(const JobIdentity& identity) {
  Packer pack;
  pack(identity.paths, identity.absolutePaths, identity.options, identity.files, identity.problems);
  return pack.bytes();
}

std::string identityName(const JobIdentity& identity) {
  Packer pack;
  pack(identity.paths, identity.absolutePaths, identity.options);
  const XXH128_hash_t hash = XXH3_128bits(pack.bytes().data(), pack.bytes().size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

} // namespace rankscope
