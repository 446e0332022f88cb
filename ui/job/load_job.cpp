// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/load_job.h"

#include "core/base/caught.h"
#include "core/base/thread_team.h"
#include "core/io/files/shown_paths.h"
#include "core/io/load/remote_traces.h"
#include "ui/base/workers.h"

#include <QFile>

#include <mutex>
#include <optional>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kReportEveryMs = 100;
constexpr int kReportsAMemoryCheck = 10;

using LoadResult = Result<std::shared_ptr<const TraceSet>>;

} // namespace

std::vector<std::string> nativePaths(const QStringList& paths) {
  std::vector<std::string> native;
  native.reserve(static_cast<std::size_t>(paths.size()));
  for (const QString& path : paths) native.push_back(QFile::encodeName(path).toStdString());
  return native;
}

// Shared by the UI thread and the worker.
struct LoadJob::Run {
  Progress progress;
  FetchProgress fetched;
  std::mutex mutex;
  std::shared_ptr<const TraceSet> arrived;      // newest, not yet delivered; guarded by mutex
  std::optional<LoadForecast> shortage;         // written by the worker before it ends
  std::shared_ptr<const RemoteContents> listed; // as shortage
  qint64 elapsed = 0;                           // as shortage
  QElapsedTimer clock;

  // Stops a load that would not fit before it reads.
  void guard(LoadOptions& options, std::uint64_t available) {
    const unsigned threads = options.threadCount > 0 ? options.threadCount : defaultThreadCount();
    options.mayRead = [this, filter = options.filter, threads,
                       available](std::span<const DiscoveredFile> files) {
      shortage = forecastShortage(files, filter, threads, available);
      return !shortage;
    };
  }

  // Stops a load that would fetch more than agreed, so that the user can choose; always if nothing was
  // agreed.
  void askForRemotes(LoadOptions& options) {
    options.chooseRemote = [this, most = options.fetchUnasked](
                               const RemoteContents& contents) -> Result<std::vector<std::size_t>> {
      auto all = chosenFiles(contents, {std::nullopt, std::nullopt, most});
      if (contents.files.empty() || (all && most > 0)) return all;
      listed = std::make_shared<const RemoteContents>(contents);
      if (!all) return all;
      return Error{ErrorKind::Unsupported, "what to fetch is to be chosen", contents.shown, std::nullopt};
    };
  }

  LoadResult work(const LoadFunction& load, const std::vector<std::string>& paths,
                  const LoadOptions& options) {
    const auto storeNewest = [this](std::shared_ptr<const TraceSet> traces) {
      const std::lock_guard lock(mutex);
      arrived = std::move(traces);
    };
    const auto open = [&] { return load(paths, options, progress, storeNewest); };
    LoadResult result = attempt(open, "to open this");
    elapsed = clock.nsecsElapsed();
    return result;
  }
};

LoadJob::LoadJob(PendingWork& pending, LoadFunction load, QObject* parent)
    : QObject(parent), m_load(std::move(load)), m_pending(pending) {
  m_timer.setInterval(kReportEveryMs);
  connect(&m_timer, &QTimer::timeout, this, &LoadJob::report);
}

LoadJob::~LoadJob() {
  giveUp();
}

void LoadJob::start(const QStringList& paths, const LoadOptions& options, std::uint64_t givenBack) {
  giveUp();
  m_running = m_pending.begin();
  m_paths = paths;
  m_options = options;
  m_memoryAtStart = m_available ? m_available().value_or(0) : 0;
  m_reports = 0;
  auto run = std::make_shared<Run>();
  run->clock.start();
  m_run = run;
  m_timer.start();

  emit started();
  if (run != m_run) return; // a listener started another one
  LoadOptions guarded = options;
  if (!guarded.chooseRemote) run->askForRemotes(guarded);
  guarded.fetched = &run->fetched; // the run outlives its work
  if (m_memoryAtStart > 0 && !guarded.mayRead) run->guard(guarded, m_memoryAtStart + givenBack);
  runOnWorker(
      this,
      [run, load = m_load, native = nativePaths(paths), guarded] { return run->work(load, native, guarded); },
      [this, run](const LoadResult& result) {
        if (run == m_run) complete(result);
      });
}

void LoadJob::cancel() {
  if (!m_run) return;
  giveUp();
  emit cancelled();
}

void LoadJob::giveUp() {
  m_timer.stop();
  if (m_run) m_run->progress.cancel.store(true);
  m_run.reset();
  m_running.release();
}

void LoadJob::report() {
  const Progress& progress = m_run->progress;
  const FetchProgress& fetched = m_run->fetched;
  emit progressed({progress.stage.load(), progress.bytesDone.load(), progress.bytesTotal.load(),
                   progress.eventsDone.load(), progress.filesDone.load(), progress.filesTotal.load(),
                   fetched.stage.load(), fetched.bytesDone.load(), fetched.bytesTotal.load(),
                   fetched.speed.load(), fetched.silence()});
  if (!m_run || stoppedForMemory()) return;
  deliverArrived();
}

bool LoadJob::stoppedForMemory() {
  if (m_memoryAtStart == 0 || ++m_reports % kReportsAMemoryCheck != 0) return false;
  const auto left = m_available();
  if (!left || *left >= memoryReserve(m_memoryAtStart)) return false;
  giveUp();
  emit ranLow(*left);
  return true;
}

void LoadJob::deliverArrived() {
  std::shared_ptr<const TraceSet> traces;
  {
    const std::lock_guard lock(m_run->mutex);
    traces = std::move(m_run->arrived);
    m_run->arrived.reset();
  }
  if (traces) emit ranksArrived(std::move(traces));
}

void LoadJob::complete(const Result<std::shared_ptr<const TraceSet>>& result) {
  const std::shared_ptr<Run> run = std::exchange(m_run, nullptr);
  const PendingWork::Token over = std::exchange(m_running, {}); // released after follow-up work has started
  m_timer.stop();
  if (run->shortage)
    emit wouldNotFit(*run->shortage);
  else if (run->listed)
    emit remoteListed(run->listed);
  else if (result)
    emit finished(*result, run->elapsed);
  else
    fail(*run, result.error());
}

// Ranks that arrived since the last report are delivered although the load failed.
void LoadJob::fail(Run& run, const Error& error) {
  if (run.arrived) emit ranksArrived(std::move(run.arrived));
  if (m_run) return; // a listener started another one
  Error shown = error;
  shown.file = shownPath(error.file);
  shown.message = withShownPaths(error.message);
  emit failed(shown);
}

} // namespace rankscope::ui
