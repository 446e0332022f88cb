// SPDX-License-Identifier: GPL-3.0-or-later
// One job: its loading, the loaded part, and the analysis results. Owns these for all views and emits
// signals on changes; view state (window, selection, range) is in TraceSession. A window may hold several
// documents. Loading, analysis and cache writing run on workers. UI thread; never blocks and does not
// depend on widgets.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/job/cache_writer.h"
#include "ui/job/job_tables.h"
#include "ui/job/load_job.h"
#include "ui/job/part_choice.h"
#include "ui/job/remote_choice.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

namespace rankscope::ui {

class TraceSession;

class JobDocument : public QObject {
  Q_OBJECT
 public:
  // Its work counts as pending work of `whole` too.
  explicit JobDocument(LoadFunction load = loadTraces, PendingWork* whole = nullptr,
                       QObject* parent = nullptr);
  ~JobDocument() override;

  // The cache in which jobs are looked up and stored from now on. None by default.
  void setTraceCache(std::optional<TraceCacheSettings> cache) { m_cache = std::move(cache); }
  // Reports free memory. With it, the user is asked before a job that would not fit is loaded, and a load
  // that uses too much is stopped. None by default.
  void setMemory(const MemoryFunction& available);

  // Opens these paths; the current job stays until the first rank of the new one is loaded.
  void open(const QStringList& paths, const LoadOptions& options = {});
  // Reports a failure as if opening had failed.
  void refuse(const Error& error);
  // Asks which part of the open or loading job to load; no effect without one.
  void choosePart();
  void choosePartOf(const Opening& opening, PartQuestion::Reason reason);
  // Closes the job.
  void close();
  // Cancels all work without reporting it.
  void giveUp();
  // The open job with the events of more of its ranks. REQUIRES: it is open, with results.
  void takeEvents(std::shared_ptr<const TraceSet> traces);

  [[nodiscard]] LoadJob& loading() { return m_loading; }
  [[nodiscard]] PartChoice& part() { return m_part; }
  [[nodiscard]] const PartChoice& part() const { return m_part; }
  [[nodiscard]] RemoteChooser& remote() { return m_remote; }
  // The error of the last load, if it failed.
  [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

  // As recorded; null while nothing is open. During or after an incomplete load: the ranks loaded so far.
  [[nodiscard]] const std::shared_ptr<const TraceSet>& recorded() const { return m_recorded; }
  // Paths and options it was opened with.
  [[nodiscard]] const Opening& opening() const { return m_opening; }
  // Whether the load is complete; false if it was stopped.
  [[nodiscard]] bool complete() const { return m_openedIn >= 0; }
  // Analysis results of the loaded ranks; null until analyzed().
  [[nodiscard]] const JobTables& tables() const { return m_tables; }
  // "without Python stack · 8 ranks · 5 steps ... opened in 410 ms", as far as known.
  [[nodiscard]] QString summary() const;

  // Whether host clocks are aligned by collectives; on by default.
  // Those of a digest always are: it was made so.
  [[nodiscard]] bool clocksAligned() const;
  void setClocksAligned(bool aligned);
  // Computes the tables again, because their texts have changed; no effect during a load.
  void analyzeAgain();

  // Outstanding loads, forecasts, tables and cache writes.
  [[nodiscard]] PendingWork& pending() { return m_pending; }

 signals:
  // Emitted before the job is replaced or closed, so that state can be saved.
  void leaving();
  // recorded() changed or is null; tables follow later. otherJob: the job itself is another one.
  void tracesChanged(bool otherJob);
  // The load is complete.
  void opened();
  // tables() are computed.
  void analyzed();
  // The last load ended incomplete. partial: the ranks loaded so far are open.
  void failed(const rankscope::Error& error, bool partial);
  void cancelled(bool partial);
  void ranLow(quint64 left, bool partial);

 private:
  void connectLoading();
  void take(std::shared_ptr<const TraceSet> traces);
  [[nodiscard]] bool showsPartOfLoad() const { return m_recorded && !complete(); }
  void analyze(std::shared_ptr<const Analysis> previous = nullptr);
  void writeToCache();
  [[nodiscard]] std::uint64_t held() const;

  PendingWork m_pending;
  LoadJob m_loading;
  PartChoice m_part;
  RemoteChooser m_remote{m_loading};
  std::optional<TraceCacheSettings> m_cache;
  CacheWriter m_writer;
  std::shared_ptr<const JobIdentity> m_writtenIdentity; // of the job last passed to the writer
  std::shared_ptr<const TraceSet> m_recorded;
  Opening m_opening;
  TimeNs m_openedIn = -1;
  std::optional<Error> m_error;
  bool m_alignClocks = true;
  JobTables m_tables;
  LatestTask<JobTables> m_tablesTask;
};

// Connects the session to this document until one of them is destroyed.
void follow(TraceSession& session, JobDocument& document);

} // namespace rankscope::ui
