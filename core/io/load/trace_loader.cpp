// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/trace_loader.h"

#include "core/base/caught.h"
#include "core/base/thread_team.h"
#include "core/io/load/archived_traces.h"
#include "core/io/load/file_loader.h"
#include "core/io/load/job_assembly.h"
#include "core/io/load/job_places.h"
#include "core/io/load/missing_capture.h"
#include "core/io/load/rank_choice.h"
#include "core/io/load/side_loader.h"
#include "core/io/reader/trace_reader.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace rankscope {

namespace {

constexpr std::chrono::milliseconds kBetweenPublications{100};

// Options that change the contents of a TraceSet.
std::string cacheKeyOf(const LoadOptions& options) {
  std::string key = options.capture ? "capture=" + std::to_string(*options.capture) + ";" : std::string();
  key += options.filter.text();
  if (options.readers == nullptr) return key;
  for (const TraceReader* reader : *options.readers)
    key.append("format=").append(reader->format()).append(";");
  return key;
}

class JobLoad {
 public:
  JobLoad(const std::vector<std::string>& paths, const LoadOptions& options, Progress& progress,
          const RanksArrived& ranksArrived)
      : m_paths(paths), m_options(options), m_progress(progress), m_ranksArrived(ranksArrived),
        m_readers(options.readers != nullptr ? *options.readers : traceReaders()), m_names(m_queue) {}

  // Files that arrive refer to it until they have.
  ~JobLoad() {
    if (m_arriving) static_cast<void>(attempt([this] { return m_options.arriving->finish(); }));
  }
  JobLoad(const JobLoad&) = delete;
  JobLoad& operator=(const JobLoad&) = delete;

  Result<std::shared_ptr<const TraceSet>> run();

 private:
  // A file to read, and its turn among those that are read.
  struct Claim {
    std::size_t index = 0;
    std::size_t turn = 0;
  };

  [[nodiscard]] bool find(); // false on cancel
  void identify(const Discovery& discovery);
  [[nodiscard]] bool allHere() const;
  void startArriving();
  [[nodiscard]] std::optional<Error> arrived(std::size_t index);
  [[nodiscard]] Result<LoadedFile> load(const Claim& claimed, LoadContext& context);
  // The job with the files beside its recordings: those that are no traces.
  [[nodiscard]] std::shared_ptr<const TraceSet> withSide(std::shared_ptr<const TraceSet> job) const;
  [[nodiscard]] bool mayRead() const;
  [[nodiscard]] bool mayClaim() const;
  [[nodiscard]] std::optional<Claim> tryClaim();
  [[nodiscard]] std::optional<Claim> claim();
  void wait(const std::function<bool()>& done);
  void loadOne(const Claim& claimed) noexcept;
  void workThrough() noexcept;
  void workTogether();
  void publish(std::chrono::milliseconds sinceLast) noexcept;

