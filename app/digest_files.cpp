// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/digest_files.h"

#include "app/digest_messages.h"
#include "core/base/hash.h"
#include "core/base/natural_order.h"
#include "core/io/cache/job_identity.h"
#include "core/io/cache/trace_members.h"
#include "core/io/load/trace_readers.h"
#include "core/io/nccl/nccl_files.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// A file, and a hash of its size, time and samples: 0 if not asked.
struct ListedFile {
  DiscoveredFile file;
  std::uint64_t state = 0;
};

// What one process found on its host.
struct Listing {
  std::string host;
  std::vector<ListedFile> files;
  std::vector<ListedFile> beside;
  std::vector<ListedFile> logs;
  std::vector<DiscoveryProblem> problems;
};

} // namespace

template <class Archive, Described<DiscoveredFile> T> void describe(Archive& archive, T& file) {
  auto& [path, relativePath, bytes, rank] = file;
  archive(path, relativePath, bytes, rank);
}

template <class Archive, Described<DiscoveryProblem> T> void describe(Archive& archive, T& problem) {
  auto& [path, reason, notATrace] = problem;
  archive(path, reason, notATrace);
}

template <class Archive, Described<ListedFile> T> void describe(Archive& archive, T& listed) {
  auto& [file, state] = listed;
  archive(file, state);
}

template <class Archive, Described<Listing> T> void describe(Archive& archive, T& listing) {
  auto& [host, files, beside, logs, problems] = listing;
  archive(host, files, beside, logs, problems);
}

template <class Archive, Described<DigestFile> T> void describe(Archive& archive, T& file) {
  auto& [found, path, process] = file;
  archive(found, path, process);
}

namespace {

std::vector<ListedFile> listed(std::vector<DiscoveredFile> files, bool asked) {
  std::vector<ListedFile> all;
  all.reserve(files.size());
  for (DiscoveredFile& file : files) all.push_back({std::move(file), 0});
  if (!asked) return all;
  Discovery found;
  for (const ListedFile& of : all) found.files.push_back(of.file);
  const std::vector<SourceStamp> stamps = identityOf({}, found, {}, 1).files;
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].state = hashOf(stamps[i].bytes, stamps[i].changed, stamps[i].samples);
  return all;
}

// Files that are no traces, as discovered ones.
std::vector<DiscoveredFile> sized(const std::vector<std::string>& paths) {
  std::vector<DiscoveredFile> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) {
    std::error_code failed;
    const std::uintmax_t bytes = std::filesystem::file_size(path, failed);
    files.push_back({path, path, failed ? 0 : bytes, {}});
  }
  return files;
}

Listing listingOf(const DigestOptions& options, const std::string& host) {
  const std::vector<std::string> paths = withoutNcclFiles(options.paths);
  Discovery found = discoverTraceFiles(paths);
  Listing listing{host,
                  listed(std::move(found.files), options.local),
                  listed(sized(found.beside), options.local),
                  {},
                  std::move(found.problems)};
  if (options.local) listing.logs = listed(sized(findNcclFiles(options.paths)), true);
  return listing;
}

std::string pathOnHost(const std::string& host, const std::string& path) {
  return host + ":" + std::filesystem::absolute(path).lexically_normal().string();
}

// What hosts have of one kind, each file once: a folder that several hosts see has the same files on all of
// them.
class JoinedFiles {
 public:
  // members: the processes of the host. isAlone: there is no other host.
  void add(const std::string& host, std::vector<ListedFile> files, const std::vector<std::size_t>& members,
           bool isAlone) {
    for (ListedFile& of : files) {
      if (!m_known.emplace(of.file.path, of.state).second) {
        ++m_again;
        continue;
      }
      std::string path = of.file.path;
      DigestFile file{std::move(of.file), std::move(path), 0};
      if (!isAlone) {
        file.found.path = pathOnHost(host, file.path);
        file.found.relativePath = host + "/" + file.found.relativePath;
      }
      m_files.push_back({std::move(file), members});
    }
  }

