// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/job_document.h"

#include "core/model/rank_digest.h"
#include "core/report/network_source.h"
#include "core/report/scope_options.h"
#include "ui/job/loaded_part.h"
#include "ui/job/trace_session.h"

#include <utility>

namespace rankscope::ui {

JobDocument::JobDocument(LoadFunction load, PendingWork* whole, QObject* parent)
    : QObject(parent), m_pending(whole), m_loading(m_pending, std::move(load)), m_part(m_pending, m_loading),
      m_writer(m_pending), m_tablesTask(m_pending) {
  connectLoading();
  connect(&m_part, &PartChoice::openWanted, this, [this](const Opening& opening, bool closeFirst) {
    if (closeFirst) close();
    open(opening.paths, opening.options);
  });
  connect(&m_remote, &RemoteChooser::openWanted, this, &JobDocument::open);
}

JobDocument::~JobDocument() = default;

void JobDocument::connectLoading() {
  connect(&m_loading, &LoadJob::started, this, [this] {
    m_writer.giveUp();
    m_error.reset();
  });
  connect(&m_loading, &LoadJob::ranksArrived, this, &JobDocument::take);
  connect(&m_loading, &LoadJob::finished, this,
          [this](std::shared_ptr<const TraceSet> traces, TimeNs elapsed) {
            take(std::move(traces));
            m_openedIn = elapsed;
            analyze();
            emit opened();
          });
  connect(&m_loading, &LoadJob::failed, this, &JobDocument::refuse);
  connect(&m_loading, &LoadJob::cancelled, this, [this] {
    if (showsPartOfLoad()) analyze();
    emit cancelled(showsPartOfLoad());
  });
  connect(&m_loading, &LoadJob::ranLow, this, [this](quint64 left) {
    if (showsPartOfLoad()) analyze();
    emit ranLow(left, showsPartOfLoad());
  });
}

void JobDocument::setMemory(const MemoryFunction& available) {
  m_part.setMemory(available);
  m_loading.setMemory(available);
}

std::uint64_t JobDocument::held() const {
  return m_recorded ? heldBytes(*m_recorded) : 0;
}

void JobDocument::open(const QStringList& paths, const LoadOptions& options) {
  LoadOptions all = options;
  if (!all.cache) all.cache = m_cache;
  emit leaving();
  m_loading.start(paths, all, held());
}

void JobDocument::refuse(const Error& error) {
  m_error = error;
  // Ranks that fit into memory were delivered before the load failed.
  const bool partial = error.kind == ErrorKind::OutOfMemory && showsPartOfLoad();
  if (partial) analyze();
  emit failed(error, partial);
}

void JobDocument::choosePart() {
  const bool shown = m_recorded && !m_loading.running();
  choosePartOf(shown ? m_opening : Opening{m_loading.paths(), m_loading.options()},
               PartQuestion::Reason::Asked);
}

void JobDocument::choosePartOf(const Opening& opening, PartQuestion::Reason reason) {
  if (!opening.paths.isEmpty()) m_part.ask(opening, reason, held());
}

void JobDocument::close() {
  if (!m_recorded) return;
  emit leaving();
  m_writer.giveUp();
  take(nullptr);
}

void JobDocument::giveUp() {
  m_loading.cancel();
  m_writer.giveUp();
}

void JobDocument::take(std::shared_ptr<const TraceSet> traces) {
  const bool other = !m_recorded || !traces || m_recorded->jobName() != traces->jobName();
  m_tablesTask.drop();
  m_tables = {};
  m_openedIn = -1;
  m_recorded = std::move(traces);
  m_opening = m_recorded ? Opening{m_loading.paths(), m_loading.options()} : Opening();
  emit tracesChanged(other);
}

void JobDocument::takeEvents(std::shared_ptr<const TraceSet> traces) {
  auto previous = m_tables.report->sharedAnalysis();
  m_tablesTask.drop();
  m_tables = {};
  m_recorded = std::move(traces);
  emit tracesChanged(false);
  analyze(std::move(previous));
}

void JobDocument::analyze(std::shared_ptr<const Analysis> previous) {
  m_tablesTask.ask([trace = m_recorded, previous = std::move(previous), align = clocksAligned(),
                    network = networkInputOf(
                        nativePaths(m_opening.paths))] { return jobTables(trace, previous, align, network); },
                   [this](JobTables tables) {
                     m_tables = std::move(tables);
                     emit analyzed();
                     writeToCache();
                   });
}

// After everything that the user waits for.
void JobDocument::writeToCache() {
  if (!m_recorded) return;
  const TraceOrigin& origin = m_recorded->origin();
  if (!m_cache || origin.identity == nullptr || origin.cached || m_writtenIdentity == origin.identity) return;
  m_writtenIdentity = origin.identity;
  m_writer.write(m_recorded, *m_cache);
}

QString JobDocument::summary() const {
  if (!m_recorded) return {};
  LoadedPart loaded = partOf(m_opening.options);
  if (stepsWereUnmarked(*m_recorded)) loaded.filter.steps.reset();
  const QString part = partText(loaded);
  return (part.isEmpty() ? part : part + QStringLiteral(" · ")) +
         jobSummary(*m_recorded, m_tables.report ? m_tables.steps : -1, m_openedIn);
}

bool JobDocument::clocksAligned() const {
  return m_alignClocks || (m_recorded && isDigest(*m_recorded));
}

void JobDocument::setClocksAligned(bool aligned) {
  if (m_alignClocks == aligned) return;
  m_alignClocks = aligned;
  analyzeAgain();
}

void JobDocument::analyzeAgain() {
  if (m_recorded && !m_loading.running()) analyze();
}

void follow(TraceSession& session, JobDocument& document) {
  QObject::connect(&document, &JobDocument::tracesChanged, &session,
                   [&session, &document] { session.setTrace(document.recorded()); });
  QObject::connect(&document, &JobDocument::analyzed, &session, [&session, &document] {
    session.setTrace(document.tables().drawn, document.tables().drawnAnalysis);
    session.setHighlights(document.tables().highlights);
  });
}

} // namespace rankscope::ui
