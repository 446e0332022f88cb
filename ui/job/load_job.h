// SPDX-License-Identifier: GPL-3.0-or-later
// Opens traces away from the UI thread, one job at a time: start() gives up what runs and begins again, and
// nothing of a job that was given up is ever reported (each run is an object of its own and only the current
// one is listened to). A 10 Hz timer reads the run's atomics and hands on the newest TraceSet, so a worker
// never calls into the UI. All of it belongs to the UI thread. Cancelling and destroying return at once; the
// worker, which owns what it uses, stops at its next look at the cancel flag. With a figure for free memory a
// job that would not fit is not read, and one that takes more than it should is given up.
#pragma once

#include "core/io/load/load_forecast.h"
#include "core/io/load/trace_loader.h"
#include "ui/base/pending_work.h"

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::ui {

[[nodiscard]] std::vector<std::string> nativePaths(const QStringList& paths);

// loadTraces, or what a test puts in its place.
using LoadFunction = std::function<Result<std::shared_ptr<const TraceSet>>(
    const std::vector<std::string>& paths, const LoadOptions& options, Progress& progress,
    const RanksArrived& ranksArrived)>;

// What Progress said at one moment.
struct LoadSnapshot {
  LoadStage stage = LoadStage::Finding;
  std::uint64_t bytesDone = 0;
  std::uint64_t bytesTotal = 0;
  std::uint64_t eventsDone = 0;
  std::uint32_t filesDone = 0;
  std::uint32_t filesTotal = 0;
};

class LoadJob : public QObject {
  Q_OBJECT
 public:
  LoadJob(PendingWork& pending, LoadFunction load, QObject* parent = nullptr);
  ~LoadJob() override;

  // Asked when a job starts and once a second. Empty, as it is at first: memory is not reported.
  void setMemory(MemoryFunction available) { m_available = std::move(available); }

  // Emits started(), then progressed() and ranksArrived() any number of times, then exactly one of
  // finished(), failed(), cancelled(), wouldNotFit() and ranLow(), unless a later start() takes its place.
  // Options with a mayRead of their own are not asked whether they fit. givenBack: bytes of memory that will
  // come free when this job takes the place of the one that is open.
  void start(const QStringList& paths, const LoadOptions& options = {}, std::uint64_t givenBack = 0);
  // Emits cancelled() when something was running.
  void cancel();

  [[nodiscard]] bool running() const { return m_run != nullptr; }
  // Of the running job or, when none runs, of the last one.
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
  // It was given up because so little memory was left.
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
  std::uint64_t m_memoryAtStart = 0; // 0: nobody knows
  int m_reports = 0;
  QTimer m_timer;
  PendingWork& m_pending;
  PendingWork::Token m_running; // while there is a run
  std::shared_ptr<Run> m_run;
};

} // namespace rankscope::ui