  // Files that were there before.
  [[nodiscard]] std::size_t again() const { return m_again; }

  // In natural order of that path, or as added, each given to a process of its host.
  std::vector<DigestFile> dealt(std::string DiscoveredFile::*order, std::size_t processCount) {
    if (order != nullptr)
      std::ranges::stable_sort(m_files, [&](const Found& a, const Found& b) {
        return naturalLess(a.file.found.*order, b.file.found.*order);
      });
    std::vector<DigestFile> files;
    std::vector<std::vector<std::size_t>> processes;
    for (Found& found : m_files) {
      files.push_back(std::move(found.file));
      processes.push_back(std::move(found.processes));
    }
    dealFiles(files, processes, processCount);
    return files;
  }

 private:
  struct Found {
    DigestFile file;
    std::vector<std::size_t> processes;
  };
  std::vector<Found> m_files;
  std::set<std::tuple<std::string, std::uint64_t>> m_known;
  std::size_t m_again = 0;
};

// listings: by process; forAll: of the first one alone, whose files all see.
void joinListings(std::vector<Listing> listings, bool forAll, std::size_t processCount, JobFiles& job) {
  std::map<std::string, std::vector<std::size_t>> ofHost;
  for (std::size_t p = 0; p < listings.size(); ++p) ofHost[listings[p].host].push_back(p);
  JoinedFiles files;
  JoinedFiles beside;
  JoinedFiles logs;
  std::set<std::string> problems;
  for (auto& [host, members] : ofHost) {
    Listing& listing = listings[members.front()];
    const std::vector<std::size_t> one{members.front()};
    if (forAll) {
      members.resize(processCount);
      std::iota(members.begin(), members.end(), std::size_t{0});
    }
    const bool isAlone = ofHost.size() == 1;
    files.add(host, std::move(listing.files), members, isAlone);
    beside.add(host, std::move(listing.beside), members, isAlone);
    logs.add(host, std::move(listing.logs), one, isAlone); // a host's logs are read in their order
    for (DiscoveryProblem& problem : listing.problems) {
      if (!problems.insert(problem.path).second) continue;
      if (!isAlone) problem.path = pathOnHost(host, problem.path);
      job.discovery.problems.push_back(std::move(problem));
    }
  }
  if (const std::size_t again = files.again(); again > 0)
    job.notes.push_back(std::to_string(again) + " files are seen by several hosts; each is read once");
  job.files = files.dealt(forAll ? nullptr : &DiscoveredFile::relativePath, processCount);
  job.beside = beside.dealt(&DiscoveredFile::path, processCount);
  job.logs = logs.dealt(&DiscoveredFile::path, processCount);
  for (const DigestFile& file : job.files) job.discovery.files.push_back(file.found);
  for (const DigestFile& file : job.beside) job.discovery.beside.push_back(file.found.path);
}

} // namespace

std::vector<std::string> JobFiles::ownPaths() const {
  std::vector<std::string> paths;
  paths.reserve(own.size());
  for (const std::size_t i : own) paths.push_back(files[i].path);
  return paths;
}

JobFiles agreedFiles(const DigestOptions& options, DigestTeam& team) {
  JobFiles job;
  std::vector<Listing> listings;
  if (options.local) {
    for (const std::string& bytes : team.gather(packed(listingOf(options, team.host()))))
      listings.push_back(unpacked<Listing>(bytes));
  } else if (team.index() == 0) {
    listings.push_back(listingOf(options, team.host()));
  }
  if (team.index() == 0) joinListings(std::move(listings), !options.local, team.size(), job);
  job.files = unpacked<std::vector<DigestFile>>(team.broadcast(packed(job.files)));
  job.logs = unpacked<std::vector<DigestFile>>(team.broadcast(packed(job.logs)));
  for (std::size_t i = 0; i < job.files.size(); ++i)
    if (job.files[i].process == team.index()) job.own.push_back(i);
  return job;
}

} // namespace rankscope
