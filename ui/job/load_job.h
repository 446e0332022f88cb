// SPDX-License-Identifier: GPL-3.0-or-later
// Loads traces on a worker, one job at a time: start() cancels the current run, and nothing of a canceled
// run is reported (each run is an object of its own, and only the current one is connected). A 10 Hz timer
// reads the run's atomics and delivers the newest TraceSet, so the worker never calls into the UI. UI
// thread. Cancel and destructor return at once; the worker owns its data and stops at its next check of the
// cancel flag. If free memory is known, a job that would not fit is not read, and one that uses too much
// memory is stopped.
#pragma once

#include "core/io/load/job_loader.h"
#include "core/io/load/load_forecast.h"
#include "core/io/load/trace_loader.h"
#include "ui/base/pending_work.h"

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::ui {

[[nodiscard]] std::vector<std::string> nativePaths(const QStringList& paths);

// loadTraces, or what a test puts in its place.
using LoadFunction = std::function<Result<std::shared_ptr<const TraceSet>>(
    const std::vector<std::string>& paths, const LoadOptions& options, Progress& progress,
    const RanksArrived& ranksArrived)>;

// A snapshot of Progress.
struct LoadSnapshot {
  LoadStage stage = LoadStage::Finding;
  std::uint64_t bytesDone = 0;
  std::uint64_t bytesTotal = 0;
  std::uint64_t eventsDone = 0;
  std::uint32_t filesDone = 0;
  std::uint32_t filesTotal = 0;
  FetchProgress::Stage fetching = FetchProgress::Stage::None;
  std::uint64_t fetchedBytes = 0; // from remotes
  std::uint64_t fetchBytes = 0;
  std::uint64_t fetchSpeed = 0;                       // per second
  std::optional<FetchProgress::Silence> silence = {}; // of a remote that does not answer
};

class LoadJob : public QObject {
  Q_OBJECT
 public:
  LoadJob(PendingWork& pending, LoadFunction load, QObject* parent = nullptr);
  ~LoadJob() override;

  // Called when a job starts and once a second. Empty by default: memory is not checked.
  void setMemory(MemoryFunction available) { m_available = std::move(available); }

  // Emits started(), then progressed() and ranksArrived() any number of times, then exactly one of
  // finished(), failed(), cancelled(), wouldNotFit(), remoteListed() and ranLow(), unless a later start()
  // replaces it. Options with their own mayRead are not checked against free memory. givenBack: bytes that
  // will be freed when this job replaces the open one.
  void start(const QStringList& paths, const LoadOptions& options = {}, std::uint64_t givenBack = 0);
  // Emits cancelled() when something was running.
  void cancel();

  [[nodiscard]] bool running() const { return m_run != nullptr; }
  // Of the running or last job.
  [[nodiscard]] const QStringList& paths() const { return m_paths; }
  [[nodiscard]] const LoadOptions& options() const { return m_options; }

 signals:
  void started();
  void progressed(const rankscope::ui::LoadSnapshot& snapshot);
  void ranksArrived(std::shared_ptr<const rankscope::TraceSet> traces);
  // elapsed: from start() to the end of the work, in nanoseconds.
  void finished(std::shared_ptr<const rankscope::TraceSet> traces, qint64 elapsed);
  void failed(const rankscope::Error& error);
  void cancelled();
  // Nothing was read, and it was not in the cache.
  void wouldNotFit(const rankscope::LoadForecast& forecast);
  // Nothing was fetched: the user is to choose.
  void remoteListed(std::shared_ptr<const rankscope::RemoteContents> contents);
  // It was stopped because memory ran low.
  void ranLow(quint64 left);

 private:
  struct Run;

  void giveUp();
  void report();
  [[nodiscard]] bool stoppedForMemory();
  void deliverArrived();
  void fail(Run& run, const Error& error);
  void complete(const Result<std::shared_ptr<const TraceSet>>& result);

  LoadFunction m_load;
  MemoryFunction m_available;
  QStringList m_paths;
  LoadOptions m_options;             // as they were given
  std::uint64_t m_memoryAtStart = 0; // 0: unknown
  int m_reports = 0;
  QTimer m_timer;
  PendingWork& m_pending;
  PendingWork::Token m_running; // while a run exists
  std::shared_ptr<Run> m_run;
};

} // namespace rankscope::ui
