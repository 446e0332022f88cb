// SPDX-License-Identifier: GPL-3.0-or-later
// Loads a TraceSet from paths: finds the files, reads them in parallel with the reader of their format,
// builds each rank and places it in the job; or opens the job from the cache. Blocks; uses the caller's
// thread and up to threadCount - 1 others. The same input gives the same TraceSet for any number of threads,
// with and without the cache.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/io/cache/trace_cache.h"
#include "core/io/files/trace_folder.h"
#include "core/io/load/trace_readers.h"
#include "core/io/reader/load_filter.h"
#include "core/io/remote/fetch_progress.h"
#include "core/model/trace_set.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

// Trace files that are on their way to this machine while those that are here are read.
class ArrivingFiles {
 public:
  ArrivingFiles() = default;
  virtual ~ArrivingFiles() = default;
  ArrivingFiles(const ArrivingFiles&) = delete;
  ArrivingFiles& operator=(const ArrivingFiles&) = delete;

  // All files, with the places where they will be.
  [[nodiscard]] virtual const Discovery& files() const = 0;
  // Called once, before the files are read. changed: to be called, by any thread, whenever a file was
  // decided.
  virtual void start(std::function<void()> changed) = 0;
  // Whether the file is here, or will never be.
  [[nodiscard]] virtual bool decided(std::size_t file) const = 0;
  // Why a decided file is not here.
  [[nodiscard]] virtual std::optional<Error> problem(std::size_t file) const = 0;
  // Waits until nothing more will arrive. An Error if not everything did.
  [[nodiscard]] virtual std::optional<Error> finish() = 0;
};

struct RemoteContents; // core/io/load/remote_traces.h

inline constexpr std::uint64_t kFetchUnasked = 2'000'000'000;

struct LoadOptions {
  unsigned threadCount = 0;   // 0: one per core
  std::optional<int> capture; // load only this capture of every rank
  // Cache to read from. Storing a job is up to the caller (writeTraceCache).
  std::optional<TraceCacheSettings> cache = std::nullopt;
  LoadFilter filter = {};                // what to exclude
  const TraceReaders* readers = nullptr; // formats to read; null: all
  // Called on the caller's thread before any file is read, if the cache does not have the job. If it returns
  // false, the load ends as if it had been cancelled.
  std::function<bool(std::span<const DiscoveredFile>)> mayRead = {};
  // Called on the caller's thread when a remote was listed, before anything is fetched: which of its files to
  // fetch, or why the load ends. Null: all, if no more than fetchUnasked bytes are to be fetched.
  std::function<Result<std::vector<std::size_t>>(const RemoteContents&)> chooseRemote = {};
  std::uint64_t fetchUnasked = kFetchUnasked;
  FetchProgress* fetched = nullptr; // told how far fetching is
  // Set by loadJob. Null: all files are here.
  ArrivingFiles* arriving = nullptr;
};

// Called on a worker while ranks arrive, at most ten times per second, with a growing set.
using RanksArrived = std::function<void(std::shared_ptr<const TraceSet>)>;

// An Error only if nothing could be read or the load was cancelled. A single unreadable file is reported as a
// FileRecord with a note.
[[nodiscard]] Result<std::shared_ptr<const TraceSet>> loadTraces(const std::vector<std::string>& paths,
                                                                 const LoadOptions& options,
                                                                 Progress& progress,
                                                                 const RanksArrived& ranksArrived = {});

} // namespace rankscope