  const std::vector<std::string>& m_paths;
  const LoadOptions& m_options;
  Progress& m_progress;
  const RanksArrived& m_ranksArrived;
  const TraceReaders& m_readers;
  std::vector<std::string> m_beside; // files of folders that may lie beside traces
  std::vector<int> m_leftOut;        // ranks that were found and not chosen
  std::size_t m_problems = 0;        // of the files that were found, before any arrived
  bool m_arriving = false;           // startArriving() was called
  WorkQueue m_queue;
  NameSequencer m_names;
  std::optional<JobAssembly> m_job;              // under m_mutex while files are read
  std::shared_ptr<const JobIdentity> m_identity; // null if the cache is off
  unsigned m_threads = 1;
  std::atomic<unsigned> m_atWork{1};
  mutable std::mutex m_claimMutex;    // protects what follows
  std::vector<std::size_t> m_waiting; // files that no thread reads yet, in their order
  std::size_t m_claims = 0;
  std::atomic<std::size_t> m_finished{0};
  std::mutex m_mutex;          // protects the job and publication
  std::optional<Error> m_lost; // why a file could not be added after it was read
  bool m_unpublished = false;  // whether something arrived since
  std::chrono::steady_clock::time_point m_lastPublished;
};

void JobLoad::identify(const Discovery& discovery) {
  if (m_options.cache)
    m_identity =
        std::make_shared<const JobIdentity>(identityOf(m_paths, discovery, cacheKeyOf(m_options), m_threads));
}

bool JobLoad::find() {
  const Result<Discovery> found =
      m_options.arriving != nullptr
          ? Result<Discovery>(m_options.arriving->files())
          : discoverWithArchives(m_paths, archiveFolderSettings(m_options.cache), m_progress, m_readers);
  if (!found) return false;
  Discovery discovery = *found;
  m_beside = discovery.beside;
  m_problems = discovery.problems.size();
  rememberPlaces(m_paths, discovery.unpacked);
  if (allHere()) identify(discovery);
  // Of files on their way those of these ranks were chosen.
  const std::vector<int>& ranks = m_options.filter.ranks;
  if (!ranks.empty() && m_options.arriving == nullptr)
    discovery.files = filesOfRanks(discovery.files, ranks, m_threads, m_readers, discovery.leftOut);
  m_leftOut.assign(discovery.leftOut.begin(), discovery.leftOut.end());
  m_job.emplace(m_paths, discovery, m_options.capture, m_options.filter.steps.has_value());
  for (const DiscoveredFile& file : discovery.files) m_progress.bytesTotal += file.bytes;
  m_progress.filesTotal = static_cast<std::uint32_t>(m_job->size());
  m_waiting.resize(m_job->size());
  std::iota(m_waiting.begin(), m_waiting.end(), std::size_t{0});
  return true;
}

std::shared_ptr<const TraceSet> JobLoad::withSide(std::shared_ptr<const TraceSet> job) const {
  std::set<std::string> paths(m_beside.begin(), m_beside.end());
  for (const FileRecord& file : job->files()) {
    const bool other = file.status == FileStatus::NotATrace || file.status == FileStatus::Beside;
    if (other) paths.insert(file.path);
  }
  if (!paths.empty()) {
    const std::vector<std::string> all(paths.begin(), paths.end());
    job = withSideFiles(*job, readSideFiles(all, m_threads, m_progress));
  }
  return m_leftOut.empty() ? job : withRanksLeftOut(*job, m_leftOut);
}

bool JobLoad::allHere() const {
  if (m_options.arriving == nullptr) return true;
  for (std::size_t i = 0; i < m_options.arriving->files().files.size(); ++i)
    if (!m_options.arriving->decided(i)) return false;
  return true;
}

void JobLoad::startArriving() {
  if (m_options.arriving == nullptr || std::exchange(m_arriving, true)) return;
  m_options.arriving->start([this] { m_queue.wake(); });
}

bool JobLoad::mayClaim() const {
  const std::lock_guard lock(m_claimMutex);
  if (m_waiting.empty() || m_options.arriving == nullptr || m_progress.cancelled()) return true;
  return std::ranges::any_of(m_waiting,
                             [this](std::size_t index) { return m_options.arriving->decided(index); });
}

// The first file that is here. Does not allocate.
std::optional<JobLoad::Claim> JobLoad::tryClaim() {
  const std::lock_guard lock(m_claimMutex);
  const bool any = m_options.arriving == nullptr || m_progress.cancelled();
  const auto found = std::ranges::find_if(
      m_waiting, [&](std::size_t index) { return any || m_options.arriving->decided(index); });
  if (found == m_waiting.end()) return std::nullopt;
  const Claim claimed{*found, m_claims++};
  m_waiting.erase(found);
  return claimed;
}

// Waits for files that are on their way. Empty when all are read or being read.
std::optional<JobLoad::Claim> JobLoad::claim() {
  while (true) {
    if (const auto claimed = tryClaim()) return claimed;
    {
      const std::lock_guard lock(m_claimMutex);
      if (m_waiting.empty()) return std::nullopt;
    }
    wait([this] { return mayClaim(); });
  }
}

// Works for others meanwhile, and publishes what has arrived when its time has come.
void JobLoad::wait(const std::function<bool()>& done) {
  while (!done()) {
    std::optional<std::chrono::steady_clock::time_point> due;
    if (m_ranksArrived) {
      const std::lock_guard lock(m_mutex);
      if (m_unpublished) due = m_lastPublished + kBetweenPublications;
    }
    m_queue.workUntil(done, due);
    if (due && !done()) publish(kBetweenPublications);
  }
}

// Why the file is not here after all. What is compressed is unpacked first, and lies elsewhere then.
std::optional<Error> JobLoad::arrived(std::size_t index) {
  if (auto problem = m_options.arriving->problem(index)) return problem;
  DiscoveredFile file = m_options.arriving->files().files[index];
  const std::lock_guard lock(m_mutex);
  m_progress.bytesTotal += file.bytes - m_job->file(index).bytes;
  m_job->foundAt(index, std::move(file));
  return std::nullopt;
}

Result<LoadedFile> JobLoad::load(const Claim& claimed, LoadContext& context) {
  if (m_options.arriving != nullptr) {
    // Whatever happens, the turn of its names must be taken.
    if (auto problem = attempt([&] { return arrived(claimed.index); })) {
      m_names.take(claimed.turn, [](StringInterner&) {});
      return std::move(*problem);
    }
  }
  return loadFile(m_job->file(claimed.index).path, claimed.turn, context);
}

bool JobLoad::mayRead() const {
  if (!m_options.mayRead) return true;
  m_progress.stage = LoadStage::Finding;
  std::vector<DiscoveredFile> files;
  for (std::size_t i = 0; i < m_job->size(); ++i) files.push_back(m_job->file(i));
  return m_options.mayRead(files);
}

void JobLoad::loadOne(const Claim& claimed) noexcept {
  // First one thread per file; if few files are left, threads are shared inside each file.
  const auto perFile = [this] {
    const std::size_t unfinished = m_job->size() - m_finished;
    return std::max(1U, static_cast<unsigned>(m_atWork / std::max<std::size_t>(unfinished, 1)));
  };
  LoadContext context{{m_progress, m_queue, perFile, m_options.filter}, m_names, m_readers};
  constexpr std::string_view kToDo = "to read this file";
  auto loaded = attempt([&] { return load(claimed, context); }, kToDo);
  const std::lock_guard lock(m_mutex);
  auto lost = attempt([&] { m_job->arrived(claimed.index, loaded, m_names.snapshot()); }, kToDo);
  if (lost && !m_lost) m_lost = std::move(lost);
  if (m_options.arriving != nullptr && loaded) m_job->keepNames(claimed.index, std::move(loaded->names));
  m_unpublished = true;
  ++m_progress.filesDone;
}

void JobLoad::workThrough() noexcept {
  while (const auto claimed = claim()) {
    if (m_progress.cancelled()) {
      m_names.take(claimed->turn, [](StringInterner&) {});
    } else {
      loadOne(*claimed);
      publish(kBetweenPublications);
    }
    ++m_finished;
    m_queue.wake();
  }
  wait([this] { return m_finished == m_job->size(); });
}

// Uses as many threads as requested and available.
void JobLoad::workTogether() {
  m_atWork = std::min(m_threads, defaultThreadCount()); // until the number of started threads is known
  const ThreadTeam helpers(m_threads - 1, [this] { workThrough(); });
  const ThreadTeam::Membership membership(helpers);
  m_atWork = static_cast<unsigned>(helpers.size() + 1);
  workThrough();
}

void JobLoad::publish(std::chrono::milliseconds sinceLast) noexcept {
  if (!m_ranksArrived) return;
  // An intermediate set that cannot be shown is no loss: the end of the load reports the result or the error.
  static_cast<void>(attempt([&] {
    std::shared_ptr<const TraceSet> set;
    {
      const std::lock_guard lock(m_mutex);
      const auto now = std::chrono::steady_clock::now();
      if (now - m_lastPublished < sinceLast) return;
      m_lastPublished = now;
      m_unpublished = false;
      set = m_job->traces(m_names.snapshot());
    }
    if (!set->ranks().empty()) m_ranksArrived(std::move(set));
  }));
}

Result<std::shared_ptr<const TraceSet>> JobLoad::run() {
  const Error cancelled{ErrorKind::Cancelled, "cancelled", {}, std::nullopt};
  m_progress.stage = LoadStage::Finding;
  m_threads = m_options.threadCount > 0 ? m_options.threadCount : defaultThreadCount();
  if (!find()) return cancelled;
  if (m_identity != nullptr) {
    const auto details = [this](const FileRecord& file) { return detailsOf(file, m_readers); };
    if (auto cached = openCachedTraces(*m_options.cache, m_identity, m_threads, m_progress, details)) {
      startArriving(); // files beside the traces
      if (m_options.arriving != nullptr) static_cast<void>(m_options.arriving->finish());
      cached = withSide(std::move(cached));
      if (m_progress.cancelled()) return cancelled;
      m_progress.filesDone = m_progress.filesTotal.load();
      m_progress.eventsDone = cached->eventCount();
      m_progress.stage = LoadStage::Done;
      return cached;
    }
  }
  if (m_job->size() == 0 && !m_options.filter.ranks.empty())
    return Error{ErrorKind::Io, "no file is of the ranks that were chosen", m_paths.front(), std::nullopt};
  if (!mayRead()) return cancelled;
  m_progress.stage = LoadStage::Reading;
  std::optional<Error> notFetched;
  startArriving();
  workTogether();
  if (m_options.arriving != nullptr) {
    notFetched = m_options.arriving->finish();
    const std::vector<DiscoveryProblem>& problems = m_options.arriving->files().problems;
    for (std::size_t i = m_problems; i < problems.size(); ++i) m_job->addProblem(problems[i]);
    if (m_identity == nullptr && !notFetched && !m_progress.cancelled())
      identify(m_options.arriving->files());
  }
  if (m_progress.cancelled()) return cancelled;
  m_progress.stage = LoadStage::Placing;
  const Error* const lost = m_lost ? &*m_lost : m_job->outOfMemory();
  if (lost != nullptr) {
    publish({}); // publish everything that has arrived
    return *lost;
  }
  StringTable names = m_names.snapshot();
  if (m_options.arriving != nullptr) names = m_job->numberedByFiles(names);
  auto set = m_job->traces(std::move(names), {m_job->repeatable() ? m_identity : nullptr, false});
  if (set->ranks().empty() && notFetched) return *notFetched;
  if (set->ranks().empty() && m_options.capture) {
    if (auto missing = missingCapture(set->files(), *m_options.capture, m_paths.front())) return *missing;
  }
  if (set->ranks().empty()) return m_job->nothingRead(searchedNames(m_readers));
  set = withSide(std::move(set));
  if (m_progress.cancelled()) return cancelled;
  m_progress.stage = LoadStage::Done;
  return set;
}

} // namespace

Result<std::shared_ptr<const TraceSet>> loadTraces(const std::vector<std::string>& paths,
                                                   const LoadOptions& options, Progress& progress,
                                                   const RanksArrived& ranksArrived) {
  return attempt([&] { return JobLoad(paths, options, progress, ranksArrived).run(); }, "to open this job");
}

} // namespace rankscope
