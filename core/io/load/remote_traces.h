// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs that lie elsewhere: what a remote has, found by the same names as in a folder, and which of it to
// fetch; then a load that reads files while others are still on their way. Paths that name no remote stay
// paths. Blocks on rclone; thread-safe.
#pragma once

#include "core/io/load/trace_loader.h"
#include "core/io/remote/remote_folder.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

enum class RemoteUse : std::uint8_t {
  Trace,
  Archive,
  Beside, // a snapshot, a dump or a log
};

struct RemoteEntry {
  RemoteFile file;
  RemoteUse use = RemoteUse::Trace;
  std::optional<int> rank; // as its name says; empty: unknown
  int capture = 0;         // 0: unknown
  std::string node;        // may be empty
  bool here = false;       // fetched before, and unchanged
};

struct RemoteContents {
  std::string shown;              // the remote, without credentials
  std::vector<RemoteEntry> files; // in natural order; what no name calls for is left out
  std::vector<DiscoveryProblem> problems;
  std::size_t others = 0; // files left out

  [[nodiscard]] std::uint64_t bytes() const;
  // To fetch of these; those that are here take nothing.
  [[nodiscard]] std::uint64_t missingBytes(std::span<const std::size_t> chosen) const;
};

// Which files of a remote.
struct RemoteChoice {
  std::optional<std::set<int>> ranks; // empty: all. Files of unknown rank are always chosen
  std::optional<int> capture;
  std::uint64_t maxBytes = kFetchUnasked; // to fetch
};

// Whether the path is the name of a remote and no file here.
[[nodiscard]] bool isRemotePath(const std::string& path);

// Pure: by names only. oneFile: it was named itself, so that its name does not matter.
[[nodiscard]] RemoteContents remoteContents(std::string shown, std::span<const RemoteFile> listed,
                                            bool oneFile, const TraceReaders& readers = traceReaders());

// An Error if more than maxBytes would be fetched, or nothing is chosen.
[[nodiscard]] Result<std::vector<std::size_t>> chosenFiles(const RemoteContents& contents,
                                                           const RemoteChoice& choice);

// Where remotes are kept: beside the cache, or for a while if there is none.
[[nodiscard]] RemoteFolderSettings remoteFolderSettings(const std::optional<TraceCacheSettings>& cache);

// Paths of which at least one names a remote, listed, with what was chosen of each.
class RemoteJob : public ArrivingFiles {
 public:
  // An Error if a remote cannot be listed, nothing is chosen, or on cancel.
  [[nodiscard]] static Result<std::unique_ptr<RemoteJob>>
  prepare(const std::vector<std::string>& paths, const LoadOptions& options, Progress& progress);
  ~RemoteJob() override;

  // The paths, each remote replaced by the folder of its files.
  [[nodiscard]] const std::vector<std::string>& localPaths() const;

  [[nodiscard]] const Discovery& files() const override;
  void start(std::function<void()> changed) override;
  [[nodiscard]] bool decided(std::size_t file) const override;
  [[nodiscard]] std::optional<Error> problem(std::size_t file) const override;
  [[nodiscard]] std::optional<Error> finish() override;

 private:
  struct State;
  explicit RemoteJob(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

} // namespace rankscope
