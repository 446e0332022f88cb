// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/digest_events.h"

#include "core/base/thread_team.h"
#include "core/model/rank_digest.h"
#include "ui/job/job_document.h"
#include "ui/job/trace_session.h"
#include "ui/widgets/message_banner.h"

#include <utility>

namespace rankscope::ui {

DigestEvents::DigestEvents(TraceSession& session, JobDocument& document, MessageBanner& banner,
                           QObject* parent)
    : QObject(parent), m_session(session), m_document(document), m_banner(banner),
      m_task(document.pending()) {
  connect(&session, &TraceSession::choiceChanged, this, &DigestEvents::loadNext);
  connect(&document, &JobDocument::analyzed, this, &DigestEvents::loadNext);
  connect(&document, &JobDocument::leaving, this, [this] {
    if (m_progress) m_progress->cancel = true;
    m_progress.reset();
    m_task.drop();
  });
}

DigestEvents::~DigestEvents() {
  if (m_progress) m_progress->cancel = true;
}

void DigestEvents::loadNext() {
  const std::shared_ptr<const TraceSet> job = m_document.recorded();
  if (!job || m_progress || !m_document.tables().report || !hasDigests(*job)) return;
  RankIndex wanted;
  for (const auto& [key, open] : m_session.choice().open) {
    if (!open || !key.isRank()) continue;
    const RankIndex rank = rankOf(*job, key);
    if (rank.valid() && digestOf(*job, rank) != nullptr) wanted = rank;
  }
  if (!wanted.valid()) return;
  const auto path = reachableEvents(*job, wanted);
  if (!path)
    return refuse(
        wanted, tr("The trace of rank %1 cannot be reached").arg(job->rank(wanted).rank),
        tr("It lies at %1, and the digest was made without --keep-events. Mount that folder, or copy "
           "the file and open it alone.")
            .arg(QString::fromStdString(digestedTrace(*job, wanted))));
  m_progress = std::make_shared<Progress>();
  m_task.ask(
      [job, wanted, path = *path, progress = m_progress] {
        return withRankEvents(*job, std::vector<RankToRead>{{wanted, path}}, defaultThreadCount(), *progress);
      },
      [this, job, wanted](Result<std::shared_ptr<const TraceSet>> loaded) {
        m_progress.reset();
        if (m_document.recorded() != job) return;
        if (loaded.ok()) return m_document.takeEvents(std::move(*loaded));
        refuse(wanted, tr("The events of rank %1 could not be loaded").arg(job->rank(wanted).rank),
               QString::fromStdString(loaded.error().text()));
      });
}

void DigestEvents::refuse(RankIndex rank, const QString& title, const QString& why) {
  m_banner.showMessage(MessageBanner::Severity::Error, title, {why});
  const TrackKey key = keyOf(*m_document.recorded(), rank);
  m_session.editChoice([&](TimelineChoice& choice) { choice.open[key] = false; });
}

} // namespace rankscope::ui
