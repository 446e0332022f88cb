// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/digest_load.h"

#include "core/base/caught.h"
#include "core/base/thread_team.h"
#include "core/io/load/kept_events.h"
#include "core/io/reader/load_filter.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace rankscope {

namespace {

using Clock = std::chrono::steady_clock;

Error outOfTime(const std::string& path) {
  return {ErrorKind::Cancelled, "not read: the time limit was reached", path, std::nullopt};
}

// Cancels the load when its time is over.
class Deadline {
 public:
  Deadline(Progress& progress, std::optional<Clock::time_point> until) {
    if (!until) return;
    if (*until <= Clock::now()) {
      progress.cancel = true;
      return;
    }
    m_watch.emplace(1, [this, &progress, when = *until] {
      std::unique_lock lock(m_mutex);
      if (!m_wake.wait_until(lock, when, [this] { return m_done; })) progress.cancel = true;
    });
  }
  ~Deadline() {
    {
      const std::lock_guard lock(m_mutex);
      m_done = true;
    }
    m_wake.notify_all();
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  std::mutex m_mutex;
  std::condition_variable m_wake;
  bool m_done = false;
  std::optional<ThreadTeam> m_watch; // ends before the rest
};

class FilesLoad {
 public:
  FilesLoad(const std::vector<std::string>& paths, const std::vector<std::string>& kept, unsigned threads)
      : m_paths(paths), m_kept(kept), m_threads(threads), m_names(m_queue) {
    // What stays of files that are not read in time; made in advance, so that workers need no memory for it.
    m_results.reserve(paths.size());
    for (const std::string& path : paths) m_results.emplace_back(outOfTime(path));
  }

  LoadedFiles run(std::optional<Clock::time_point> until) {
    {
      const Deadline deadline(m_progress, until);
      const ThreadTeam helpers(m_threads - 1, [this] { workThrough(); });
      const ThreadTeam::Membership membership(helpers);
      workThrough();
    }
    LoadedFiles loaded;
    loaded.names = m_names.snapshot();
    loaded.files = std::move(m_results);
    loaded.incomplete = m_progress.cancelled();
    loaded.known = m_known;
    loaded.notKept = std::move(m_notKept);
    return loaded;
  }

 private:
  void workThrough() noexcept {
    for (std::size_t i = m_next++; i < m_paths.size(); i = m_next++) {
      loadOne(i);
      ++m_finished;
      m_queue.wake();
    }
    m_queue.workUntil([this] { return m_finished == m_paths.size(); });
  }

  void loadOne(std::size_t index) noexcept {
    if (m_progress.cancelled()) {
      m_names.take(index, [](StringInterner&) {});
      return;
    }
    // First one thread per file; if few files are left, threads are shared inside each file.
    const auto perFile = [this] {
      const std::size_t unfinished = std::max<std::size_t>(m_paths.size() - m_finished, 1);
      return std::max(1U, static_cast<unsigned>(m_threads / unfinished));
    };
    auto lost = attempt(
        [&] {
          const std::string stamp = m_kept.empty() ? std::string() : traceStamp(m_paths[index]);
          if (!m_kept.empty() && takeKept(index, stamp, perFile())) return;
          LoadContext context{{m_progress, m_queue, perFile, m_filter}, m_names, traceReaders()};
          auto loaded = loadFile(m_paths[index], index, context);
          if (!loaded.ok() && loaded.error().kind == ErrorKind::Cancelled) return;
          m_results[index] = std::move(loaded);
          if (!m_kept.empty() && m_results[index].ok()) keep(index, stamp);
        },
        "to read this file");
    if (lost) m_results[index] = *std::move(lost);
  }

  // False if an earlier run has not kept the events of the file; its turn is not taken then.
  bool takeKept(std::size_t index, const std::string& stamp, unsigned threads) {
    auto kept = openKeptEvents(m_kept[index], stamp, m_paths[index], threads, m_progress);
    if (!kept) return false;
    std::vector<NameId> ids;
    m_names.take(index, [&](StringInterner& names) { ids = idsInJob(names, kept->names); });
    m_results[index] = inJob(*std::move(kept), std::move(ids));
    ++m_known;
    return true;
  }

  // Of a trace that changed while it was read, nothing is kept.
  void keep(std::size_t index, const std::string& stamp) {
    if (traceStamp(m_paths[index]) != stamp) return;
    auto problem = keepEvents(*m_results[index], m_names.snapshot(), m_kept[index], stamp);
    if (!problem) {
      // There, the system may take them out of memory.
      auto kept = openKeptEvents(m_kept[index], stamp, m_paths[index], 1, m_progress);
      if (kept) m_results[index] = inJob(*std::move(kept), std::move(m_results[index]->names));
      return;
    }
    const std::lock_guard lock(m_mutex);
    m_notKept.push_back(*std::move(problem));
  }

  const std::vector<std::string>& m_paths;
  const std::vector<std::string>& m_kept;
  unsigned m_threads;
  LoadFilter m_filter;
  Progress m_progress;
  WorkQueue m_queue;
  NameSequencer m_names;
  std::vector<Result<LoadedFile>> m_results;
  std::atomic<std::size_t> m_next{0};
  std::atomic<std::size_t> m_finished{0};
  std::atomic<std::size_t> m_known{0};
  std::mutex m_mutex;
  std::vector<Error> m_notKept;
};

} // namespace

LoadedFiles loadFiles(const std::vector<std::string>& paths, unsigned threadCount,
                      std::optional<Clock::time_point> until, const std::vector<std::string>& kept) {
  return FilesLoad(paths, kept, std::max(threadCount, 1U)).run(until);
}

} // namespace rankscope
