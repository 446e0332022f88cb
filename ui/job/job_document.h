// SPDX-License-Identifier: GPL-3.0-or-later
// One job: how it is loaded and which part of it, what of it has been read, and what was worked out of that.
// It owns these facts for everybody who shows the job, and says by signals when they change; what somebody
// looks at (window, selection, range) is a TraceSession's. A window may hold several. Loading, analyzing and
// keeping in the cache go on away from the UI thread. UI thread; nothing here waits or knows of widgets.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/job/cache_writer.h"
#include "ui/job/job_tables.h"
#include "ui/job/load_job.h"
#include "ui/job/part_choice.h"

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
  // What goes on here is pending work of the whole's too.
  explicit JobDocument(LoadFunction load = loadTraces, PendingWork* whole = nullptr,
                       QObject* parent = nullptr);
  ~JobDocument() override;

  // Where what is opened from now on is looked for, and kept once it is shown. Without one by default.
  void setTraceCache(std::optional<TraceCacheSettings> cache) { m_cache = std::move(cache); }
  // Free memory. With it, a job that would not fit is asked about and a load that takes too much given up;
  // without, as by default, it is not reported.
  void setMemory(const MemoryFunction& available);

  // Opens these in place of what is open, which stays until something of them has arrived.
  void open(const QStringList& paths, const LoadOptions& options = {});
  // As if these had been opened, and it had failed.
  void refuse(const Error& error);
  // Asks which part of what is open, or of what is loading, is wanted; nothing while there is neither.
  void choosePart();
  void choosePartOf(const Opening& opening, PartQuestion::Reason reason);
  // Nothing is open any more.
  void close();
  // Whatever is under way ends, and nothing of it is reported.
  void giveUp();

  [[nodiscard]] LoadJob& loading() { return m_loading; }
  [[nodiscard]] PartChoice& part() { return m_part; }
  [[nodiscard]] const PartChoice& part() const { return m_part; }
  // Of the last load, when it failed.
  [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

  // As the files say; null while nothing is open. Of a load that still runs or was given up: what arrived.
  [[nodiscard]] const std::shared_ptr<const TraceSet>& recorded() const { return m_recorded; }
  // What it was opened from, and how.
  [[nodiscard]] const Opening& opening() const { return m_opening; }
  // Whether all of it is there; false as well when the load was given up.
  [[nodiscard]] bool complete() const { return m_openedIn >= 0; }
  // What was worked out of all that is there; all null until analyzed().
  [[nodiscard]] const JobTables& tables() const { return m_tables; }
  // "without Python stack · 8 ranks · 5 steps ... opened in 410 ms", of what is known by now.
  [[nodiscard]] QString summary() const;

  // Whether hosts' clocks are aligned by their collectives; so they are at first.
  [[nodiscard]] bool clocksAligned() const { return m_alignClocks; }
  void setClocksAligned(bool aligned);

  // Loads, forecasts, tables still to come, what is being kept in the cache.
  [[nodiscard]] PendingWork& pending() { return m_pending; }

 signals:
  // What is open may be replaced or closed now: who keeps something of it does so.
  void leaving();
  // recorded() is another one, or none; its tables are still to come. otherJob: what was open was of another.
  void tracesChanged(bool otherJob);
  // All of it is there.
  void opened();
  // tables() are there.
  void analyzed();
  // The last load ended without all of the job. partial: what arrived of it is open.
  void failed(const rankscope::Error& error, bool partial);
  void cancelled(bool partial);
  void ranLow(quint64 left, bool partial);

 private:
  void connectLoading();
  void take(std::shared_ptr<const TraceSet> traces);
  [[nodiscard]] bool showsPartOfLoad() const { return m_recorded && !complete(); }
  void analyze();
  void writeToCache();
  [[nodiscard]] std::uint64_t held() const;

  PendingWork m_pending;
  LoadJob m_loading;
  PartChoice m_part;
  std::optional<TraceCacheSettings> m_cache;
  CacheWriter m_writer;
  std::shared_ptr<const JobIdentity> m_writtenIdentity; // of the job that was handed to the writer last
  std::shared_ptr<const TraceSet> m_recorded;
  Opening m_opening;
  TimeNs m_openedIn = -1;
  std::optional<Error> m_error;
  bool m_alignClocks = true;
  JobTables m_tables;
  LatestTask<JobTables> m_tablesTask;
};

// From now on the session looks at this job. Both live until one of them ends.
void follow(TraceSession& session, JobDocument& document);

} // namespace rankscope::ui
